import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';

/** How far before a name these words may stand, in UTF-16 code units. */
const WIDTH = 32;

const introduction = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${contextWords('selfIntroduction')})[\s:,]{1,2}$`, 'u');

/** Makes a public person private where the name introduces who writes: "Hi, I'm Bob Dylan, my order never came". */
export function withIntroductions(text: string, spans: readonly Span[]): readonly Span[] {
  const introduces = ({ start }: Span): boolean =>
    introduction.test(text.slice(Math.max(0, start - WIDTH), start).toLowerCase());
  if (!spans.some(({ type }) => type === 'PUBLIC_PERSON')) return spans;
  return spans.map((span) => (span.type === 'PUBLIC_PERSON' && introduces(span) ? { ...span, type: 'PERSON' } : span));
}
