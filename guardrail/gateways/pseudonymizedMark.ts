/** How a guardrail recognizes calls whose values it has replaced itself, when a gateway shows it such a call again. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Marks the calls that have passed the inline proxy, in the header `x-guardrail-pseudonymized`. */
export interface PseudonymizedMark {
  /** The value of the header for a call of now. */
  value(): string;
  /** Whether a guardrail with the same session key has written a value of the header, at most ten minutes ago. */
  isValid(value: unknown): boolean;
}

const MINUTE_MS = 60_000;
/** How long a call may wait in the gateway before it reaches the guardrail again. */
const VALID_MINUTES = 10;
/** How far the clock of another replica may be ahead. */
const AHEAD_MINUTES = 1;
const FORM = /^([0-9a-z]{1,8})\.([0-9a-f]{32})$/;

/**
 * The mark is keyed, because every client can send a header of this name: with a mark of its own, its text could contain
 * pseudonyms of other users of a shared session, and the answer would restore them.
 * @param now the time in milliseconds since the epoch
 */
export function createPseudonymizedMark(key: KeyObject, now: () => number = Date.now): PseudonymizedMark {
  let latest = { minute: -1, value: '' };
  const tagOf = (minute: number): string =>
    createHmac('sha256', key)
      .update(JSON.stringify(['pseudonymized', minute]))
      .digest('hex')
      .slice(0, 32);
  const minuteNow = (): number => Math.floor(now() / MINUTE_MS);
  return {
    value() {
      const minute = minuteNow();
      if (latest.minute !== minute) latest = { minute, value: `${minute.toString(36)}.${tagOf(minute)}` };
      return latest.value;
    },
    isValid(value) {
      const [, written = '', tag = ''] = (typeof value === 'string' ? FORM.exec(value) : undefined) ?? [];
      const minute = Number.parseInt(written, 36);
      const age = minuteNow() - minute;
      if (!(age >= -AHEAD_MINUTES && age <= VALID_MINUTES)) return false;
      return timingSafeEqual(Buffer.from(tag), Buffer.from(tagOf(minute)));
    },
  };
}
