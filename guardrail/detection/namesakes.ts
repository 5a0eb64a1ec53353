import type { Span } from './contract.ts';
import { Phrases } from './policy/phrases.ts';
import type { MessageRange } from './messageRanges.ts';
import { addNames, type KnownName } from './repetition.ts';

/**
 * Corrects values by other values of the same message and of those before it: a public person becomes a `PERSON` if the name
 * or a part of it is that of a private person, a public URL becomes a `URL` if it contains the name of one, and a place becomes
 * an `ADDRESS` if it is one elsewhere.
 * @param found the spans of each text
 * @param ranges the texts of each message
 */
export function withNamesakes(
  texts: readonly string[],
  found: readonly (readonly Span[])[],
  ranges: readonly MessageRange[],
): readonly (readonly Span[])[] {
  const has = (type: string): boolean => found.some((spans) => spans.some((span) => span.type === type));
  const isPrivate = has('PERSON');
  const [hasPerson, hasUrl] = [isPrivate && has('PUBLIC_PERSON'), isPrivate && has('PUBLIC_URL')];
  const hasPlace = has('LOCATION') && has('ADDRESS');
  if (!hasPerson && !hasUrl && !hasPlace) return found;
  const names = new Phrases<KnownName>({ exact: true });
  const compounds = new Set<string>();
  const addresses = new Set<string>();
  const learn = (text: string, spans: readonly Span[]): void => {
    for (const span of spans) {
      const value = text.slice(span.start, span.end);
      if (span.type === 'ADDRESS') addresses.add(value);
      if (span.type !== 'PERSON') continue;
      if (hasPerson) addNames(names, value, span);
      if (hasUrl) addCompounds(compounds, value);
    }
  };
  const corrected = (text: string, span: Span): Span => {
    const value = (): string => text.slice(span.start, span.end);
    if (span.type === 'PUBLIC_PERSON' && names.get(value()) !== undefined)
      return { ...span, type: 'PERSON', rule: 'namesake' };
    if (span.type === 'LOCATION' && addresses.has(value())) return { ...span, type: 'ADDRESS', rule: 'namesake' };
    if (span.type === 'PUBLIC_URL' && containsName(compounds, value()))
      return { ...span, type: 'URL', rule: 'namesake' };
    return span;
  };
  return ranges.flatMap(({ from, to }) => {
    const own = texts.slice(from, to);
    own.forEach((text, at) => {
      learn(text, found[from + at] ?? []);
    });
    return own.map((text, at) => (found[from + at] ?? []).map((span) => corrected(text, span)));
  });
}

/** The words of a name in a URL: in lower case, without accents. */
const wordsIn = (value: string): string[] =>
  value
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/\p{L}+/gu) ?? [];

/** The shortest compound that is searched, in UTF-16 code units. Shorter ones are also syllables of other words. */
const SHORTEST = 6;
/** Names with more words are lists. */
const MOST_WORDS = 6;

/** Adds the ways in which a URL contains a name as one word: all its parts, or the first and the last in either order. */
function addCompounds(compounds: Set<string>, name: string): void {
  for (const spelled of [
    name,
    name.replace(/[äöüÄÖÜß]/g, (letter) => germanSpellings[letter.toLowerCase()] ?? letter),
  ]) {
    const words = wordsIn(spelled);
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined || words.length < 2 || words.length > MOST_WORDS) continue;
    for (const compound of [words.join(''), first + last, last + first])
      if (compound.length >= SHORTEST) compounds.add(compound);
  }
}

const germanSpellings: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** Whether one word of a URL, or two that follow each other, are a name. */
function containsName(compounds: ReadonlySet<string>, url: string): boolean {
  const words = wordsIn(url);
  return words.some((word, at) => compounds.has(word) || compounds.has(word + (words[at + 1] ?? '')));
}
