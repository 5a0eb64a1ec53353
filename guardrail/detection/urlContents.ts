import type { Span } from './contract.ts';
import { hasPattern } from './spans.ts';

/** The least score of a value that makes its URL personal. A lower one can be the number of an article. */
const SURE = 0.8;

const isUrl = ({ type }: Span): boolean => type === 'URL' || type === 'PUBLIC_URL';

/** Makes each public URL that contains a personal value a `URL`: it is then replaced as a whole. */
export function withPersonalUrls(spans: readonly Span[]): readonly Span[] {
  if (!spans.some(({ type }) => type === 'PUBLIC_URL')) return spans;
  const values = spans.filter((span) => hasPattern(span) && !isUrl(span) && span.score >= SURE);
  return spans.map((span) =>
    span.type === 'PUBLIC_URL' && values.some(({ start, end }) => span.start <= start && end <= span.end)
      ? { ...span, type: 'URL', rule: 'personalUrl' }
      : span,
  );
}
