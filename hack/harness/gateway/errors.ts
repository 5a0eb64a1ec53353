/** A response other than success, with exactly the body of the real gateway. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`The gateway answers ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** The envelope of the customer and the model endpoints: `{"error": {message, type, param, code}}`, code as a string. */
export function proxyError(status: number, type: string, param: string | null, message: string): GatewayError {
  return new GatewayError(status, { error: { message, type, param, code: String(status) } });
}

/** The envelope of the budget endpoints: `{"detail": {"error": …}}`. */
export function detailError(status: number, error: string): GatewayError {
  return new GatewayError(status, { detail: { error } });
}

/** One complaint about a request body, in the format of the real gateway's validation library. */
export interface Complaint {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** 422 with all complaints at once. */
export function validationError(complaints: readonly Complaint[]): GatewayError {
  return new GatewayError(422, { detail: complaints });
}
