/** The kinds of failed calls. Callers must decide by the kind, not by the message. */
export type GatewayErrorKind =
  /** The gateway rejects the request. A retry does not help until the spec or the gateway changes. */
  | 'terminal'
  /** The gateway is unreachable or failed. Whether it applied the request is unknown. */
  | 'transient'
  /** The gateway or the operator's own rate limit asks for a delay: {@link GatewayError.retryAfterMs}. */
  | 'retryAfter'
  | 'unauthorized'
  /** The customer does not exist at the gateway: the response names this id, or `GatewayClient` has confirmed it. */
  | 'notFound'
  /**
   * A 404 that may mean the customer or the path. Whether the customer exists is unknown, so the finalizer must remain.
   */
  | 'unconfirmed'
  /** The customer already exists. */
  | 'alreadyExists';

/** The calls of the gateway's admin API that the operator makes. Used as metric label and in messages. */
export type GatewayOperation =
  | 'GET /customer/info'
  | 'GET /customer/list'
  | 'POST /customer/new'
  | 'POST /customer/update'
  | 'POST /customer/delete'
  | 'GET /budget/list'
  | 'POST /budget/info'
  | 'POST /budget/new'
  | 'POST /budget/update'
  | 'POST /budget/delete';

/**
 * A failed call of the gateway's admin API. The message is a whole sentence for the resource's conditions. It quotes the
 * gateway as {@link quoteGateway} returns it, and contains neither a key nor a value of the customer.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: GatewayErrorKind;
  readonly operation: GatewayOperation;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** How long to wait before the next call, in milliseconds. Set for `retryAfter` only. */
  readonly retryAfterMs: number | undefined;
  /** Whether the gateway asked for a long pause, which conditions report. Set for `retryAfter` only. */
  readonly rateLimited: boolean;
  /** See {@link GatewayError.answer}. Private, so that no log and no error report contains it. */
  readonly #answer: string | undefined;

  constructor(
    kind: GatewayErrorKind,
    operation: GatewayOperation,
    message: string,
    details: {
      readonly status?: number;
      readonly retryAfterMs?: number;
      readonly rateLimited?: boolean;
      readonly answer?: string;
    } = {},
  ) {
    super(message);
    this.kind = kind;
    this.operation = operation;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.rateLimited = details.rateLimited ?? false;
    this.#answer = details.answer;
  }

  /**
   * What the gateway said, to compare it with another response. It may contain values of the customer, so it must not
   * be shown. Set for `unconfirmed` only.
   */
  get answer(): string | undefined {
    return this.#answer;
  }
}

/** Whether an error is a gateway error of one of the kinds. */
export function isGatewayError(error: unknown, ...kinds: readonly GatewayErrorKind[]): error is GatewayError {
  return error instanceof GatewayError && (kinds.length === 0 || kinds.includes(error.kind));
}
