/**
 * An answer that is an error by intent. Its message goes to the caller, so it never holds anything that the caller or
 * anybody else sent, but names of fields.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** Stable, in snake case: what a program tells errors apart by. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function badRequest(code: string, message: string): ServiceError {
  return new ServiceError(400, code, message);
}

export function tooLarge(code: string, message: string): ServiceError {
  return new ServiceError(413, code, message);
}

/** The caller may try again: nothing was done. */
export function unavailable(code: string, message: string): ServiceError {
  return new ServiceError(503, code, message, { 'retry-after': '1' });
}
