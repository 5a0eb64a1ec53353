import type { Pseudonym } from '../ids.ts';
import { escapeJson, jsonDepths, type TextKind } from '../messages/messages.ts';
import { LoadedAddresses, mayLoadAddresses, Place } from './autoload/autoload.ts';
import { AnswerTooLargeError } from './errors.ts';
import type { Grammar, PseudonymMatch, Unfinished } from './grammar.ts';
import { isPlain, encodeAt, type Stored } from './encoding.ts';

/** What the grammar sees in one text of an answer, before anybody has asked the store. */
export interface ScannedText {
  readonly text: string;
  readonly matches: readonly PseudonymMatch[];
  readonly unfinished: readonly Unfinished[];
}

export interface Restored {
  readonly text: string;
  /** How many code units at the end of `text` a longer answer could still change: no fewer. */
  readonly holdback: number;
  /** How many pseudonyms became values, and how many known ones stand where a value must not. */
  readonly restored: number;
  readonly withheld: number;
  /** How many bytes `text` has at most. */
  readonly bytes: number;
}

/**
 * What an answer may still grow to. A value can be longer than its pseudonym, and an answer can repeat a pseudonym as
 * often as its model likes: so the size of a text is known, and paid for, before the text is put together.
 */
export class Budget {
  private left: number;

  /** @param bytes for all texts of an answer together */
  constructor(bytes: number) {
    this.left = bytes;
  }

  /** @throws AnswerTooLargeError */
  spend(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw new AnswerTooLargeError();
  }
}

export function scanText(grammar: Grammar, text: string): ScannedText {
  const matches = grammar.find(text);
  return { text, matches, unfinished: grammar.unfinished(text, matches) };
}

export function pseudonymsIn({ matches, unfinished }: ScannedText): Pseudonym[] {
  return [...matches.map((match) => match.pseudonym), ...unfinished.flatMap((place) => place.onlyIfKnown ?? [])];
}

/**
 * How many different unknown pseudonyms an answer may hold. A model that garbles a code does so once or twice, and a
 * document that another session left with the provider names a few dozen people at most. A search for the code of a value
 * puts thousands of guesses into an answer: then nothing in it is restored, and none of them says whether it was right.
 */
export const MAX_UNKNOWN = 32;

/**
 * Whether an answer holds so many unknown pseudonyms that it looks like a search. A code at the end of a growing answer,
 * of which more may come, does not count yet; so what is a search stays one, however the answer goes on.
 */
export function isSearch(readings: Iterable<ScannedText>, values: ReadonlyMap<Pseudonym, Stored>): boolean {
  const unknown = new Set<Pseudonym>();
  for (const { matches, unfinished } of readings) {
    const open = unfinished.find((place) => !place.onlyIfKnown)?.from ?? Infinity;
    for (const { start, pseudonym } of matches) {
      if (start < open && !values.has(pseudonym)) unknown.add(pseudonym);
    }
  }
  return unknown.size > MAX_UNKNOWN;
}

/** A pseudonym whose value is known, and how deep in JSON strings it stands. */
interface Known {
  readonly match: PseudonymMatch;
  readonly stored: Stored;
  readonly depth: number;
}

/**
 * Puts values in the place of the pseudonyms that are known, in one pass over the text. Where a pseudonym stands in a
 * JSON string, the value is written as JSON writes it there, whether the text is an answer or a tool call's arguments:
 * which of both it is depends on nothing behind it, so an answer that is still growing reads the same.
 *
 * In text, which a client shows, no value goes into an address that the client's renderer loads by itself, unless it is
 * that address. Arguments go to a tool and are not shown.
 */
export function restoreText(
  reading: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
  budget?: Budget,
): Restored {
  const known = knownIn(reading, values);
  const bytes = bytesOf(reading.text, known);
  budget?.spend(bytes);
  const all = putValues(reading, known, values, kind);
  if (kind === 'arguments' || known.length === 0 || !mayLoadAddresses(all.text)) return { ...all, withheld: 0, bytes };
  const shown = outsideAddresses(reading.text, known);
  const withheld = known.length - shown.length;
  return withheld === 0 ? { ...all, withheld, bytes } : { ...putValues(reading, shown, values, kind), withheld, bytes };
}

/** The size of a text with all values in it, or of the text as it is, where that is larger. */
function bytesOf(text: string, known: readonly Known[]): number {
  const before = Buffer.byteLength(text);
  const sizes = new Map<string, number>();
  let after = before;
  for (const one of known) {
    const { start, end, pseudonym, form } = one.match;
    const spelling = `${pseudonym}${one.depth}${form === 'escaped' ? 'e' : ''}`;
    const size = sizes.get(spelling) ?? Buffer.byteLength(encoded(one));
    sizes.set(spelling, size);
    after += size - (end - start);
  }
  return Math.max(before, after);
}

/**
 * The pseudonyms that stand in no address that is loaded. The text is read as it will be shown, with the values in it:
 * a value can hold the beginning of an address too.
 */
function outsideAddresses(text: string, known: readonly Known[]): Known[] {
  const addresses = new LoadedAddresses();
  const outside: Known[] = [];
  let cursor = 0;
  for (const one of known) {
    const { start, end, before, after } = one.match;
    addresses.feed(text.slice(cursor, start));
    cursor = start;
    // The bracket that goes with a pseudonym may be the one that begins an address.
    if (addresses.beginsAddress(text.charCodeAt(start))) continue;
    addresses.feed(before);
    cursor += before.length;
    const { place } = addresses;
    if (place === Place.inside || (place === Place.start && !namesItsHost(one.stored))) continue;
    addresses.feed(encoded(one) + after);
    cursor = end;
    outside.push(one);
  }
  return outside;
}

/**
 * A whole address, up to the end of its host at least, goes to nobody but that host. So a picture that a user has in a
 * document comes back in it. Where the host has no end, what follows could make it part of another one.
 */
function namesItsHost(stored: Stored): boolean {
  return stored.kind === 'value' && /^https?:\/\/[a-z0-9.-]+(?::\d+)?[/?#]/i.test(stored.value);
}

function knownIn({ text, matches }: ScannedText, values: ReadonlyMap<Pseudonym, Stored>): Known[] {
  const known = matches.filter((match) => values.has(match.pseudonym));
  const depths = depthsOf(text, known, values);
  return known.flatMap((match, index) => {
    const stored = values.get(match.pseudonym);
    return stored ? [{ match, stored, depth: depths?.[index] ?? 0 }] : [];
  });
}

function encoded({ match, stored, depth }: Known): string {
  return encodeAt(stored, depth, match.form === 'escaped');
}

function putValues(
  { text, unfinished }: ScannedText,
  known: readonly Known[],
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
): Omit<Restored, 'withheld' | 'bytes'> {
  const settled = unfinished.find((place) => !place.onlyIfKnown || values.has(place.onlyIfKnown))?.from;
  let restored = '';
  let cursor = 0;
  let stable: number | undefined;
  const copyTo = (place: number): void => {
    if (settled !== undefined && stable === undefined && settled < place) stable = restored.length + settled - cursor;
    restored += text.slice(cursor, place);
    cursor = place;
  };
  for (const one of known) {
    const { match, stored, depth } = one;
    const quote = kind === 'arguments' ? quoteAroundNumber(text, match, stored, depth) : 0;
    copyTo(match.start - quote);
    if (stable === undefined && settled === match.start) stable = restored.length;
    restored += match.before + encoded(one) + match.after;
    cursor = match.end + quote;
  }
  copyTo(text.length);
  return { text: restored, holdback: holdbackOf(restored, stable), restored: known.length };
}

/** The places in JSON, where that makes any difference. */
function depthsOf(
  text: string,
  known: readonly PseudonymMatch[],
  values: ReadonlyMap<Pseudonym, Stored>,
): number[] | undefined {
  const matters = known.some((match) => {
    const stored = values.get(match.pseudonym);
    return match.form !== 'other' || stored?.kind !== 'value' || !isPlain(stored.value);
  });
  return matters
    ? jsonDepths(
        text,
        known.map((match) => match.start),
      )
    : undefined;
}

/**
 * The length of the quotation marks around a pseudonym that took the place of a JSON number; 0 around any other. It is
 * all of a JSON string, in square brackets, and stands for a number.
 */
function quoteAroundNumber(text: string, match: PseudonymMatch, stored: Stored, depth: number): number {
  const isNumber = stored.kind === 'value' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(stored.value);
  if (depth === 0 || match.form !== 'square' || !isNumber) return 0;
  const quote = escapeJson('"', depth - 1);
  const start = match.start - quote.length;
  const isString =
    text.startsWith(quote, start) && text.startsWith(quote, match.end) && text.charAt(start - 1) !== '\\';
  return isString ? quote.length : 0;
}

/** A pair of surrogates is shown whole or not at all. */
function holdbackOf(restored: string, stable = restored.length): number {
  const last = restored.charCodeAt(stable - 1);
  return restored.length - stable + (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
}
