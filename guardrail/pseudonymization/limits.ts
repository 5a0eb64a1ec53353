import type { Pseudonym } from '../ids.ts';
import { ResponseTooLargeError } from './errors.ts';

/**
 * Limits the size of a restored response. A value can be longer than its pseudonym, and a response can repeat a
 * pseudonym without limit. The size of each part is therefore spent before the part is written.
 */
export class Budget {
  private left: number;

  /** @param bytes total size of all texts of a response */
  constructor(bytes: number) {
    this.left = bytes;
  }

  /** @throws ResponseTooLargeError */
  spend(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw new ResponseTooLargeError();
  }
}

/**
 * Maximum number of different unknown pseudonyms in a response. A model garbles a code once or twice, and a document
 * that another session left with the provider names a few dozen people at most. A search for the code of a value needs
 * thousands of guesses in a response. Nothing in such a response is restored, so no guess is confirmed. Of rare forms, which texts of
 * other origin can have, each text may have as many: after them, its rare forms stay.
 */
export const MAX_UNKNOWN = 32;

/** Counts the different unknown pseudonyms of a response, and decides whether it looks like a search. */
export class Guesses {
  /** Made for the first guess: most answers have none, and many streams can be open. */
  private unknown: Set<Pseudonym> | undefined;

  /** @param saved the result of {@link save} */
  constructor(saved: readonly Pseudonym[] = []) {
    if (saved.length > 0) this.unknown = new Set(saved);
  }

  save(): readonly Pseudonym[] {
    return [...(this.unknown ?? [])];
  }

  add(pseudonym: Pseudonym): void {
    if (this.isSearch) return;
    this.unknown ??= new Set();
    this.unknown.add(pseudonym);
  }

  get isSearch(): boolean {
    return this.unknown !== undefined && this.unknown.size > MAX_UNKNOWN;
  }
}
