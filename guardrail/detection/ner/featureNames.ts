/** Names the features of a candidate, for people who ask why the model decided as it did. */
import { mostFeatures } from '../kernel/numbers.ts';
import type { ModelEvidence, ModelFeature } from '../trace.ts';
import type { Probabilities } from './spanClassifier.ts';
import type { Candidate } from './spanFeatures.ts';
import { gaps, shapes, type Tokens } from './tokens.ts';

/** Distances in tokens, as in {@link file://../kernel/spans.ts}. */
const WINDOW = 12;
const NEAR = 6;
const MOST_OWN_WORDS = 8;
const FAR = 4;
const FIELD = 6;
/** The characters that end a sentence. */
const ENDS = new Set('.!?…。！？');

/** What the names depend on beside the tokens. */
export interface NamedText {
  readonly text: string;
  readonly candidates: readonly Candidate[];
  /** The number of the first words of the text that are features. */
  readonly firstWords: number;
}

/**
 * The names of the features that the kernel writes, in its order: one for each template of
 * {@link file://../kernel/spans.ts}, with the word that it reads. A test compares their number with that of the kernel.
 * @param known what is known of the name: see `knownName`
 */
export function featureNames(
  tokens: Tokens,
  { text, candidates, firstWords }: NamedText,
  at: number,
  known: number,
): string[] {
  const candidate = candidates[at];
  if (!candidate) return [];
  const { first, last } = candidate;
  const wordOf = (token: number): string =>
    token < 0
      ? 'the beginning'
      : token >= tokens.count
        ? 'the end'
        : JSON.stringify(text.slice(tokens.start[token], tokens.end[token]));
  const names: string[] = [];
  const add = (...more: string[]): void => void names.push(...more);
  own(tokens, candidate, wordOf, add);
  add('the kind of name', 'its number of words', 'how sure the tagger is', 'how sure the tagger is, and its form');
  add('the lists that have the whole name', 'the lists that have the whole name, and its form');
  for (let flag = 0; known >> flag > 0; flag++) if ((known >> flag) & 1) add('a list that has the whole name');
  add(
    'the length of the text',
    'questions and addresses in the text',
    'questions and addresses in the text, and its form',
  );
  add('the first word of the text', 'the first word of the text, and the lists of names');
  for (let word = 0; word < firstWords; word++) add('a word at the beginning of the text');
  const [before, before2, after, after2] = [first - 1, first - 2, last + 1, last + 2].map(wordOf);
  add(`${before} before it`, `${after} after it`, `${before2} ${before} before it`, `${after} ${after2} after it`);
  add(`${before} before its form`, `${after} after its form`, `the form of ${before} before it`);
  add(
    `the form of ${after} after it`,
    'the forms of its neighbours',
    `${before} before a known name`,
    `${after} after a known name`,
  );
  line(tokens, text, candidate, wordOf, add);
  window(tokens, candidate, wordOf, add);
  for (const other of [at - 1, at + 1]) {
    const neighbour = candidates[other];
    if (!neighbour) continue;
    const distance = Math.max(first, neighbour.first) - Math.min(last, neighbour.last);
    if (distance <= FAR) add(...Array.from({ length: 3 }, () => `the name ${other < at ? 'before' : 'after'} it`));
  }
  return names.slice(0, mostFeatures);
}

type WordOf = (token: number) => string;
type Add = (...names: string[]) => void;

function own(tokens: Tokens, { first, last }: Candidate, wordOf: WordOf, add: Add): void {
  let words = 0;
  for (let token = first; token <= last; token++) {
    if (tokens.shape[token] === shapes.mark || words++ >= MOST_OWN_WORDS) continue;
    const [word, length] = [wordOf(token), (tokens.end[token] ?? 0) - (tokens.start[token] ?? 0)];
    add(`the word ${word}`);
    for (let back = 2; back <= Math.min(4, length); back++) add(`the ending of ${word}`);
    for (let at = 2; at < Math.min(4, length); at++) add(`the beginning of ${word}`);
    add(`the lists that have ${word}`, `the lists that have ${word}, and its place`);
  }
  add('the whole name', ...Array.from({ length: 3 }, () => 'the lists that have its words'), 'its form');
  add('the lists that have the whole name, and its length');
}

function line(tokens: Tokens, text: string, { first }: Candidate, wordOf: WordOf, add: Add): void {
  const begin = (token: number): string => text.charAt(tokens.start[token] ?? 0);
  const isEnd = (token: number): boolean => tokens.shape[token] === shapes.mark && ENDS.has(begin(token));
  let start = first;
  while (start > 0 && (tokens.gap[start] ?? 0) < gaps.newline && first - start < WINDOW) start--;
  add('its place in the line', 'its place in the line, and its form');
  if (start !== first) {
    add(`${wordOf(start)} at the beginning of the line`, 'its place in the line');
    for (let at = first - 1; at > start && first - at < FIELD; at--) {
      if (begin(at) !== ':') continue;
      add(`the label ${wordOf(at - 1)}`);
      break;
    }
  }
  let sentence = first;
  while (sentence > 0 && first - sentence < WINDOW && !isEnd(sentence - 1)) sentence--;
  add('its place in the sentence', 'its place in the sentence, and its form');
  add(`${wordOf(sentence)} at the beginning of the sentence`, 'the end of the sentence');
}

function window(tokens: Tokens, { first, last }: Candidate, wordOf: WordOf, add: Add): void {
  for (let at = Math.max(0, first - WINDOW); at <= Math.min(tokens.count - 1, last + WINDOW); at++) {
    if (at === first) {
      at = last;
      continue;
    }
    if (tokens.shape[at] === shapes.mark) continue;
    if (at >= first - NEAR && at <= last + NEAR) add(`${wordOf(at)} near it`);
    add(`${wordOf(at)} around it`);
  }
}

/** The most features that are shown. */
const MOST_SHOWN = 6;

/**
 * The features with the greatest weights. Those with the same name count together.
 * @param names as many as weights; others have no name
 */
export function strongest(names: readonly string[], weights: readonly number[]): ModelFeature[] {
  const sums = new Map<string, number>();
  const isNamed = names.length === weights.length;
  for (const [at, weight] of weights.entries()) {
    const name = isNamed ? (names[at] ?? '') : 'other features';
    sums.set(name, (sums.get(name) ?? 0) + weight);
  }
  return Array.from(sums, ([name, weight]) => ({ name, weight }))
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
    .slice(0, MOST_SHOWN);
}

/** The probability of each class. */
export const byClass = (classes: Probabilities): ModelEvidence['probabilities'] => {
  const {
    person: PERSON,
    publicPerson: PUBLIC_PERSON,
    address: ADDRESS,
    location: LOCATION,
    organization: ORGANIZATION,
  } = classes;
  const NONE = Math.max(0, 1 - PERSON - PUBLIC_PERSON - ADDRESS - LOCATION - ORGANIZATION);
  return { NONE, PERSON, PUBLIC_PERSON, ADDRESS, LOCATION, ORGANIZATION };
};
