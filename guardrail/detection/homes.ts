import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';

/** How far before a place these words may stand, in UTF-16 code units. A date of birth may stand between them. */
const WIDTH = 64;
/** How far from a place the name of the person may stand, in UTF-16 code units. */
const PERSON_WIDTH = 300;

const words = (purpose: 'home' | 'ownHome'): RegExp =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}])(?:${contextWords(purpose)})(?![\p{L}\p{N}])[^!?\n]{0,${purpose === 'home' ? 40 : 16}}(?<![\p{L}\p{N}])(?:${contextWords('homePreposition')})\s?$`,
    'u',
  );
const home = words('home');
const ownHome = words('ownHome');
const label = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${contextWords('town')})["']?\s?[:=>]\s?["']?$`, 'u');

/**
 * Makes a place an address where a private person lives or was born: after words of the person who writes, and near the name
 * of a person after other words, or in a field.
 */
export function withHomes(text: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some(({ type }) => type === 'LOCATION')) return spans;
  const people = spans.filter(({ type }) => type === 'PERSON');
  const isNear = ({ start, end }: Span): boolean =>
    people.some((person) => person.start - end <= PERSON_WIDTH && start - person.end <= PERSON_WIDTH);
  const isHome = (place: Span): boolean => {
    const before = text.slice(Math.max(0, place.start - WIDTH), place.start).toLowerCase();
    return ownHome.test(before) || ((home.test(before) || label.test(before)) && isNear(place));
  };
  return spans.map((span) => (span.type === 'LOCATION' && isHome(span) ? { ...span, type: 'ADDRESS' } : span));
}
