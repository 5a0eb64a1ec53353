import type { Pseudonym } from '../ids.ts';
import { escapeJson, jsonDepths, type TextKind } from '../messages/messages.ts';
import { LoadedAddresses, mayLoadAddresses, Place } from './autoload/autoload.ts';
import { ResponseTooLargeError } from './errors.ts';
import type { Grammar, PseudonymMatch, Unfinished } from './grammar.ts';
import { isPlain, encodeAt, type Stored } from './encoding.ts';

/** The pseudonyms that the grammar finds in one text of a response, known or unknown. */
export interface ScannedText {
  readonly text: string;
  readonly matches: readonly PseudonymMatch[];
  readonly unfinished: readonly Unfinished[];
}

export interface Restored {
  readonly text: string;
  /** The holdback: how many code units at the end of `text` a longer response could still change. */
  readonly holdback: number;
  /** Number of pseudonyms replaced by values. */
  readonly restored: number;
  /** Number of known pseudonyms kept because they are in an address that a renderer loads. */
  readonly withheld: number;
  /** Upper bound of the size of `text`. */
  readonly bytes: number;
}

/**
 * Limits the size of a restored response. A value can be longer than its pseudonym, and a response can repeat a
 * pseudonym without limit. The size of a text is therefore computed and spent before the text is built.
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

export function scanText(grammar: Grammar, text: string): ScannedText {
  const matches = grammar.find(text);
  return { text, matches, unfinished: grammar.unfinished(text, matches) };
}

export function pseudonymsIn({ matches, unfinished }: ScannedText): Pseudonym[] {
  return [...matches.map((match) => match.pseudonym), ...unfinished.flatMap((place) => place.onlyIfKnown ?? [])];
}

/**
 * Maximum number of different unknown pseudonyms in a response. A model garbles a code once or twice, and a document
 * that another session left with the provider names a few dozen people at most. A search for the code of a value needs
 * thousands of guesses in a response. Nothing in such a response is restored, so no guess is confirmed.
 */
export const MAX_UNKNOWN = 32;

/**
 * Whether a response contains so many unknown pseudonyms that it looks like a search. An unfinished code at the end of
 * a stream does not count yet, so a response that is a search stays one as it grows.
 */
export function looksLikeEnumeration(scans: Iterable<ScannedText>, values: ReadonlyMap<Pseudonym, Stored>): boolean {
  const unknown = new Set<Pseudonym>();
  for (const { matches, unfinished } of scans) {
    const open = unfinished.find((place) => !place.onlyIfKnown)?.from ?? Infinity;
    for (const { start, pseudonym } of matches) {
      if (start < open && !values.has(pseudonym)) unknown.add(pseudonym);
    }
  }
  return unknown.size > MAX_UNKNOWN;
}

/** A pseudonym whose value is known, and its depth of JSON strings. */
interface Known {
  readonly match: PseudonymMatch;
  readonly stored: Stored;
  readonly depth: number;
}

/**
 * Replaces the known pseudonyms of a text by their values, in one pass. Inside a JSON string, the value is written with
 * JSON escapes, both in text and in arguments. Whether a pseudonym is inside a JSON string depends only on the text
 * before it, so a stream gives the same result.
 *
 * A client displays text: no value is inserted into an address that the client's renderer loads, unless the value is
 * that address. Arguments go to a tool and are not displayed.
 */
export function restoreText(
  scanned: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
  budget?: Budget,
): Restored {
  const known = knownIn(scanned, values);
  const bytes = bytesOf(scanned.text, known);
  budget?.spend(bytes);
  const all = putValues(scanned, known, values, kind);
  if (kind === 'arguments' || known.length === 0 || !mayLoadAddresses(all.text)) return { ...all, withheld: 0, bytes };
  const shown = outsideAddresses(scanned.text, known);
  const withheld = known.length - shown.length;
  return withheld === 0 ? { ...all, withheld, bytes } : { ...putValues(scanned, shown, values, kind), withheld, bytes };
}

/** The size of the restored text or of the original text, whichever is larger. */
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
 * The pseudonyms outside of addresses that a renderer loads. Reads the restored text, because a value can also contain
 * the beginning of an address.
 */
function outsideAddresses(text: string, known: readonly Known[]): Known[] {
  const addresses = new LoadedAddresses();
  const outside: Known[] = [];
  let cursor = 0;
  for (const one of known) {
    const { start, end, before, after } = one.match;
    addresses.feed(text.slice(cursor, start));
    cursor = start;
    // The opening bracket of a pseudonym can also begin an address.
    if (addresses.beginsAddress(text.charCodeAt(start))) continue;
    addresses.feed(before);
    cursor += before.length;
    const { place } = addresses;
    if (place === Place.inside || (place === Place.start && !hasCompleteHost(one.stored))) continue;
    addresses.feed(encoded(one) + after);
    cursor = end;
    outside.push(one);
  }
  return outside;
}

/**
 * Whether a value is an address with a complete host. Loading it reaches only that host, so it can be restored: an
 * image in a user's document is kept. Without a delimiter behind the host, the text that follows could extend the host.
 */
function hasCompleteHost(stored: Stored): boolean {
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

/** The depths of JSON strings; undefined if they make no difference. */
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
 * The length of each quotation mark around a pseudonym that replaced a JSON number; 0 for other pseudonyms. Such a
 * pseudonym is a complete JSON string in square brackets, and its value is a number.
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

/** The holdback. Never splits a surrogate pair. */
function holdbackOf(restored: string, stable = restored.length): number {
  const last = restored.charCodeAt(stable - 1);
  return restored.length - stable + (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
}
