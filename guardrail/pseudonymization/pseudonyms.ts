import { createHmac, type KeyObject } from 'node:crypto';
import type { Pseudonym, SessionId } from '../ids.ts';
import type { Label } from './labels.ts';

const DIGITS = '0123456789';
/** Crockford's base 32: no I, L, O and U, which are misread or make words. */
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_ALPHABET = DIGITS + LETTERS;
/** Patterns, for the flag `i`: a letter of a code, and any of its characters. */
export const CODE_LETTER = `[${LETTERS}]`;
export const CODE_UNIT = `[${CODE_ALPHABET}]`;
/** 40 bits. An answer tests a few dozen guesses at most (see restore.ts), so a search takes some 2^35 answers. */
export const MIN_CODE = 8;
/** 80 bits: where even this collides, something else is wrong. */
export const MAX_CODE = 16;

/** A value of a session and the code that stands for it: the first `length` of its digits. */
export interface Entry {
  readonly label: Label;
  /** What the store keeps: see encoding.ts. */
  readonly stored: string;
  readonly digits: string;
  readonly length: number;
  readonly pseudonym: Pseudonym;
}

export function entryOf(label: Label, stored: string, digits: string, length = MIN_CODE): Entry {
  return { label, stored, digits, length, pseudonym: `<${label}_${digits.slice(0, length)}>` as Pseudonym };
}

/**
 * Makes the pseudonyms of one session. A code is the beginning of HMAC-SHA-256 under the session key over session, label
 * and value, in base 32: 8 characters, a digit and a letter among them, so that it is no word and no number, and as many
 * more as it takes that nothing else has it.
 *
 * So a value has the same pseudonym in every turn, on every replica and after any loss, nobody can guess one, and
 * {@link isCodeOf} can tell of a stored value whether it belongs to a pseudonym at all.
 *
 * What is left to chance: two values whose codes collide (about 2^-40 a pair of the same label, at 8 characters) are told apart
 * as long as one of the request and the store knows both. Only if the store loses the one after its pseudonym has gone
 * out, and another call then brings the other, can the pseudonym, still under way, stand for the other value: of the same
 * session, with chance 2^-40 for each pair.
 */
export class Pseudonyms {
  private readonly key: KeyObject;
  private readonly session: SessionId;

  constructor(key: KeyObject, session: SessionId) {
    this.key = key;
    this.session = session;
  }

  entry(label: Label, stored: string): Entry {
    return entryOf(label, stored, this.digits(label, stored));
  }

  /** Whether a value that the store gave for a pseudonym is the one that this pseudonym was made from. */
  isCodeOf(pseudonym: Pseudonym, stored: string): boolean {
    const cut = pseudonym.lastIndexOf('_');
    const code = pseudonym.slice(cut + 1, -1);
    return this.digits(pseudonym.slice(1, cut), stored).startsWith(code);
  }

  private digits(label: Label, stored: string): string {
    // One attempt in twenty is a word or a number.
    for (let attempt = 0; ; attempt++) {
      const digits = base32(
        createHmac('sha256', this.key)
          .update(JSON.stringify(['pseudonym', this.session, label, stored, attempt]))
          .digest(),
      );
      const code = digits.slice(0, MIN_CODE);
      if (/[0-9]/.test(code) && /[A-Z]/.test(code)) return digits;
    }
  }
}

/** The first 80 bits. */
function base32(bytes: Buffer): string {
  let digits = '';
  for (let bit = 0; digits.length < MAX_CODE; bit += 5) {
    digits += CODE_ALPHABET.charAt((bytes.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31);
  }
  return digits;
}

/** The same value with a longer code. @throws Error when there is none left, which does not happen by chance. */
export function lengthen(entry: Entry): Entry {
  if (entry.length === MAX_CODE)
    throw new Error('No pseudonym is left for a value: its codes collide at every length.');
  return entryOf(entry.label, entry.stored, entry.digits, entry.length + 1);
}

/**
 * Lengthens entries until no two have the same pseudonym and none has a code that stands in the text. Both of a pair
 * grow, so that the outcome does not depend on which came first.
 */
export function separate(entries: readonly Entry[], isTaken: (code: string) => boolean): Entry[] {
  const seen = new Set<Pseudonym>();
  const shared = new Set<Pseudonym>();
  for (const { pseudonym } of entries) (seen.has(pseudonym) ? shared : seen).add(pseudonym);
  const clashes = ({ pseudonym, digits, length }: Entry): boolean =>
    shared.has(pseudonym) || isTaken(digits.slice(0, length));
  if (!entries.some(clashes)) return [...entries];
  return separate(
    entries.map((entry) => (clashes(entry) ? lengthen(entry) : entry)),
    isTaken,
  );
}
