import type { Span } from './contract.ts';

/** The end of a line, and the marks that begin the next one: `> ` in a quoted message, `# ` in a comment, `- ` in a list. */
const markedLine = /[ \t]*\r?\n[ \t]*(?:[>|*?•;/-]|#(?!\d))[ \t>|#*?•;/-]*/g;

/**
 * Splits addresses where a line begins with marks. The marks belong to the text: they stay, and the lines of the address are the
 * same values as in a text without them.
 */
export function withAddressLines(text: string, spans: readonly Span[]): readonly Span[] {
  const hasLines = ({ type, start, end }: Span): boolean => type === 'ADDRESS' && text.slice(start, end).includes('\n');
  if (!spans.some(hasLines)) return spans;
  return spans.flatMap((span) => (hasLines(span) ? linesOf(text, span) : span));
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
