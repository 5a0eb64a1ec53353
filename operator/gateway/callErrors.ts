/** Errors of calls that got no response: rate limits, network and TLS failures. */
import type { GatewayOperation } from './errors.ts';
import { GatewayError } from './errors.ts';
import type { Pause } from './rateLimit.ts';

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
