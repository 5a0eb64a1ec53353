/** The session or its end user was erased during the request. Nothing was stored, and nothing may be sent. */
export class SessionErasedError extends Error {
  override readonly name = 'SessionErasedError';
  constructor() {
    super('The session was erased during this request. Send the request again.');
  }
}

/** A carry was changed, or it belongs to another call. The caller gets 400. */
export class InvalidCarryError extends Error {
  override readonly name = 'InvalidCarryError';
  constructor() {
    super('carry must be what the guardrail returned for the previous piece of the same call.');
  }
}

/** The restored response would exceed the maximum body size. Nothing was restored. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';
  constructor() {
    super('The restored response would be larger than GUARDRAIL_MAX_BODY.');
  }
}
