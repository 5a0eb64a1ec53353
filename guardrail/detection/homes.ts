import type { Span } from './contract.ts';
import { contextWords } from './languages/languages.ts';
import { byEnding, endsWith } from './text/ending.ts';

/** How far before a place these words may stand, in UTF-16 code units. A date of birth may stand between them. */
const WIDTH = 64;
/** How far from a place the name of the person may stand, in UTF-16 code units. */
const PERSON_WIDTH = 300;

const word = (words: string): string => String.raw`(?<![\p{L}\p{N}])(?:${byEnding(words)})`;
const preposition = String.raw`${word(contextWords('homePreposition'))}\s?`;
/** Tested first, because few places follow one, and the patterns that end with one are long. */
const endsWithPreposition = endsWith(preposition, 'u');
const before = (purpose: 'home' | 'ownHome' | 'self', width: number): ((text: string) => boolean) =>
  endsWith(String.raw`${word(contextWords(purpose))}(?![\p{L}\p{N}])[^!?\n]{0,${width}}${preposition}`, 'u');
const home = before('home', 40);
const ownHome = before('ownHome', 16);
const self = before('self', 40);
const endsWithOwnPlace = endsWith(String.raw`${word(contextWords('ownPlace'))}(?:\s|(?<=['’]))`, 'u');
/** The tagger can count these words to the place. */
const beginsWithOwn = new RegExp(String.raw`^(?:${contextWords('ownPlace')})\s`, 'u');
const homeAfter = new RegExp(String.raw`^,? (?:${contextWords('homeAfter')})(?![\p{L}\p{N}])`, 'u');
const endsWithLabel = endsWith(String.raw`${word(contextWords('town'))}["']?\s?[:=>]\s?["']?`, 'u');

/**
 * Makes a place an address where a private person lives or was born: beside words of the person who writes, and near the name
 * of a person after other words, or in a field.
 */
export function withHomes(text: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some(({ type }) => type === 'LOCATION')) return spans;
  const people = spans.filter(({ type }) => type === 'PERSON');
  const isNear = ({ start, end }: Span): boolean =>
    people.some((person) => person.start - end <= PERSON_WIDTH && start - person.end <= PERSON_WIDTH);
  const isHome = (place: Span): boolean => {
    const from = (at: number): string => text.slice(at, at + WIDTH).toLowerCase();
    const leading = text.slice(Math.max(0, place.start - WIDTH), place.start).toLowerCase();
    if (endsWithOwnPlace(leading) || beginsWithOwn.test(from(place.start))) return true;
    if (!endsWithPreposition(leading)) return endsWithLabel(leading) && isNear(place);
    return ownHome(leading) || (homeAfter.test(from(place.end)) && self(leading)) || (isNear(place) && home(leading));
  };
  return spans.map((span) =>
    span.type === 'LOCATION' && isHome(span) ? { ...span, type: 'ADDRESS', rule: 'home' } : span,
  );
}
