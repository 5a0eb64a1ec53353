import type { Span } from '../contract.ts';
import { isOffice } from '../titles.ts';
import { followsTitle } from './courtesyTitles.ts';
import { flags } from './gazetteer.ts';
import { gaps, markAt, shapes, wordHash, type Tokens } from './tokens.ts';

/** Titles that are also units, verbs, parts of other names, or other words in another language: "3 ms", "Miss Universe". */
const DOUBTFUL: ReadonlySet<number> = new Set(['miss', 'mx', 'pan', 'dona'].map(wordHash));
/** "Sr." is a title in Spanish, and short for senior in English: "Sr. Software Engineer". */
const SENIOR = wordHash('sr');
/** The words before "Sr." where it is a title. */
const BEFORE_SENIOR: ReadonlySet<number> = new Set(
  'al ao caro de del do don el estimado o para prezado querido y'.split(' ').map(wordHash),
);
/** Titles of learning between a courtesy title and the name: "Frau Prof. Dr. Sommer". */
const LEARNED: ReadonlySet<number> = new Set(['dr', 'prof', 'mag', 'dipl', 'ing', 'med'].map(wordHash));
/** Titles of characters whom everybody knows: "Mrs. Dalloway", "Madame Bovary". The classifier knows them from other people. */
const LITERARY: ReadonlySet<number> = new Set(['mr', 'mrs', 'madame', 'monsieur'].map(wordHash));
/** Several people of one family name: "die Eheleute Kaiser". */
const FAMILY: ReadonlySet<number> = new Set(['eheleute', 'ehepaar', 'familie', 'geschwister'].map(wordHash));
/** "Dña.", which is no courtesy title without its full stop: "DNA". */
const DONA = wordHash('dña');
/** Titles of languages in which only names have a capital: the words behind the first are names, too. */
const OF_NAMES: ReadonlySet<number> = new Set(
  'sr sra srta señor señora señorita sig signor signore signora signorina senhor senhora mme mlle'
    .split(' ')
    .map(wordHash)
    .concat(DONA),
);
/** The most words of one name. */
const MOST_WORDS = 3;
/** "the Mr. Coffee machine" */
const THE = wordHash('the');
/** Brands, characters and titles of works: "Mr. Clean", "Mrs. Claus". */
const FAMOUS: ReadonlySet<number> = new Set(
  'bean big clean coffee fox incredible magic marvel monopoly nobody pac peanut potato right robot sandman wonderful world'
    .split(' ')
    .map(wordHash),
);
const fullStop = '.'.charCodeAt(0);

/**
 * Finds words behind courtesy titles that are names there: "Herrn Winter", "Mme Blanc". The classifier doubts ordinary words, and
 * rare ones behind some titles.
 * @param tokens as the tagger left them
 */
export function titledWords(tokens: Tokens, text: string): Pick<Span, 'start' | 'end'>[] {
  const { count, known, shape, start, end } = tokens;
  const found: Pick<Span, 'start' | 'end'>[] = [];
  for (let at = 1; at < count; at++) {
    if (shape[at] !== shapes.capitalized) continue;
    const title = titleOf(tokens, text, at);
    const own = tokens.word[at] ?? 0;
    if (title < 0 || isDoubtful(tokens, title) || FAMOUS.has(own) || LEARNED.has(own)) continue;
    const isOrdinary = ((known[at] ?? 0) & flags.ordinary) !== 0;
    if (!isOrdinary && LITERARY.has(tokens.word[title] ?? 0)) continue;
    if (isOffice(text.slice(start[at] ?? 0, end[at] ?? 0))) continue;
    const last = OF_NAMES.has(tokens.word[title] ?? 0) ? lastOf(tokens, at) : at;
    found.push({ start: start[at] ?? 0, end: end[last] ?? 0 });
    at = last;
  }
  return found;
}

/** The last word of a name that begins at a token. */
function lastOf({ count, shape, gap }: Tokens, first: number): number {
  let last = first;
  while (
    last + 1 < Math.min(count, first + MOST_WORDS) &&
    shape[last + 1] === shapes.capitalized &&
    gap[last + 1] === gaps.space
  )
    last++;
  return last;
}

/** The courtesy title before a token, also before titles of learning; -1 if there is none. */
function titleOf(tokens: Tokens, text: string, at: number): number {
  let name = at;
  while (name > 1) {
    const before = tokenBefore(tokens, text, name);
    if (before < 0 || !LEARNED.has(tokens.word[before] ?? 0)) break;
    name = before;
  }
  const title = tokenBefore(tokens, text, name);
  if (followsTitle(tokens, text, name)) return title;
  if (title === name - 1 && FAMILY.has(tokens.word[title] ?? 0)) return title;
  const isDona = title >= 0 && title === name - 2 && tokens.word[title] === DONA;
  return isDona && tokens.shape[title] === shapes.capitalized ? title : -1;
}

/** The word before a token, without its full stop; -1 if it is not directly before it. */
function tokenBefore(tokens: Tokens, text: string, at: number): number {
  if (tokens.gap[at] !== gaps.space) return -1;
  const isAbbreviated = markAt(tokens, at - 1, text) === fullStop && tokens.gap[at - 1] === gaps.none;
  return isAbbreviated ? at - 2 : at - 1;
}

function isDoubtful(tokens: Tokens, title: number): boolean {
  const word = tokens.word[title] ?? 0;
  const before = title > 0 ? (tokens.word[title - 1] ?? 0) : 0;
  if (word === SENIOR) return !BEFORE_SENIOR.has(before);
  const isUnit = tokens.shape[title] === shapes.lower && (tokens.end[title] ?? 0) - (tokens.start[title] ?? 0) <= 2;
  return isUnit || before === THE || DOUBTFUL.has(word);
}
