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

/**
 * 429: the guardrail is busy. Not 503: gateways count 502, 503 and 504 as unreachable, and one that fails open then sends
 * the unchecked request to the model.
 * @param waitMs the estimated wait, in milliseconds; the caller reads it in `Retry-After`, as at least one second.
 */
export function busy(code: string, message: string, waitMs: number): ServiceError {
  return new ServiceError(429, code, message, { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) });
}

/** 429: there are more calls, or more of this tenant, than there is room for. */
export function overloaded(waitMs: number): ServiceError {
  return busy('overloaded', 'The guardrail has more calls than it can answer in time: try again.', waitMs);
}

/** 503: this process is shutting down. Another one may answer at once. */
export function draining(): ServiceError {
  return new ServiceError(503, 'draining', 'This instance is shutting down: try another one.', { 'retry-after': '1' });
}
