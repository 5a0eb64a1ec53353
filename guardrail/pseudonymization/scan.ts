import { TooManyValuesError } from '../detection/detection.ts';
import { STEP_UNITS, type Steps } from '../eventLoop.ts';
import type { Pseudonym } from '../ids.ts';
import type { Checkpoint } from './checkpoint.ts';
import { LOOK_BACK, type Grammar, type PseudonymMatch, type Unfinished } from './grammar.ts';
import { settledPlace } from './held.ts';

/** The pseudonyms that the grammar finds in one text of a response, known or unknown. */
export interface ScannedText {
  readonly text: string;
  readonly matches: readonly PseudonymMatch[];
  readonly unfinished: readonly Unfinished[];
  readonly growth?: Growth;
}

/** How a text continues the text of an earlier call, and how a later call continues it. */
interface Growth {
  /** Undefined: it continues none. */
  readonly from: Checkpoint | undefined;
  /** The place of the next checkpoint. */
  readonly place: number;
}

export function* scanText(grammar: Grammar, text: string): Steps<ScannedText> {
  const matches = yield* matchesIn(grammar, text);
  return { text, matches, unfinished: grammar.unfinished(text, matches) };
}

/**
 * Scans a text that a later call may continue. The result is the same, but only what is new is searched.
 * @param from the checkpoint of an earlier call, for a beginning of this text
 */
export function* scanGrowingText(grammar: Grammar, text: string, from: Checkpoint | undefined): Steps<ScannedText> {
  const matches = [...(from?.matches ?? []), ...(yield* matchesIn(grammar, text, from?.place))];
  const growth = { from, place: settledPlace(grammar, 'text', text, matches, from?.place ?? 0) };
  return { text, matches, unfinished: grammar.unfinished(text, matches), growth };
}

/**
 * As {@link Grammar.find}, in steps.
 * @param units the length of a step; for tests
 */
export function* matchesIn(grammar: Grammar, text: string, from = 0, units = STEP_UNITS): Steps<PseudonymMatch[]> {
  if (text.length - from <= 2 * units) return grammar.find(text, from);
  const matches: PseudonymMatch[] = [];
  for (let at = from; at < text.length;) {
    // The grammar reads a few characters before the place where it begins.
    const base = Math.max(0, at - LOOK_BACK);
    const isLast = text.length - at <= 2 * units;
    const part = isLast ? text.slice(base) : text.slice(base, at + units);
    const found = grammar.find(part, at - base);
    const settled = isLast ? part.length : grammar.settled(part, found, at - base);
    for (const match of found) {
      if (match.start < settled) matches.push({ ...match, start: match.start + base, end: match.end + base });
    }
    TooManyValuesError.check(matches.length);
    at = base + settled;
    yield;
  }
  return matches;
}

/** Adds the pseudonyms of a text to a set. */
export function addPseudonyms({ matches, unfinished }: ScannedText, found: Set<Pseudonym>): void {
  for (const { pseudonym } of matches) found.add(pseudonym);
  for (const { onlyIfKnown } of unfinished) if (onlyIfKnown !== undefined) found.add(onlyIfKnown);
}
