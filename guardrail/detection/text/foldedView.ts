/**
 * A view of a text in which values have their usual form: without encodings, formatting and invisible characters, with
 * ASCII digits, dashes and single spaces. Copies from other programs, files and protocols contain values in many spellings;
 * recognizers and the tagger expect the usual one. A range of the view stands for a range of the text, so that a value is
 * replaced as it was written, and restored byte for byte.
 */
import type { Folding } from './folding.ts';
import { FOLDINGS, nextMatch } from './foldings.ts';

/** A part of a text in its usual form. */
export interface FoldedPart {
  readonly text: string;
  /** The range of the original text that a range of `text` stands for. */
  originalRange(start: number, end: number): OriginalRange;
}

export interface OriginalRange {
  readonly start: number;
  readonly end: number;
  /**
   * How it differs from the folded text: not at all, only in the separators between groups of characters, or in the
   * characters themselves.
   */
  readonly difference: 'none' | 'separators' | 'characters';
}

/** A range that was found in a text. */
interface Found {
  readonly start: number;
  readonly end: number;
}

/**
 * The values of a folded part that the text itself does not show, as ranges of the text.
 * @param isEvidence whether a value that is found in the folded view only is one in the text itself.
 */
export const newValues = <F extends Found>(
  part: FoldedPart,
  values: readonly F[],
  isEvidence: (value: F, range: OriginalRange) => boolean,
): F[] =>
  values.flatMap((value) => {
    const range = part.originalRange(value.start, value.end);
    // Without a difference, the value is found in the text itself.
    const isNew = range.difference !== 'none' && isEvidence(value, range);
    return isNew ? { ...value, start: range.start, end: range.end } : [];
  });

const DIGIT = /\d/;
const SPECIAL = /[\u0300-\uffff\u00a0\u00ad]/;
const RARE_CHARACTER = /[^\w \t\r\n.,:;'"()!/-]/;

/** Context on both sides of a change, in UTF-16 code units: the context words of recognizers, and some words for the tagger. */
const CONTEXT = 160;

/**
 * Folds a text, and returns the parts of the result that differ from the text, with their context. Takes time linear in
 * the length of the text.
 */
export function foldedPartsOf(original: string): FoldedPart[] {
  const has = {
    digit: DIGIT.test(original),
    special: SPECIAL.test(original),
    rareCharacter: RARE_CHARACTER.test(original),
    underscore: original.includes('_'),
  };
  const views: View[] = [];
  let text = original;
  for (const folding of FOLDINGS) {
    if (!has[folding.needs] || folding.mayApply?.(text) === false) continue;
    const view = fold(text, folding);
    if (view === undefined) continue;
    views.push(view);
    text = view.text;
    // A decoded text may contain any character.
    has.digit = has.special = has.rareCharacter = has.underscore = true;
  }
  if (views.length === 0) return [];
  return partsAround(text, changesIn(views)).map(({ start: from, end: to }) => ({
    text: text.slice(from, to),
    originalRange: (start, end) => originalRange(views, from + start, from + end),
  }));
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The result of one folding. */
interface View {
  readonly text: string;
  readonly changes: readonly Change[];
  readonly difference: 'separators' | 'characters';
}

/** The range `start` to `end` of a view replaces the range `from` to `to` of the text before. */
interface Change extends Range {
  readonly from: number;
  readonly to: number;
}

/** @returns undefined if nothing changes */
function fold(text: string, folding: Folding): View | undefined {
  const { pattern, replace, isSeparator } = folding;
  const changes: Change[] = [];
  let folded = '';
  let done = 0;
  for (let match = nextMatch(text, 0, folding); match; match = nextMatch(text, pattern.lastIndex, folding)) {
    const by = replace(match, text);
    if (by === undefined || by === match[0]) continue;
    folded += text.slice(done, match.index);
    done = match.index + match[0].length;
    changes.push({ start: folded.length, end: folded.length + by.length, from: match.index, to: done });
    folded += by;
  }
  if (changes.length === 0) return undefined;
  folded += text.slice(done);
  return { text: folded, changes, difference: isSeparator === true ? 'separators' : 'characters' };
}

/**
 * The range of the original text for a range of the last view. A change of which the range contains a part counts as a
 * whole; removed characters at its edges stay outside.
 */
function originalRange(views: readonly View[], from: number, to: number): OriginalRange {
  let [start, end] = [from, to];
  let difference: OriginalRange['difference'] = 'none';
  for (const { changes, ...view } of views.toReversed()) {
    const first = countOf(changes, (change) => change.end <= start);
    const last = countOf(changes, (change) => change.start < end);
    if (last > first && difference !== 'characters') difference = view.difference;
    const [atStart, atEnd] = [changes[first], changes[last - 1]];
    const hasStart = last > first && atStart !== undefined && atStart.start < start;
    const hasEnd = last > first && atEnd !== undefined && end < atEnd.end;
    const before = changes[first - 1];
    const beforeEnd = changes[last - 1];
    start = hasStart ? atStart.from : before === undefined ? start : before.to + (start - before.end);
    end = hasEnd ? atEnd.to : beforeEnd === undefined ? end : beforeEnd.to + (end - beforeEnd.end);
  }
  return { start, end, difference };
}

/** The number of changes for which a condition holds. It holds for the first ones, up to some point. */
function countOf(changes: readonly Change[], holds: (change: Change) => boolean): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const change = changes[middle];
    if (change !== undefined && holds(change)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The changes of all foldings, as ranges of the last view, in ascending order. */
function changesIn(views: readonly View[]): Range[] {
  const ranges = views.flatMap(({ changes }, index) =>
    views.slice(index + 1).reduce<readonly Range[]>((all, { changes: later }) => all.map(mover(later)), changes),
  );
  return ranges.sort((a, b) => a.start - b.start);
}

/** Creates a function that moves ranges, in ascending order, from the text before a folding to the view. */
function mover(changes: readonly Change[]): (range: Range) => Range {
  let next = 0;
  const move = (at: number): number => {
    while (next < changes.length && (changes[next]?.to ?? 0) <= at) next += 1;
    const [before, current] = [changes[next - 1], changes[next]];
    if (current !== undefined && current.from < at) return current.start;
    return before === undefined ? at : before.end + (at - before.to);
  };
  return ({ start, end }) => {
    const from = move(start);
    return { start: from, end: Math.max(from, move(Math.max(start, end))) };
  };
}

/** The parts of a text around some ranges. Parts that overlap become one. */
function partsAround(text: string, ranges: readonly Range[]): Range[] {
  const parts: { start: number; reach: number }[] = [];
  for (const { start, end } of ranges) {
    const last = parts.at(-1);
    const from = Math.max(0, start - CONTEXT);
    const reach = Math.min(text.length, end + CONTEXT);
    // The word is followed only where the ranges do not overlap anyway: a text can have a range for each character.
    if (last !== undefined && (from <= last.reach || from <= endOfWord(text, last.reach))) {
      last.reach = Math.max(last.reach, reach);
    } else parts.push({ start: startOfWord(text, from), reach });
  }
  return parts.map(({ start, reach }) => ({ start, end: endOfWord(text, reach) }));
}

/** How far a word is followed. A longer one is cut. */
const LONGEST_WORD = 256;
const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

function startOfWord(text: string, at: number): number {
  for (let start = at; start > Math.max(0, at - LONGEST_WORD); start -= 1) if (isSpace(text, start - 1)) return start;
  return Math.max(0, at - LONGEST_WORD);
}

function endOfWord(text: string, at: number): number {
  const last = Math.min(text.length, at + LONGEST_WORD);
  for (let end = at; end < last; end += 1) if (isSpace(text, end)) return end;
  return last;
}
