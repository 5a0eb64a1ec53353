/** The statuses with which Presidio answers a wrong request. Its analyzer answers some of them with 500. */
export type PresidioStatus = 400 | 422 | 500;

/**
 * A request is wrong. The caller gets the status and `{"error": message}`. The message names the field and the requirement,
 * and contains nothing that the caller sent but positions: Presidio repeats values.
 */
export class PresidioError extends Error {
  override readonly name = 'PresidioError';
  readonly status: PresidioStatus;

  constructor(status: PresidioStatus, message: string) {
    super(message);
    this.status = status;
  }
}
