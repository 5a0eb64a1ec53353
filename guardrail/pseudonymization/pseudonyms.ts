import { createHmac, type KeyObject } from 'node:crypto';
import type { Pseudonym } from '../ids.ts';
import { processDigest } from '../processDigest.ts';
import { Recent } from '../recent.ts';
import type { Label } from './labels.ts';

const DIGITS = '0123456789';
/** Crockford's base 32: without I, L, O and U, which are easily misread or form words. */
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_ALPHABET = DIGITS + LETTERS;
/** A pattern for a character of a code, to use with the flag `i`. */
export const CODE_UNIT = `[${CODE_ALPHABET}]`;
/** 40 bits. A response tests at most a few dozen guesses (see limits.ts), so a search needs about 2^35 responses. */
export const MIN_CODE = 8;
/** 80 bits. A collision at this length is a bug. */
export const MAX_CODE = 16;

/** Codes that are remembered, of all sessions. Each takes about 150 bytes. */
const MAX_REMEMBERED = 10_000;

/**
 * The codes that were derived last with each key. A value occurs in each message of a conversation and in the answers, and
 * a digest takes half the time of an HMAC. Nothing tells the value: neither the digest nor the code, which models see.
 */
const remembered = new WeakMap<KeyObject, Recent<string>>();

/** The label of a pseudonym in its canonical form. */
export function labelIn(pseudonym: Pseudonym): Label {
  return pseudonym.slice(1, pseudonym.lastIndexOf('_'));
}

/** The code of a pseudonym in its canonical form. */
export function codeIn(pseudonym: Pseudonym): string {
  return pseudonym.slice(pseudonym.lastIndexOf('_') + 1, -1);
}

/** @param label empty: that of whatever pseudonym has the code */
export function pseudonymOf(label: Label, code: string): Pseudonym {
  return `<${label}_${code}>` as Pseudonym;
}

/** A value of a session and its pseudonym. The code is the first `length` of the digits. */
export interface Entry {
  readonly label: Label;
  /** In its stored form: see encoding.ts. */
  readonly stored: string;
  readonly digits: string;
  readonly length: number;
  readonly pseudonym: Pseudonym;
}

export function entryOf(label: Label, stored: string, digits: string, length = MIN_CODE): Entry {
  return { label, stored, digits, length, pseudonym: pseudonymOf(label, digits.slice(0, length)) };
}

/**
 * Derives the pseudonyms of one session, or of all calls of a team. A code is the beginning of HMAC-SHA-256 under the
 * session key over this scope, label and value, in base 32. It has 8 characters, with at least one digit and one letter, so that it is neither a
 * word nor a number. It becomes longer if it collides with another one. A card, account or phone number in another spelling has
 * the code of the number, with two characters more that are its own: a model can compare them, and each is restored as it was
 * written.
 *
 * A value therefore has the same pseudonym in every turn, on every replica and after a loss of the store. Pseudonyms
 * cannot be guessed, and {@link isCodeOf} can check that a stored value belongs to a pseudonym.
 *
 * Remaining risk: the codes of two values with the same label collide with a probability of about 2^-40 at 8
 * characters. The request or the store detects this if it knows both values. Suppose the store loses one value after
 * its pseudonym was sent, and a later call contains the other value. Then the pseudonym, still in use, is restored to
 * the other value. Both values belong to the same session.
 */
export class Pseudonyms {
  private readonly key: KeyObject;
  private readonly scope: string;
  private readonly recent: Recent<string>;

  /** @param scope the id of the calls in which a value has the same pseudonym */
  constructor(key: KeyObject, scope: string) {
    this.key = key;
    this.scope = scope;
    this.recent = remembered.get(key) ?? new Recent(MAX_REMEMBERED);
    remembered.set(key, this.recent);
  }

  entry(label: Label, stored: string): Entry {
    const value = sameValue(label, stored);
    if (value === stored) return entryOf(label, stored, this.digits(label, stored));
    return entryOf(label, stored, this.spelledDigits(label, stored, value), MIN_CODE + SPELLING);
  }

  /** Whether the pseudonym was derived from this stored value, by this version or by one without codes of spellings. */
  isCodeOf(pseudonym: Pseudonym, stored: string): boolean {
    const [label, code] = [labelIn(pseudonym), codeIn(pseudonym)];
    if (this.digits(label, stored).startsWith(code)) return true;
    const value = sameValue(label, stored);
    const isSpelled = value !== stored && code.length >= MIN_CODE + SPELLING;
    return isSpelled && this.spelledDigits(label, stored, value).startsWith(code);
  }

  private spelledDigits(label: Label, stored: string, value: string): string {
    return this.digits(label, value).slice(0, MIN_CODE) + this.digits(label, stored).slice(0, MAX_CODE - MIN_CODE);
  }

  private digits(label: Label, stored: string): string {
    const name = processDigest(JSON.stringify([this.scope, label, stored]));
    const known = this.recent.get(name);
    if (known !== undefined) return known;
    const digits = this.derive(label, stored);
    this.recent.set(name, digits);
    return digits;
  }

  private derive(label: Label, stored: string): string {
    // About one code in twenty has no digit or no letter.
    for (let attempt = 0; ; attempt++) {
      const digits = base32(
        createHmac('sha256', this.key)
          .update(JSON.stringify(['pseudonym', this.scope, label, stored, attempt]))
          .digest(),
      );
      const code = digits.slice(0, MIN_CODE);
      if (/[0-9]/.test(code) && /[A-Z]/.test(code)) return digits;
    }
  }
}

/** The number of characters of a code that distinguish the spellings of a value. */
const SPELLING = 2;
const SEPARATORS = /[\s()./\u2010-\u2013-]/g;
/** How each spelling of a value becomes the same, by label. */
const SAME: Partial<Record<Label, (stored: string) => string>> = {
  CREDIT_CARD: (stored) => stored.replace(SEPARATORS, ''),
  PHONE_NUMBER: (stored) =>
    stored
      .replace(/^(\+|00)(.*?)\(0\)/, '$1$2')
      .replace(SEPARATORS, '')
      .replace(/^00/, '+'),
  IBAN: (stored) => stored.replace(SEPARATORS, '').toUpperCase(),
  IBAN_CODE: (stored) => stored.replace(SEPARATORS, '').toUpperCase(),
};

/** The value in the spelling that all its spellings have in common. */
function sameValue(label: Label, stored: string): string {
  const value = SAME[label]?.(stored) ?? stored;
  return /^\+?[0-9A-Z]+$/.test(value) ? value : stored;
}

/** Encodes the first 80 bits. */
function base32(bytes: Buffer): string {
  let digits = '';
  for (let bit = 0; digits.length < MAX_CODE; bit += 5) {
    digits += CODE_ALPHABET.charAt((bytes.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31);
  }
  return digits;
}

/**
 * Returns the entry with a longer code. @throws Error if the code has the maximum length, which never happens by chance
 */
export function lengthen(entry: Entry): Entry {
  if (entry.length === MAX_CODE)
    throw new Error('No pseudonym is available for a value: its codes collide at every length.');
  return entryOf(entry.label, entry.stored, entry.digits, entry.length + 1);
}

/**
 * Lengthens entries until all pseudonyms are distinct and no code is taken. Of a colliding pair, the later entry becomes longer:
 * a message that was sent keeps its pseudonyms when a later one brings new values.
 * @param entries in the order of the messages that have them first
 */
export function separate(entries: readonly Entry[], isTaken: (code: string, entry: Entry) => boolean): Entry[] {
  const used = new Set<Pseudonym>();
  return entries.map((entry) => {
    let own = entry;
    while (used.has(own.pseudonym) || isTaken(own.digits.slice(0, own.length), own)) own = lengthen(own);
    used.add(own.pseudonym);
    return own;
  });
}
