/** The statuses of wrong requests: those of Presidio, but for 500 of its analyzer, in whose place 400 is. */
export type PresidioStatus = 400 | 422;

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
