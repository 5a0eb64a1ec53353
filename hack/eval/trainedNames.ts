/** For tests: which person names of an evaluation set training uses. */
import { partOf } from '../training/lexicon.ts';
import { namePools } from '../training/namePools.ts';
import { personNamesIn } from './personNames.ts';
import type { EvalText } from './score.ts';

const trained = new Set(
  namePools
    .flatMap(({ given, family }) => [...given, ...family])
    .filter((name) => partOf(name) === 'train')
    .map((name) => name.toLowerCase()),
);

/**
 * The words in labelled person names that are names of the training.
 * @param separators between the words of a name
 */
export function trainedNamesIn(texts: readonly EvalText[], separators: RegExp): string[] {
  const words = personNamesIn(texts).flatMap((name) => name.split(separators));
  return [...new Set(words.filter((word) => trained.has(word.toLowerCase())))];
}
