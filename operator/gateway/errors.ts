import type { Pause } from './rateLimit.ts';

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
  | 'POST /budget/delete'
  | 'GET /key/list'
  | 'POST /key/generate'
  | 'POST /key/update'
  | 'POST /key/delete';

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

/**
 * The error of a call that was not made because of a rate limit.
 * @param pause set if the gateway asked for a long pause
 */
export function deferredError(
  operation: GatewayOperation,
  retryAfterMs: number,
  pause: Pause | undefined,
  status?: number,
): GatewayError {
  const details = { retryAfterMs, rateLimited: pause !== undefined, ...(status === undefined ? {} : { status }) };
  if (pause === undefined) {
    const short = `The gateway limits the call rate (${status} for ${operation}).`;
    const message = status === undefined ? 'The rate limit for calls to the gateway is reached.' : short;
    return new GatewayError('retryAfter', operation, message, details);
  }
  const until = pause.until?.toISOString().replace('.000Z', 'Z');
  const state =
    until === undefined
      ? 'The gateway accepts no calls and specifies no time to retry'
      : `The gateway accepts no calls until ${until}`;
  const quote = pause.reason === '' ? '' : ` ("${pause.reason}")`;
  const message = `${state}: it limits the call rate${quote}. The operator probes the gateway once a minute.`;
  return new GatewayError('retryAfter', operation, message, details);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export function isClosedConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

/** One text for all deadlines. It varies which deadline expires first, and each new message causes a status write. */
const timedOut = 'the call timed out';
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: timedOut,
  UND_ERR_BODY_TIMEOUT: timedOut,
  UND_ERR_SOCKET: 'the connection was lost',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is larger than 1 MiB',
  CERT_HAS_EXPIRED: 'its certificate, or that of its certificate authority, has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name: set spec.endpoint of the instance to a host name in the certificate',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not serve TLS: check scheme and port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not serve TLS: check scheme and port',
};

/** The error codes of OpenSSL for a certificate of an unknown certificate authority. */
const unknownAuthority = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);

function causeOf(error: unknown, hasOwnAuthority: boolean): string {
  if (error instanceof Error && error.name === 'TimeoutError') return timedOut;
  const code = codeOf(error);
  if (!unknownAuthority.has(code)) return causes[code] ?? 'the call failed';
  return hasOwnAuthority
    ? 'its certificate is not signed by the certificate authority in the Secret of spec.tls.caSecretRef: store the authority that signed it there'
    : 'its certificate is signed by an unknown certificate authority: set spec.tls.caSecretRef of the instance';
}

/**
 * The error of a call without a complete response.
 * @param hasOwnAuthority whether spec.tls is set
 */
export function connectionError(operation: GatewayOperation, error: unknown, hasOwnAuthority: boolean): GatewayError {
  const cause = causeOf(error, hasOwnAuthority);
  return new GatewayError('transient', operation, `The gateway is unreachable (${operation}): ${cause}.`);
}
