/** Decides what a text that arrives in pieces must hold back. */
import { MAX_DEPTH, type TextKind } from '../messages/messages.ts';
import type { Grammar, PseudonymMatch } from './grammar.ts';
import { mayBeArguments } from './restorer.ts';

/** The length of a quotation mark with the JSON escapes of the greatest depth. */
const MAX_QUOTE = 2 ** (MAX_DEPTH - 1);

/**
 * What a decision about a pseudonym reads before what is held back, in code units: a quotation mark, and the character
 * before it. The grammar reads one character.
 */
export const CONTEXT = MAX_QUOTE + 1;

/** At the end of a text: a quotation mark with its escapes, or the beginning of one. */
const QUOTE_AT_END = /\\*"?$/;

/**
 * The place of a text before which everything is decided, whatever follows: the pseudonyms, the quotation marks around a
 * number in arguments, and surrogate pairs. At most {@link MAX_HELD} code units before the end. No pseudonym contains it.
 * @param found the matches in the text, from `from` on
 * @param from the place before which the text was decided earlier
 */
export function settledPlace(
  grammar: Grammar,
  kind: TextKind,
  text: string,
  found: readonly PseudonymMatch[],
  from: number,
): number {
  const settled = grammar.settled(text, found, from);
  const place = mayBeArguments(kind) ? beforeQuote(text, found, settled, from) : settled;
  const isHalf = place === text.length && isHighSurrogate(text.charCodeAt(place - 1));
  return isHalf ? place - 1 : place;
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** A pseudonym in square brackets may be a number, which loses the quotation marks before and after it. */
function beforeQuote(text: string, found: readonly PseudonymMatch[], settled: number, from: number): number {
  const at = found.findLastIndex(({ start }) => start < settled);
  const last = found[at];
  const endOf = (match: PseudonymMatch | undefined): number => match?.end ?? from;
  if (last?.form === 'square' && isUndecided(text.slice(last.end, last.end + MAX_QUOTE)))
    return startOfQuote(text, last.start, endOf(found[at - 1]));
  const mayBeNumber = settled === text.length || text.charAt(settled) === '[';
  return mayBeNumber ? startOfQuote(text, settled, endOf(last)) : settled;
}

/** Whether the text after a pseudonym can still become a quotation mark. */
function isUndecided(rest: string): boolean {
  return rest.length < MAX_QUOTE && /^\\*$/.test(rest);
}

function startOfQuote(text: string, end: number, from: number): number {
  const quote = QUOTE_AT_END.exec(text.slice(Math.max(from, end - MAX_QUOTE), end));
  return end - (quote?.[0].length ?? 0);
}
