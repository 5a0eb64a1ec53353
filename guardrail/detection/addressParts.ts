import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';

/** How far an address continues beyond what was found of it, in UTF-16 code units. */
const WIDTH = 64;
/** A name with at least this score is no part of an address that stands beside it. */
const SURE = 0.6;

const word = [
  String.raw`(?:[dlDLO]['’])?\p{Lu}[\p{L}\p{M}-]*\.?`,
  String.raw`\d{1,5}[\p{L}ºª°]{0,2}(?:[-/.]+[\d\p{L}ºª°]{1,4})*[.ºª°]*`,
  String.raw`(?:${contextWords('addressPart')})(?![\p{L}\p{N}])\.?`,
].join('|');
const separator = String.raw`(?:,?[ \t]{1,2}|,|[ \t][-–·][ \t])`;
/** Words of an address before a find, with a separator behind them. */
const before = new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}.'’-])(?:(?:${word})${separator}){1,10}$`, 'u');
/** Words of an address between two finds, of which the first can be cut off within a word: `3|.º Esq., `, `Dongnae|-ro, `. */
const between = new RegExp(
  String.raw`^(?:[.ºª°]{1,2}|-\p{L}{1,12})?${separator}?(?:(?:${word})${separator}?){0,10}$`,
  'u',
);
/** The town behind a street and its number, before other punctuation. */
const town = /^, \p{Lu}[\p{L}\p{M}'’-]{2,24}(?: \p{Lu}[\p{L}\p{M}'’-]{2,24})?(?:\/[A-Z]{2})?(?=[,.;)]|\s?(?:\n|$))/u;

/** The text before a position: on its line, and behind the spans that are no part of an address. */
function lineBefore(text: string, end: number, spans: readonly Span[]): string {
  let from = Math.max(0, end - WIDTH, text.lastIndexOf('\n', end - 1) + 1);
  for (const span of spans) if (span.end <= end && isOther(span)) from = Math.max(from, span.end);
  return text.slice(from, end);
}

/** The words of an address at the end of a text, if they contain a number. */
function partBefore(line: string): string {
  if (!/\d/.test(line)) return '';
  const [more = ''] = before.exec(line) ?? [];
  return /\d/.test(more) ? more : '';
}

const isOther = ({ type, score }: Span): boolean =>
  type === 'ADDRESS' || !(type === 'PERSON' || type === 'ORGANIZATION' || type === 'LOCATION') || score >= SURE;

/** Where an address ends, with the town that was not found. */
function endOf(text: string, { start, end }: Span, next: Span | undefined): number {
  if (!/\d/.test(text.slice(start, end))) return end;
  const length = town.exec(text.slice(end, end + WIDTH))?.[0].length ?? 0;
  return next && next.start < end + length ? end : end + length;
}

/** Completes addresses of which parts were found: a house number before the street, a floor between street and town. */
export function withAddressParts(text: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some(({ type }) => type === 'ADDRESS')) return spans;
  const whole: Span[] = [];
  const ordered = spans.toSorted((a, b) => a.start - b.start);
  for (const [at, span] of ordered.entries()) {
    if (span.type !== 'ADDRESS') {
      whole.push(span);
      continue;
    }
    const last = whole.findLast(isOther);
    const gap = last?.type === 'ADDRESS' ? text.slice(last.end, span.start) : '';
    const continues = gap.length <= WIDTH && /[\p{L}\p{N}]/u.test(gap) && between.test(gap);
    const start = continues && last ? last.start : span.start - partBefore(lineBefore(text, span.start, whole)).length;
    // What was found within the address is a part of it.
    while (start < span.start && (whole.at(-1)?.start ?? -1) >= start) whole.pop();
    whole.push({
      ...span,
      start,
      end: endOf(text, span, ordered[at + 1]),
      score: Math.max(span.score, continues && last ? last.score : 0),
    });
  }
  return whole;
}
