import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';

/** How far before a name its title may begin, in UTF-16 code units. */
const WIDTH = 32;
/** A particle with a capital, as family names without a given name have it: "mevrouw De Vries". */
const PARTICLE = '(?:De|Da|Di|Du|Del|Della|Das|Dos|Van|Von|Der|Den|Ten|Ter|La|Le|El)';
/** In any case. With Node 26.10, `(?i:…)` loses its effect in a process with very many patterns. */
const title = contextWords('courtesyTitle').replace(/\p{L}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
const titled = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${title})\.? (?<particles>(?:${PARTICLE} ){0,3})$`, 'u');
const begins = new RegExp(`^${PARTICLE} `);

/**
 * Completes family names behind a title by their particles, and makes them private: with a title, "Van Houten" is a person and
 * not the cocoa. Famous names without a particle stay public: "Mr. Bean".
 */
export function withTitledNames(text: string, spans: readonly Span[]): readonly Span[] {
  return spans.some(isPerson) ? spans.map((span) => (isPerson(span) ? titledName(text, span) : span)) : spans;
}

const isPerson = ({ type }: Span): boolean => type === 'PERSON' || type === 'PUBLIC_PERSON';

function titledName(text: string, span: Span): Span {
  const before = text.slice(Math.max(0, span.start - WIDTH), span.start);
  const particles = titled.exec(before)?.groups?.particles;
  if (particles === undefined) return span;
  const isCapital = particles !== '' || begins.test(text.slice(span.start, span.end));
  return isCapital ? { ...span, start: span.start - particles.length, type: 'PERSON' } : span;
}
