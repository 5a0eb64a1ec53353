import { contextWords } from '../languages/languages.ts';
import { gaps, markAt, shapes, wordHash, type Tokens } from './tokens.ts';

const titles: ReadonlySet<number> = new Set(contextWords('courtesyTitle').split('|').map(wordHash));
const fullStop = '.'.charCodeAt(0);

/** Whether a title is before a token on its line: "Mrs. Schwarz". Public people are seldom called so. */
export function followsTitle(tokens: Tokens, text: string, first: number): boolean {
  if (first === 0 || tokens.gap[first] !== gaps.space) return false;
  const isAbbreviated = markAt(tokens, first - 1, text) === fullStop && tokens.gap[first - 1] === gaps.none;
  const title = isAbbreviated ? first - 2 : first - 1;
  return title >= 0 && tokens.shape[title] !== shapes.mark && titles.has(tokens.word[title] ?? 0);
}
