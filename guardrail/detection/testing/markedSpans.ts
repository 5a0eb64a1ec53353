import type { Span } from '../contract.ts';

/**
 * Applies a function to the spans that are marked in a text, and marks the resulting ones.
 * @param text with marks like `<Ulm|ADDRESS>`, or with a score: `<Ulm|PERSON|0.4>`
 * @returns the text with the resulting spans, without scores.
 */
export function withMarks(text: string, apply: (plain: string, spans: readonly Span[]) => readonly Span[]): string {
  let plain = '';
  const spans: Span[] = [];
  for (const part of text.split(/(<[^<>|]*\|[A-Z]+(?:\|[\d.]+)?>)/)) {
    const [, value, type, score = '1'] = /^<(.*)\|([A-Z]+)(?:\|([\d.]+))?>$/s.exec(part) ?? [];
    if (value !== undefined && type !== undefined)
      spans.push({
        start: plain.length,
        end: plain.length + value.length,
        type,
        score: Number(score),
        detector: 'fixed',
        rule: 'fixed',
      });
    plain += value ?? part;
  }
  let from = 0;
  let shown = '';
  for (const { type, start, end } of apply(plain, spans)) {
    shown += `${plain.slice(from, start)}<${plain.slice(start, end)}|${type}>`;
    from = end;
  }
  return shown + plain.slice(from);
}
