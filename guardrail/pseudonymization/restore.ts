import type { Pseudonym } from '../ids.ts';
import { JsonStrings, type TextKind } from '../messages/messages.ts';
import { LoadedAddresses, mayLoadAddresses } from './autoload/autoload.ts';
import { isPlain, type Stored } from './encoding.ts';
import type { Grammar, PseudonymMatch, Unfinished } from './grammar.ts';
import { isHighSurrogate } from './held.ts';
import { Guesses, type Budget } from './limits.ts';
import { Restorer, type Reading } from './restorer.ts';

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

export function scanText(grammar: Grammar, text: string): ScannedText {
  const matches = grammar.find(text);
  return { text, matches, unfinished: grammar.unfinished(text, matches) };
}

export function pseudonymsIn({ matches, unfinished }: ScannedText): Pseudonym[] {
  return [...matches.map((match) => match.pseudonym), ...unfinished.flatMap((place) => place.onlyIfKnown ?? [])];
}

/** Whether a response contains so many unknown pseudonyms that it looks like a search. */
export function looksLikeEnumeration(scans: Iterable<ScannedText>, values: ReadonlyMap<Pseudonym, Stored>): boolean {
  const guesses = new Guesses();
  for (const { matches, unfinished } of scans) {
    for (const match of matches) {
      if (!values.has(match.pseudonym) && isComplete(match, unfinished)) guesses.add(match.pseudonym);
    }
  }
  return guesses.isSearch;
}

/**
 * Whether a pseudonym is not an unfinished code at the end of a text. An unfinished one does not count as a guess yet, so
 * a response that is a search stays one as it grows.
 */
export function isComplete({ start }: PseudonymMatch, unfinished: readonly Unfinished[]): boolean {
  return start < (unfinished.find((place) => !place.onlyIfKnown)?.from ?? Infinity);
}

/** Replaces the known pseudonyms of a text by their values, in one pass: see {@link Restorer}. */
export function restoreText(
  scanned: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
  budget?: Budget,
): Restored {
  const strings = depthMatters(scanned, values);
  const newStrings = (): JsonStrings | undefined => (strings ? new JsonStrings() : undefined);
  const all = putValues(scanned, values, kind, { strings: newStrings() }, budget);
  if (kind === 'arguments' || all.restored === 0 || !mayLoadAddresses(all.text)) return all;
  return putValues(scanned, values, kind, { strings: newStrings(), addresses: new LoadedAddresses() });
}

function putValues(
  { text, matches, unfinished }: ScannedText,
  values: ReadonlyMap<Pseudonym, Stored>,
  kind: TextKind,
  reading: Reading,
  budget?: Budget,
): Restored {
  const settled = unfinished.find((place) => !place.onlyIfKnown || values.has(place.onlyIfKnown))?.from ?? text.length;
  const tally = { restored: 0, withheld: 0 };
  const restorer = new Restorer(kind, reading, tally, budget);
  let cursor = 0;
  let stable: number | undefined;
  for (const match of matches) {
    const stored = values.get(match.pseudonym);
    if (!stored) continue;
    if (settled <= match.start) stable ??= restorer.length + settled - cursor;
    cursor = restorer.put(text, cursor, match, stored);
  }
  stable ??= restorer.length + settled - cursor;
  restorer.copy(text, cursor, text.length);
  const result = restorer.take();
  return { text: result, holdback: holdbackOf(result, stable), ...tally, bytes: restorer.bytes };
}

/** Whether the values of a text depend on the depth of the JSON strings that contain them. */
function depthMatters({ matches }: ScannedText, values: ReadonlyMap<Pseudonym, Stored>): boolean {
  return matches.some(({ pseudonym, form }) => {
    const stored = values.get(pseudonym);
    return stored && (form !== 'other' || stored.kind !== 'value' || !isPlain(stored.value));
  });
}

/** The holdback. Never splits a surrogate pair. */
function holdbackOf(restored: string, stable: number): number {
  const last = restored.charCodeAt(stable - 1);
  return restored.length - stable + (isHighSurrogate(last) ? 1 : 0);
}
