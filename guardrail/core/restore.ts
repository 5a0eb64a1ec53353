import type { Pseudonym } from '../ids.ts';
import type { Grammar, TagMatch, Unfinished } from './grammar.ts';
import { escapeJson, jsonDepths } from './json.ts';
import { isPlain, spell, type Stored } from './spelling.ts';
import type { StringKind } from './walk.ts';

/** What the grammar sees in one text of an answer, before anybody has asked the store. */
export interface Reading {
  readonly text: string;
  readonly matches: readonly TagMatch[];
  readonly unfinished: readonly Unfinished[];
}

export interface Restored {
  readonly text: string;
  /** How many code units at the end of `text` a longer answer could still change: no fewer, and no more. */
  readonly holdback: number;
}

export function readText(grammar: Grammar, text: string): Reading {
  const matches = grammar.find(text);
  return { text, matches, unfinished: grammar.unfinished(text, matches) };
}

export function pseudonymsIn({ matches, unfinished }: Reading): Pseudonym[] {
  return [...matches.map((match) => match.pseudonym), ...unfinished.flatMap((place) => place.onlyIfKnown ?? [])];
}

/**
 * Puts values in the place of the pseudonyms that are known, in one pass over the text. Where a pseudonym stands in a
 * JSON string, the value is written as JSON writes it there, whether the text is an answer or a tool call's arguments:
 * which of both it is depends on nothing behind it, so an answer that is still growing reads the same.
 */
export function restoreText(reading: Reading, values: ReadonlyMap<Pseudonym, Stored>, kind: StringKind): Restored {
  const { text } = reading;
  const known = reading.matches.filter((match) => values.has(match.pseudonym));
  const depths = depthsOf(text, known, values);
  const settled = reading.unfinished.find((place) => !place.onlyIfKnown || values.has(place.onlyIfKnown))?.from;
  let restored = '';
  let cursor = 0;
  let stable: number | undefined;
  const copyTo = (place: number): void => {
    if (settled !== undefined && stable === undefined && settled < place) stable = restored.length + settled - cursor;
    restored += text.slice(cursor, place);
    cursor = place;
  };
  known.forEach((match, index) => {
    const stored = values.get(match.pseudonym);
    if (!stored) return;
    const depth = depths?.[index] ?? 0;
    const quote = kind === 'arguments' ? quoteAroundNumber(text, match, stored, depth) : 0;
    copyTo(match.start - quote);
    if (stable === undefined && settled === match.start) stable = restored.length;
    restored += match.before + spell(stored, depth, match.form === 'escaped') + match.after;
    cursor = match.end + quote;
  });
  copyTo(text.length);
  return { text: restored, holdback: holdbackOf(restored, stable) };
}

/** The places in JSON, where that makes any difference. */
function depthsOf(
  text: string,
  known: readonly TagMatch[],
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
function quoteAroundNumber(text: string, match: TagMatch, stored: Stored, depth: number): number {
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
