import type { Span } from './contract.ts';
import { postalLine } from './recognizers/generic/streets.ts';

/** What programs write before each line: its number, or the sign of a diff. */
const numbered = String.raw`[ \t]*\d{1,6}(?:[→|]|\t)[ \t]*`;
const changed = String.raw`[+-][ \t]*`;
const gutters = [numbered, changed].map((source) => ({
  /** Before the first line of a value. */
  before: new RegExp(`^${source}`),
  /** Between two lines of a value, or at the end of one that has the number of the next line. */
  between: new RegExp(String.raw`[ \t]*\r?\n${source}`, 'g'),
  /** Before the line with the postal code and the town, up to its end. */
  postal: new RegExp(String.raw`^[ \t]*,?\r?\n${source}(?<town>${postalLine})[ \t]*(?=\r?\n|$)`, 'u'),
}));
const mayHave = /\n[ \t]*(?:\d{1,6}[→|\t]|[+-])/;

/** How much of a text is read before and after an address, in UTF-16 code units. */
const WIDTH = 160;

/**
 * Takes the numbers and signs of lines out of addresses, and adds the town on the line below a street: editors, tools of agents
 * and diffs write them before each line.
 */
export function withoutGutters(text: string, spans: readonly Span[]): readonly Span[] {
  if (!mayHave.test(text) || !spans.some(({ type }) => type === 'ADDRESS')) return spans;
  return spans.flatMap((span) => (span.type === 'ADDRESS' ? linesOf(text, span) : span));
}

function linesOf(text: string, span: Span): readonly Span[] {
  const line = text.slice(Math.max(text.lastIndexOf('\n', span.start) + 1, span.start - WIDTH), span.start);
  const gutter = gutters.find(({ before }) => before.test(line));
  if (gutter === undefined) return [span];
  const lines: Span[] = [];
  let { start } = span;
  const add = (end: number): void => {
    if (end > start) lines.push({ ...span, start, end });
  };
  const read = text.slice(span.start, span.end + WIDTH);
  for (const { index, 0: gap } of read.matchAll(gutter.between)) {
    if (span.start + index >= span.end) break;
    add(span.start + index);
    start = span.start + index + gap.length;
  }
  add(span.end);
  const end = lines.at(-1)?.end ?? span.end;
  const match = gutter.postal.exec(text.slice(end, end + WIDTH));
  const town = match?.groups?.town;
  if (match === null || town === undefined) return lines;
  const townStart = end + match[0].trimEnd().length - town.length;
  return [...lines, { ...span, start: townStart, end: townStart + town.length, rule: 'address.joined' }];
}
