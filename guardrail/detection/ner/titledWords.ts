import type { Span } from '../contract.ts';
import { smallWords } from '../languages/smallWords.ts';
import { isOffice } from '../titles.ts';
import { followsTitle } from './courtesyTitles.ts';
import { flags } from './gazetteer.ts';
import { gaps, markAt, shapes, wordHash, type Tokens } from './tokens.ts';

/** The score of a name that only its title makes one. */
const SCORE = 0.8;
/** Behind a courtesy title, a name that is public with a lower score is private: "Herrn Koch". */
const SURELY_PUBLIC = 0.65;

const hashesOf = (words: string): ReadonlySet<number> => new Set(words.split('|').map(wordHash));

const doubtful = hashesOf(smallWords('doubtfulTitle'));
const learned = hashesOf(smallWords('learnedTitle'));
/** The classifier knows such characters from other people. */
const literary = hashesOf(smallWords('literaryTitle'));
/** "the Mr. Coffee machine" */
const THE = wordHash('the');
const fullStop = '.'.charCodeAt(0);

/**
 * Adds the words behind courtesy titles that the model does not propose: it doubts ordinary words, and rare ones behind some
 * titles.
 * @param tokens as the tagger left them
 * @param found by the model
 */
export function withTitledWords(tokens: Tokens, text: string, found: readonly Span[]): Span[] {
  const names = [...found];
  for (const place of titledWords(tokens, text)) {
    const at = names.findIndex(({ start, end }) => start < place.end && end > place.start);
    const known = names[at];
    if (known === undefined)
      names.push({ ...place, type: 'PERSON', score: SCORE, detector: 'builtin', rule: 'titledWord' });
    else if (known.type === 'PUBLIC_PERSON' && known.score < SURELY_PUBLIC)
      names[at] = { ...known, type: 'PERSON', rule: 'titledWord' };
  }
  return names;
}

/** The places of words behind courtesy titles that are names there: "Herrn Winter", "Mme Blanc". */
function titledWords(tokens: Tokens, text: string): Pick<Span, 'start' | 'end'>[] {
  const { count, known, shape, start, end } = tokens;
  const found: Pick<Span, 'start' | 'end'>[] = [];
  for (let at = 1; at < count; at++) {
    if (shape[at] !== shapes.capitalized) continue;
    const title = titleOf(tokens, text, at);
    const own = tokens.word[at] ?? 0;
    if (title < 0 || isDoubtful(tokens, title) || learned.has(own)) continue;
    const isOrdinary = ((known[at] ?? 0) & flags.ordinary) !== 0;
    if (!isOrdinary && literary.has(tokens.word[title] ?? 0)) continue;
    if (isOffice(text.slice(start[at] ?? 0, end[at] ?? 0))) continue;
    found.push({ start: start[at] ?? 0, end: end[at] ?? 0 });
  }
  return found;
}

/** The courtesy title before a token, also before titles of learning; -1 if there is none. */
function titleOf(tokens: Tokens, text: string, at: number): number {
  let name = at;
  while (name > 1) {
    const before = tokenBefore(tokens, text, name);
    if (before < 0 || !learned.has(tokens.word[before] ?? 0)) break;
    name = before;
  }
  return followsTitle(tokens, text, name) ? tokenBefore(tokens, text, name) : -1;
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
  const isUnit = tokens.shape[title] === shapes.lower && (tokens.end[title] ?? 0) - (tokens.start[title] ?? 0) <= 2;
  return isUnit || before === THE || doubtful.has(word);
}
