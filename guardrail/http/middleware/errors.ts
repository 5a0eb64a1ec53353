/**
 * Every error that the service returns: its stable code, its HTTP status and its message. `{limit}` is replaced by a
 * number. A thrown error can have a more precise message.
 */
export const ERRORS = {
  empty_body: { status: 400, message: 'The request has no body: send a JSON object.' },
  invalid_encoding: { status: 400, message: 'The body is not valid UTF-8.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  invalid_body: { status: 400, message: 'The body is incomplete or does not match the header Content-Encoding.' },
  invalid_field: { status: 400, message: 'A field is missing or has a wrong value.' },
  invalid_http: { status: 400, message: 'The request is not valid HTTP/1.1.' },
  duplicate_name: { status: 400, message: 'An object in the body has two members with the same name.' },
  too_deep: { status: 400, message: 'The body is nested deeper than {limit} levels.' },

  unauthorized: { status: 401, message: 'Send a valid API key in the header x-api-key.' },
  certificate_required: { status: 401, message: 'Connect with a valid client certificate.' },
  blocked: { status: 403, message: 'The policy of the guardrail blocks this request.' },
  not_an_admin: { status: 403, message: 'Only an API key in GUARDRAIL_ADMIN_KEYS can name another tenant.' },
  admin_key_required: { status: 403, message: 'This path requires an API key in GUARDRAIL_ADMIN_KEYS.' },
  restore_key_required: { status: 403, message: 'This path requires an API key in GUARDRAIL_RESTORE_KEYS.' },
  restore_key_only: { status: 403, message: 'This API key can only call /v1/restore: use another key for this path.' },
  not_found: { status: 404, message: 'Unknown path: see /openapi.json for all paths.' },
  session_not_found: { status: 404, message: 'The session does not exist or has expired.' },
  method_not_allowed: { status: 405, message: 'The path does not support this method: see the header Allow.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  // Not 503: a gateway that fails open on 503 would send the original request to the model.
  session_erased: { status: 409, message: 'The session was erased during this call: send the call again.' },

  body_too_large: { status: 413, message: 'The body is larger than the limit of {limit} bytes.' },
  too_many_values: { status: 413, message: 'The body contains more than {limit} JSON values.' },
  too_many_entities: { status: 413, message: 'The texts contain too many entities.' },
  response_too_large: { status: 413, message: 'The restored response is too large.' },
  unsupported_media_type: { status: 415, message: 'Send the body with Content-Type: application/json.' },
  unsupported_encoding: { status: 415, message: 'Send the body with the encoding gzip, deflate, br or zstd, or none.' },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },

  // 429, not 503: gateways count 502, 503 and 504 as unreachable, and one that fails open then sends the unchecked
  // request to the model.
  overloaded: { status: 429, message: 'The guardrail has more calls than it can process in time: retry later.' },
  timeout: { status: 429, message: 'The guardrail did not finish this call in time: retry later.' },
  slow_body: { status: 429, message: 'The body arrives too slowly while other calls wait: retry later.' },

  rate_limited: { status: 429, message: 'This API key calls too often: retry later.' },
  too_many_guesses: {
    status: 429,
    message: 'This API key sends too many pseudonyms that its sessions do not have. Nothing was restored: retry later.',
  },

  internal_error: { status: 500, message: 'The guardrail failed: search its log for the request id.' },
  store_unavailable: { status: 502, message: 'The mapping store is unavailable.' },
  detector_unavailable: { status: 502, message: 'A detector is unavailable.' },
  draining: { status: 503, message: 'This replica is shutting down: retry, so that another replica serves the call.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** Replaces the message of the table. Must not contain anything that a caller sent, except names of fields. */
  readonly message?: string;
  /** The number in place of `{limit}`. */
  readonly limit?: number;
  /** The estimated wait, in milliseconds. The caller reads it in `Retry-After`, as at least one second. */
  readonly waitMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that a caller gets as an HTTP response. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { message = ERRORS[code].message, limit, waitMs, headers } = details;
    super(limit === undefined ? message : message.replace('{limit}', String(limit)));
    this.code = code;
    this.status = ERRORS[code].status;
    this.headers = {
      ...headers,
      ...(waitMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) }),
    };
  }
}

/** The body of an error response. */
export function errorBody({ code, message }: Pick<ServiceError, 'code' | 'message'>, requestId: string): object {
  return { error: { code, message, request_id: requestId } };
}
