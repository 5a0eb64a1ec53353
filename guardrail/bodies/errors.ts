/** The problems of a request's body. */
const PROBLEMS = {
  invalid_encoding: 'The body is not valid UTF-8 without a byte order mark.',
  invalid_json: 'The body is not valid JSON.',
  lone_surrogate: 'A string of the body has half of a surrogate pair: send whole characters.',
  too_deep: 'The body is nested deeper than 256 levels.',
  too_many_values: 'The body contains more than 500000 values.',
  duplicate_name: 'An object of the body has two members that name its type or its data: send each of them once.',
  unexpected_body: 'This operation takes no body: send the request without one.',
  unsupported_media_type: 'The content type of the body is not one that this operation takes.',
  invalid_multipart: 'The body is not valid multipart/form-data: see RFC 7578.',
  invalid_form: 'The body is not valid application/x-www-form-urlencoded.',
} as const;

export type BodyProblem = keyof typeof PROBLEMS;

/** A request's body cannot be checked. The caller gets 400. The message contains nothing of the body. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly code: BodyProblem;

  constructor(code: BodyProblem) {
    super(PROBLEMS[code]);
    this.code = code;
  }
}

/** An answer cannot be read, so that it cannot be restored. The caller gets 502. Contains nothing of the answer. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';

  /** @param problem completes the sentence "The answer of the upstream …". */
  constructor(problem: string) {
    super(`The answer of the upstream ${problem}.`);
  }
}
