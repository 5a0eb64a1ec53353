import type { Span } from '../contract.ts';
import { flags } from './gazetteer.ts';
import { gaps, markAt, shapes, wordHash, type Tokens } from './tokens.ts';

/** The fewest letters. Shorter runs are acronyms. */
const FEWEST = 4;
const MOST = 20;
const separators = new Set(Array.from('-.', (mark) => mark.charCodeAt(0)));

/**
 * Finds names that are spelled: "T-H-O-R-N-B-U-R-Y", "S T E C". The letters are those of a name that is found in the text, or of one
 * that is known and no other word.
 * @param tokens as the tagger left them
 * @param names the words of the names that are found in the text, in lower case
 */
export function spelledNames(
  tokens: Tokens,
  text: string,
  names: () => ReadonlySet<string>,
): Pick<Span, 'start' | 'end'>[] {
  const found: Pick<Span, 'start' | 'end'>[] = [];
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.shape[at] !== shapes.initial) continue;
    const last = lastLetter(tokens, text, at);
    const [start, end] = [tokens.start[at] ?? 0, tokens.end[last] ?? 0];
    const letters = last === at ? '' : text.slice(start, end).replace(/[-. ]/g, '').toLowerCase();
    if (letters.length >= FEWEST && letters.length <= MOST && (isKnown(tokens, letters) || names().has(letters)))
      found.push({ start, end });
    at = last;
  }
  return found;
}

/** The last letter of a run of single letters with the same mark, or a space, between each two. */
function lastLetter(tokens: Tokens, text: string, first: number): number {
  const { count, gap, shape } = tokens;
  const mark = markAt(tokens, first + 1, text);
  const isMarked = separators.has(mark);
  const step = isMarked ? 2 : 1;
  const continues = (next: number): boolean => {
    if (next >= count || shape[next] !== shapes.initial) return false;
    if (!isMarked) return gap[next] === gaps.space;
    return markAt(tokens, next - 1, text) === mark && gap[next - 1] === gaps.none && (gap[next] ?? 0) <= gaps.space;
  };
  let last = first;
  while (continues(last + step)) last += step;
  return last;
}

function isKnown({ kernel }: Tokens, letters: string): boolean {
  const known = kernel.flagsOfWord(wordHash(letters));
  return (known & (flags.given | flags.family)) !== 0 && (known & flags.ordinary) === 0;
}
