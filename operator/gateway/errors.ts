/** What a failed call means for the one who made it. Nothing else about a failure may decide what happens next. */
export type GatewayErrorKind =
  /** The gateway will not take this request however often it is repeated: only a change of the spec or the gateway helps. */
  | 'terminal'
  /** The gateway could not be reached or could not answer. Whether it did what was asked is not known. */
  | 'transient'
  /** The gateway, or our own limit on calls to it, asks for time: {@link GatewayError.retryAfterMs}. */
  | 'retryAfter'
  /** The gateway refuses the master key. */
  | 'unauthorized'
  /** The customer does not exist at the gateway. */
  | 'notFound'
  /** The customer exists already. */
  | 'alreadyExists';

/** The calls of the gateway's admin API that the operator makes: the metric label, and what messages name. */
export type GatewayOperation =
  | 'GET /customer/info'
  | 'POST /customer/new'
  | 'POST /customer/update'
  | 'POST /customer/delete'
  | 'POST /budget/info'
  | 'POST /budget/new'
  | 'POST /budget/update'
  | 'POST /budget/delete';

/**
 * A call of the gateway's admin API failed. The message is a whole sentence for the resource's conditions: it holds
 * neither a key nor a value of the customer, and nothing of the gateway's own text, which may repeat them.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: GatewayErrorKind;
  readonly operation: GatewayOperation;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** How long to leave the gateway alone, in milliseconds; for `retryAfter` only. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: GatewayErrorKind,
    operation: GatewayOperation,
    message: string,
    details: { readonly status?: number; readonly retryAfterMs?: number } = {},
  ) {
    super(message);
    this.kind = kind;
    this.operation = operation;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Whether something thrown is a gateway error of one of those kinds. */
export function isGatewayError(error: unknown, ...kinds: readonly GatewayErrorKind[]): error is GatewayError {
  return error instanceof GatewayError && (kinds.length === 0 || kinds.includes(error.kind));
}
