import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { joined } from './joined.ts';

/** A text, and the code of its language. */
export interface TextInLanguage {
  readonly language: string;
  readonly text: string;
}

/** Stands for the language of the templates that belong to no language. */
const shared = 'shared';

/**
 * The order of the templates of each set with templates of several languages. See `joined`. A change, or a template that is
 * not the last of its file, changes the order of the random draws and so the trained weights.
 */
const orders: Readonly<Record<string, string>> = {
  everyday:
    'de:25 fr:26 es:26 it:26 nl:26 sv nb da fi pl pt cs en de:6 fr:6 es:6 it:6 nl:6 es:2 it:2 fr:2 nl:2 de fr es it nl',
  foreign: 'de fr es it nl sv da nb fi cs pl pt hu hr ro tr',
  small:
    'es:31 fr:30 nl:29 it:30 de:28 pt sv da pl en es:12 fr:12 nl:12 it:12 de:10 es:23 fr:19 it:22 nl:19 de:19 nl:7 es:9 fr:6 it:7 de:8 it es fr nl de',
  work: 'en:64 es:2 fr:3 nl:3 it:2 de:3 en es it nl fr de',
  marked:
    'de:7 es:3 fr:3 it:6 nl:2 sv en:12 shared en:77 it:10 es:5 fr:6 de:9 it es nl:1 en:1 nl en:2 de:1 fr en:5 de en',
  negatives: 'shared:157 de shared',
  prose: 'de it es fr nl',
  carriers: 'de it es fr nl',
  knowledge: 'en de fr es it nl',
};

const folder = import.meta.dirname;

/** The files of a set of templates: one for all languages, and one for each language. `*` finds the files of all sets. */
export const templateFiles = (set: string): { readonly language: string; readonly path: string }[] =>
  globSync([`templates/${set}.txt`, `languages/*/${set}.txt`], { cwd: folder })
    .sort()
    .map((file) => ({
      language: /^languages\/(\w+)\//.exec(file)?.[1] ?? shared,
      path: join(folder, file),
    }));

/** Reads a set of templates, one per line. */
export function readTemplates(set: string): TextInLanguage[] {
  const lists = Object.fromEntries(
    templateFiles(set).map(({ language, path }) => [
      language,
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ language, text: line.replaceAll('\\n', '\n').replaceAll('\\t', '\t') })),
    ]),
  );
  const order = orders[set];
  return order === undefined ? Object.values(lists).flat() : joined(order, lists);
}
