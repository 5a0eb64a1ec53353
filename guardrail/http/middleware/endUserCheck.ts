import type { Metrics } from './metrics.ts';

const MISSING = 'The call names no end user, and this guardrail requires one: set the field user of the request.';

export interface EndUserCheckOptions {
  /** Whether calls without an end user are refused. */
  readonly isRequired: boolean;
  readonly metrics: Pick<Metrics, 'callWithoutUser'>;
  readonly now?: () => Date;
}

/**
 * Watches for calls that name no end user. All people who use the same key share the session of such calls: a pseudonym that one
 * of them types is restored to the value of another.
 */
export class EndUserCheck {
  readonly #isRequired: boolean;
  readonly #metrics: Pick<Metrics, 'callWithoutUser'>;
  readonly #now: () => Date;
  #latest: Date | undefined;

  constructor({ isRequired, metrics, now = () => new Date() }: EndUserCheckOptions) {
    this.#isRequired = isRequired;
    this.#metrics = metrics;
    this.#now = now;
  }

  /** When the latest call without an end user began; undefined: there was none since the start. */
  get latest(): Date | undefined {
    return this.#latest;
  }

  /**
   * Counts a call without an end user.
   * @returns why it is refused; undefined: it is not
   */
  missing(protocol: string): string | undefined {
    this.#latest = this.#now();
    this.#metrics.callWithoutUser(protocol);
    return this.#isRequired ? MISSING : undefined;
  }
}
