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
  /** The customer does not exist at the gateway: it says so of this very id, or a second look has confirmed it. */
  | 'notFound'
  /**
   * A 404 that may mean the customer or the path. It is not known whether the customer exists: nothing may be let go of.
   */
  | 'unconfirmed'
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
 * A call of the gateway's admin API failed. The message is a whole sentence for the resource's conditions. It quotes the
 * gateway in the form that {@link quoteOf} gives its words, and holds neither a key nor a value of the customer.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: GatewayErrorKind;
  readonly operation: GatewayOperation;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** How long to leave the gateway alone, in milliseconds; for `retryAfter` only. */
  readonly retryAfterMs: number | undefined;
  /** The gateway takes no calls for so long that people should know; for `retryAfter` only. */
  readonly rateLimited: boolean;

  constructor(
    kind: GatewayErrorKind,
    operation: GatewayOperation,
    message: string,
    details: { readonly status?: number; readonly retryAfterMs?: number; readonly rateLimited?: boolean } = {},
  ) {
    super(message);
    this.kind = kind;
    this.operation = operation;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.rateLimited = details.rateLimited ?? false;
  }
}

/** Whether something thrown is a gateway error of one of those kinds. */
export function isGatewayError(error: unknown, ...kinds: readonly GatewayErrorKind[]): error is GatewayError {
  return error instanceof GatewayError && (kinds.length === 0 || kinds.includes(error.kind));
}
