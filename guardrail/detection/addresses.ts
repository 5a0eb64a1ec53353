import { withAddressParts } from './addressParts.ts';
import type { Span } from './contract.ts';

/** What separates the parts of one address: spaces, a line break, a comma or a parenthesis. */
const separator = /^[\s,;|·/(-]{1,3}$/;
/** The same between fields that follow each other, in JSON and XML. */
const nextField = /^(?:["']\s?,\s{0,16}["'][\p{L}\d_-]{1,24}["']\s?:\s?["']|<\/[\w:-]{1,24}>\s{0,16}<[\w:-]{1,24}>)$/u;
/** The end of a line, with a postal code, and the beginning of the next one, as in a quoted message: `> `. */
const lineBreak = /^(?: \d{4,6})?[ \t]{0,2}[,;]?[ \t]{0,2}\r?\n([ \t>|#*?•;/-]{0,8})/;
const lineStart = /^[ \t>|#*?•;/-]{0,8}/;
/** A postal code behind the town or the country, at the end of a line. */
const codeAfter = /^ \d{4,6}(?=[ \t]*(?:\r?\n|$))/;
/** The end of a line, and the marks that begin the next one: `> ` in a quoted message, `# ` in a comment, `- ` in a list. */
const markedLine = /[ \t]*\r?\n[ \t]*(?:[>|*?•;/-]|#(?!\d))[ \t>|#*?•;/-]*/g;
/** The longest text between two parts, in UTF-16 code units. */
const WIDTH = 64;

const isPlace = ({ type }: Span): boolean => type === 'LOCATION' || type === 'ADDRESS';

/** Where the text of the next line begins, if the line ends here and both begin alike; otherwise undefined. */
function nextLine(text: string, from: number): number | undefined {
  const match = lineBreak.exec(text.slice(from, from + WIDTH));
  if (match === null) return undefined;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const [before = ''] = lineStart.exec(text.slice(start, start + WIDTH)) ?? [];
  return before.trim() === (match[1] ?? '').trim() ? from + match[0].length : undefined;
}

/** Whether one place stands on the line below another. A name, for which a town can be taken, may fill one line between them. */
function isBelow(text: string, first: Span, last: Span, nameAt: (start: number) => Span | undefined): boolean {
  const follows = (from: number): boolean => {
    const next = nextLine(text, from);
    // The tagger can count a sign at the beginning of a line to the place.
    return (
      next !== undefined && last.start <= next && text.lastIndexOf('\n', next - 1) < last.start && last.start > from
    );
  };
  if (follows(first.end)) return true;
  const next = nextLine(text, first.end);
  const name = next === undefined ? undefined : nameAt(next);
  return name !== undefined && follows(name.end);
}

const asAddress = (span: Span): Span =>
  span.type === 'ADDRESS' ? span : { ...span, type: 'ADDRESS', rule: 'address.joined' };

/**
 * Finds what belongs to an address, and splits it where a line begins with marks. The marks belong to the text: they stay, and the
 * lines of the address are the same values as in a text without them.
 * @param spans in any order
 */
export function withAddresses(text: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some(isPlace)) return spans;
  return withAddressParts(text, joined(text, spans)).flatMap((span) =>
    hasLines(text, span) ? linesOf(text, span) : span,
  );
}

const hasLines = (text: string, { type, start, end }: Span): boolean =>
  type === 'ADDRESS' && text.slice(start, end).includes('\n');

/**
 * Makes a place part of an address if it contains a number, such as a postal code, or stands beside an address. A number
 * behind it on the line below an address is a part, too.
 */
function joined(text: string, spans: readonly Span[]): readonly Span[] {
  const places = spans.filter(isPlace).toSorted((a, b) => a.start - b.start);
  const addresses = new Set(
    places.filter(({ type, start, end }) => type === 'ADDRESS' || /\d/.test(text.slice(start, end))),
  );
  if (addresses.size === 0) return spans;
  let names: ReadonlyMap<number, Span> | undefined;
  const nameAt = (start: number): Span | undefined =>
    (names ??= new Map(spans.filter((span) => !isPlace(span)).map((span) => [span.start, span]))).get(start);
  const ends = new Map<Span, number>();
  const join = (first: Span | undefined, last: Span | undefined): void => {
    if (!first || !last || (!addresses.has(first) && !addresses.has(last))) return;
    if (last.start - first.end > 2 * WIDTH) return;
    const gap = text.slice(first.end, last.start);
    const below = isBelow(text, first, last, nameAt);
    if (!below && !separator.test(gap) && !nextField.test(gap)) return;
    const code = below ? codeAfter.exec(text.slice(last.end, last.end + WIDTH)) : null;
    if (code) ends.set(last, last.end + code[0].length);
    addresses.add(first).add(last);
  };
  for (let at = 1; at < places.length; at++) join(places[at - 1], places[at]);
  for (let at = places.length - 1; at > 0; at--) join(places[at - 1], places[at]);
  return spans.map((span) => (addresses.has(span) ? { ...asAddress(span), end: ends.get(span) ?? span.end } : span));
}

function linesOf(text: string, span: Span): Span[] {
  const lines: Span[] = [];
  let { start } = span;
  const add = (end: number): void => {
    if (/[\p{L}\p{N}]/u.test(text.slice(start, end))) lines.push({ ...span, start, end });
  };
  for (const { index, 0: gap } of text.slice(span.start, span.end).matchAll(markedLine)) {
    add(span.start + index);
    start = span.start + index + gap.length;
  }
  add(span.end);
  return lines;
}
