import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;

const linesOf = (path: string): string[] =>
  readFileSync(join(folder, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/**
 * Names that were written for this project, by language: regional and rare family names, and given names that lists of popular
 * names omit.
 */
export const writtenNames: readonly (readonly [
  language: string,
  names: { readonly given: readonly string[]; readonly family: readonly string[] },
])[] = globSync('languages/*/familyNames.txt', { cwd: folder })
  .sort()
  .map((path) => [
    path.split('/')[1] ?? '',
    { family: linesOf(path), given: linesOf(path.replace('familyNames', 'givenNames')) },
  ]);
