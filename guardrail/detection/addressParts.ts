import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';
import { streetWords } from './languages/streetWords.ts';

/** How far an address continues beyond what was found of it, in UTF-16 code units. */
const WIDTH = 64;
/** A name with at least this score is no part of an address that stands beside it. */
const SURE = 0.6;

const words = [
  String.raw`(?:\p{Lu}\.){2,4}`,
  String.raw`(?:[dlDLO]['’])?\p{Lu}[\p{L}\p{M}-]*\.?`,
  String.raw`#?\d{1,5}[\p{L}ºª°]{0,2}(?:[-/.]+[\d\p{L}ºª°]{1,4})*[.ºª°]*`,
  String.raw`(?:${contextWords('addressPart')})(?![\p{L}\p{N}])\.?`,
].join('|');
/**
 * A whole word, found in one way: several languages have the same words, and a hostile text would have too many ways to be
 * divided. The reference repeats what the lookahead found first.
 */
const word = String.raw`(?=(?<word>(?:${words})(?![\p{L}\p{M}\p{N}])))\k<word>`;
const separator = String.raw`(?:,?[ \t]{1,2}|,|[ \t][-–·][ \t])`;
/** Words of an address before a find, with a separator behind them. */
const before = new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}.'’-])(?:${word}${separator}){1,10}$`, 'u');
/** Words of an address between two finds, of which the first can be cut off within a word: `3|.º Esq., `, `Dongnae|-ro, `. */
const between = new RegExp(
  String.raw`^(?:[.ºª°]{1,2}|-\p{L}{1,12})?${separator}?(?:${word}${separator}?){0,10}#?$`,
  'u',
);
/** The town behind a street and its number, or the country behind the town, before other punctuation. */
const town = new RegExp(
  String.raw`^, (?:(?:${streetWords('townPreposition')}) )?\p{Lu}[\p{L}\p{M}'’-]{2,24}(?: \p{Lu}[\p{L}\p{M}'’-]{2,24})?(?:\/[A-Z]{2})?(?=[,.;?!)]|\s?(?:\n|$))`,
  'u',
);
const afterAddress = String.raw`, (?:${contextWords('afterAddress')})(?!\p{L})`;
/** A flat or a floor behind what was found: ", 3.º izq.", ", interno 4". */
const dwelling = new RegExp(String.raw`^, (?:${contextWords('dwelling')})(?![\p{L}\p{N}]|[.,:]\d)`, 'iu');
/** What stands where a town can stand: "Milano, Cell. 347 1234567". */
const noTown = new RegExp(`^${afterAddress}`, 'iu');
/** The same at the end of what was found. */
const falseEnd = new RegExp(String.raw`${afterAddress}[\p{L} .!]{0,24}$`, 'iu');
/** Between two parts of the name of a town: `Mezimestí| u |Broumova`. */
const withinTown = new RegExp(`^ (?:${contextWords('townParticle')}) $`);

/** The text before a position: on its line, and behind the spans that are no part of an address. */
function lineBefore(text: string, end: number, spans: readonly Span[]): string {
  let from = Math.max(0, end - WIDTH, text.lastIndexOf('\n', end - 1) + 1);
  for (const span of spans) if (span.end <= end && isOther(span)) from = Math.max(from, span.end);
  return text.slice(from, end);
}

/** A year before a town: "seit 2019 in Kassel". */
const year = new RegExp(String.raw`(?<!\d)(?:19|20)\d{2} (?:${contextWords('homePreposition')}) $`, 'u');

/** The words of an address at the end of a text, if they contain a number. */
function partBefore(line: string): string {
  if (!/\d/.test(line) || year.test(line)) return '';
  const [more = ''] = before.exec(line) ?? [];
  return /\d/.test(more) ? more : '';
}

const isOther = ({ type, score }: Span): boolean =>
  type === 'ADDRESS' || !(type === 'PERSON' || type === 'ORGANIZATION' || type === 'LOCATION') || score >= SURE;

/** Where an address ends, with the town and the country that were not found. No other name that follows is one of them. */
function endOf(text: string, { start, end }: Span, following: readonly Span[]): number {
  if (!text.startsWith(', ', end) || !/\d/.test(text.slice(start, end))) return end;
  const other = following.find(({ type }) => type !== 'LOCATION')?.start ?? text.length;
  let to = end;
  for (let parts = 0; parts < 3; parts++) {
    const next = text.slice(to, to + WIDTH);
    const [flat] = dwelling.exec(next) ?? [];
    const [place] = noTown.test(next) ? [] : (town.exec(next) ?? []);
    const { length } = flat ?? place ?? '';
    // What follows a flat directly is the rest of the address: it is joined with this part.
    const isBetween = flat !== undefined && other - to - length === ', '.length;
    if (to + length > other || isBetween) break;
    to += length;
  }
  return to;
}

/** A find without words at its end that do not belong to an address. */
function withoutFalseEnd(text: string, span: Span): Span {
  const cut = falseEnd.exec(text.slice(Math.max(span.start, span.end - WIDTH), span.end));
  return cut === null ? span : { ...span, end: span.end - cut[0].length };
}

/** The find that an address continues. */
function beginningOf(text: string, { start }: Span, spans: readonly Span[]): Span | undefined {
  const before = spans.at(-1);
  const isPlace = before?.type === 'ADDRESS' || before?.type === 'LOCATION';
  if (isPlace && start - before.end < WIDTH && withinTown.test(text.slice(before.end, start))) return before;
  const last = spans.findLast(isOther);
  if (last?.type !== 'ADDRESS' || start - last.end > WIDTH) return undefined;
  const gap = text.slice(last.end, start);
  return /[\p{L}\p{N}#]/u.test(gap) && between.test(gap) ? last : undefined;
}

const side = new RegExp(String.raw`^(?:${streetWords('stairSide')})\.?$`);

/** Completes addresses of which parts were found: a house number before the street, a floor between street and town. */
export function withAddressParts(text: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some(({ type }) => type === 'ADDRESS')) return spans;
  const whole: Span[] = [];
  const ordered = spans
    .filter(({ start, end, type }) => type !== 'PERSON' || !side.test(text.slice(start, end)))
    .map((span) => (span.type === 'ADDRESS' ? withoutFalseEnd(text, span) : span))
    .toSorted((a, b) => a.start - b.start);
  for (const [at, span] of ordered.entries()) {
    if (span.type !== 'ADDRESS') {
      whole.push(span);
      continue;
    }
    const before = whole.at(-1);
    // Two can find it: the street by its form, and all of it by the words around it.
    const other = before?.type === 'ADDRESS' && span.start < before.end ? before : undefined;
    const beginning = beginningOf(text, span, whole);
    const first = beginning?.start ?? span.start - partBefore(lineBefore(text, span.start, whole)).length;
    const start = Math.min(first, other?.start ?? first);
    // What was found within the address is a part of it.
    while (start < span.start && (whole.at(-1)?.start ?? -1) >= start) whole.pop();
    if (other?.start === start && whole.at(-1) === other) whole.pop();
    const found = { ...span, start, end: Math.max(span.end, other?.end ?? 0) };
    whole.push({
      ...found,
      end: endOf(text, found, ordered.slice(at + 1, at + 4)),
      score: Math.max(span.score, beginning?.score ?? 0, other?.score ?? 0),
    });
  }
  return whole;
}
