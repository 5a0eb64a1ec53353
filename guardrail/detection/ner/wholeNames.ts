import { flags } from './gazetteer.ts';
import { nameParticles } from './nameParticles.ts';
import { gaps, markAt, shapes, wordHash, type Tokens } from './tokens.ts';

/** The tokens of a name, inclusive. */
export interface NameTokens {
  readonly first: number;
  readonly last: number;
}

/** The tokens that were found of a name, and the probability that it is one. */
export interface FoundTokens extends NameTokens {
  readonly score: number;
}

const fullStop = '.'.charCodeAt(0);
/** The words before a family name that begin it, if an article follows: "van der Rest". */
const origins = new Set(['van', 'von'].map(wordHash));
/** The least score of a given name in small letters that has a family name behind it. */
const SURE = 0.8;
/** The least number of different letters of a family name in small letters. Laughter has fewer. */
const LEAST_LETTERS = 4;

/**
 * Adds the parts of a person's name that the tagger overlooks: initials and the given name before them, "van der", and the
 * family name behind a given name in small letters.
 * @param from the first token that is free before the name
 * @param until the last token that is free behind it
 */
export function wholeName(tokens: Tokens, text: string, name: FoundTokens, from: number, until: number): NameTokens {
  const first = withGivenName(tokens, text, withParticles(tokens, name.first, from), from);
  const last = withFamilyName(tokens, text, name, until);
  return first === name.first && last === name.last ? name : { first, last };
}

const isApart = (tokens: Tokens, at: number): boolean => tokens.gap[at] === gaps.space;

/** Whether an initial with its full stop begins at a token. */
const isInitial = (tokens: Tokens, text: string, at: number): boolean =>
  tokens.shape[at] === shapes.initial && markAt(tokens, at + 1, text) === fullStop && tokens.gap[at + 1] === gaps.none;

/** The first token of "van der" before a token, or the token itself. */
function withParticles(tokens: Tokens, first: number, from: number): number {
  // "von der Anna" is German for "of Anna".
  if (((tokens.known[first] ?? 0) & (flags.given | flags.family)) === flags.given) return first;
  const isParticle = (at: number): boolean =>
    tokens.shape[at] === shapes.lower && nameParticles.has(tokens.word[at] ?? 0) && isApart(tokens, at + 1);
  let begin = first;
  for (let at = first - 1; at >= from && isParticle(at); at--)
    if (at < first - 1 && origins.has(tokens.word[at] ?? 0)) begin = at;
  return begin;
}

/** The first token of the initials before a token, and of the given name before these. */
function withGivenName(tokens: Tokens, text: string, first: number, from: number): number {
  let at = first;
  while (at - 2 >= from && isApart(tokens, at) && isInitial(tokens, text, at - 2)) at -= 2;
  if (at === first || at === from || !isApart(tokens, at) || tokens.shape[at - 1] !== shapes.capitalized) return at;
  const known = tokens.known[at - 1] ?? 0;
  return known === 0 || (known & (flags.given | flags.family)) !== 0 ? at - 1 : at;
}

/** The last token of a name of one word, with the initial or the family name behind it. */
function withFamilyName(tokens: Tokens, text: string, { first, last, score }: FoundTokens, until: number): number {
  const next = last + 1;
  if (first !== last || next > until || !isApart(tokens, next)) return last;
  const shape = tokens.shape[last];
  if (shape === shapes.capitalized) return isInitial(tokens, text, next) ? next : last;
  if (score < SURE || shape !== shapes.lower || tokens.shape[next] !== shapes.lower) return last;
  if ((((tokens.known[last] ?? 0) | (tokens.known[next] ?? 0)) & flags.ordinary) !== 0) return last;
  const letters = new Set(text.slice(tokens.start[next], tokens.end[next]));
  return letters.size >= LEAST_LETTERS ? next : last;
}
