/** Labels of values and the forms of these, and sentences around them, by language: `labels/`, `twins/`, `surroundings.txt`, and `../values/`. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tokenClasses, type ValueClass } from '../../../guardrail/detection/ner/tokenNetwork.ts';

/** A label, what stands after it (`O`: a harmless value), and its language. */
export interface Label {
  readonly text: string;
  readonly kind: ValueClass;
  readonly language: string;
  /** The forms of its values: see the README of `../values/`. Without one, any form of the kind. */
  readonly forms: readonly string[];
}

const folder = join(import.meta.dirname, '..');
const linesOf = (file: string): string[] => readFileSync(join(folder, file), 'utf8').split('\n');
const filesOf = (...patterns: string[]): string[] => globSync(patterns, { cwd: folder }).sort();
const valueClasses = tokenClasses.filter((kind) => kind !== 'PERSON' && kind !== 'ADDRESS');
const kindOf = (word: string): ValueClass => valueClasses.find((kind) => kind === word) ?? 'O';

function labelsIn(file: string): Label[] {
  let kind: ValueClass = 'O';
  const language = basename(file, '.txt');
  return linesOf(file).flatMap((line) => {
    if (line.startsWith('# ')) kind = kindOf(line.slice(2).trim());
    else if (line.trim() !== '') {
      const [text = '', ...forms] = line.split(' | ');
      return [{ text, kind, language, forms }];
    }
    return [];
  });
}

export const allLabels: readonly Label[] = filesOf(
  'network/labels/*.txt',
  'network/twins/*.txt',
  'values/labels/*.txt',
  'values/twins/*.txt',
).flatMap(labelsIn);

/** Whether a label is kept for the choice between networks: none learns it. */
export const isKept = ({ text }: Label): boolean => {
  let hash = 0;
  for (const character of text.toLowerCase())
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x5bd1e995) ^ (hash >>> 13);
  return (hash >>> 8) % 12 === 0;
};

const surroundings = new Map<string, readonly string[]>(
  linesOf('network/surroundings.txt')
    .join('\n')
    .split(/^== /m)
    .slice(1)
    .map((section) => {
      const [language = '', ...lines] = section.split('\n');
      const written = lines.filter((line) => line !== '' && !line.startsWith('# '));
      return [language, written.map((line) => line.replaceAll('\\t', '\t').replaceAll('\\n', '\n'))];
    }),
);

/** Sentences with `{L}` and `{V}`: of a language, or of all (`any`). */
export const surroundingsOf = (language: string): readonly string[] => surroundings.get(language) ?? [];
