import { unitAt } from '../unitAt.ts';
import type { Span } from './contract.ts';
import { smallWords } from './languages/smallWords.ts';
import { courtesyTitle } from './titles.ts';

/** A particle, often with a capital, as family names without a given name have it: "mevrouw De Vries". */
const PARTICLE = `(?:${smallWords('inName').replace(/(?<=^|\|)\p{L}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`)})`;
/** It looks back from the place of a name. */
const titled = new RegExp(
  String.raw`(?<=(?<![\p{L}\p{N}])${courtesyTitle}\.? (?<particles>(?:${PARTICLE} ){0,3}))`,
  'uy',
);
const initials = /(?<=(?<![\p{L}\p{N}.])((?:\p{Lu}\.){1,3}))/uy;
const FULL_STOP = '.'.charCodeAt(0);
const begins = new RegExp(`^(?:${PARTICLE} |[ODL]['’])`);
/** The beginning of "O'Brien" and "D'Angelo". What was found begins with the apostrophe, or after it. */
const elided = /(?<![\p{L}\p{N}])[OD](?<apostrophe>['’]?)$/u;
const mayBeElided = new Set(Array.from("OD'’", (character) => character.charCodeAt(0)));
const APOSTROPHE = /^['’]/;
const APART = "'".length;

/**
 * Completes family names by what stands before them, and makes those with a particle private after a title: with it, "Van
 * Houten" is a person and not the cocoa. Other famous names stay public: "Mr. Bean".
 */
export function withFamilyNames(text: string, spans: readonly Span[]): readonly Span[] {
  const isPerson = ({ type }: Span): boolean => type === 'PERSON' || type === 'PUBLIC_PERSON';
  if (!spans.some(isPerson)) return spans;
  const cutOff = new Set<number>();
  const whole = spans.map((span) => {
    if (!isPerson(span)) return span;
    const name = elidedName(text, withInitials(text, span));
    if (name.start < span.start) cutOff.add(span.start - APART).add(span.start);
    return titledName(text, name);
  });
  // The other part: "Dr O" of "Dr O'Conner".
  return cutOff.size === 0 ? whole : whole.filter((span) => !(isPerson(span) && cutOff.has(span.end)));
}

/** The other initials directly before a name: "J." of "J.P. van der Meulen". */
function withInitials(text: string, span: Span): Span {
  if (unitAt(text, span.start - 1) !== FULL_STOP) return span;
  initials.lastIndex = span.start;
  const length = initials.exec(text)?.[1]?.length ?? 0;
  return length === 0 ? span : { ...span, start: span.start - length };
}

function elidedName(text: string, span: Span): Span {
  if (!mayBeElided.has(unitAt(text, span.start - 1))) return span;
  const match = elided.exec(text.slice(Math.max(0, span.start - 3), span.start));
  if (!match) return span;
  const hasApostrophe = match.groups?.apostrophe !== '';
  const isCutOff = hasApostrophe !== APOSTROPHE.test(text.slice(span.start, span.end));
  return isCutOff ? { ...span, start: span.start - match[0].length } : span;
}

function titledName(text: string, span: Span): Span {
  titled.lastIndex = span.start;
  const particles = titled.exec(text)?.groups?.particles;
  if (particles === undefined) return span;
  const hasParticle = particles !== '' || begins.test(text.slice(span.start, span.end));
  return hasParticle ? { ...span, start: span.start - particles.length, type: 'PERSON', rule: 'familyName' } : span;
}
