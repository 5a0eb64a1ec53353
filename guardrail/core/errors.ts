/** The session or its end user was erased while the request was under way: nothing was stored, nothing may be sent. */
export class SessionErasedError extends Error {
  override readonly name = 'SessionErasedError';
  constructor() {
    super('The session was erased while this request was under way; send the request again.');
  }
}
