/** The session or its end user was erased while the request was under way: nothing was stored, nothing may be sent. */
export class SessionErasedError extends Error {
  override readonly name = 'SessionErasedError';
  constructor() {
    super('The session was erased while this request was under way; send the request again.');
  }
}

/** Values in the place of pseudonyms would make an answer larger than any body may be: nothing was restored. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
  constructor() {
    super('The answer with its pseudonyms restored would be larger than GUARDRAIL_MAX_BODY.');
  }
}
