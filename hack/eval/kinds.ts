import { readFileSync } from 'node:fs';
import { recognizedTypes } from '../../guardrail/detection/recognizers/recognizers.ts';
import type { EvalSpan, EvalText, Score } from './score.ts';
import { alignColumns } from './textTable.ts';

/** Labelled texts of one kind in one language. */
export interface Kind {
  readonly name: string;
  /** ISO 639-1 code. */
  readonly language: string;
  readonly texts: readonly EvalText[];
}

/** Everyday questions and instructions in the same format, without anything personal. */
export const questionsFile = new URL('./questions.txt', import.meta.url);

const header = /^=== (.+) ([a-z]{2})$/;
const mark = /\[\[([A-Z_]+) ([^\]]+)\]\]/gu;

/** Realistic messages, labelled for the profile `personal`. */
export const messagesFile = new URL('./messages.txt', import.meta.url);

/** The types that messages label. */
export const messageTypes: ReadonlySet<string> = new Set(['PERSON', 'ADDRESS', ...recognizedTypes()]);

/** Whether nothing in a message is private. */
export const isInnocent = ({ kind }: EvalText): boolean => kind === 'innocent';

/**
 * Reads the project's own texts, in the format that the head of `kinds.txt` describes.
 * @throws Error if a section header is malformed.
 */
export function readKinds(file = new URL('./kinds.txt', import.meta.url)): Kind[] {
  const [, ...sections] = readFileSync(file, 'utf8').split(/^(?==== )/m);
  return sections.map((section) => {
    const [first = '', ...lines] = section.split('\n');
    const [, name, language] = header.exec(first) ?? [];
    if (name === undefined || language === undefined)
      throw new Error(`Invalid section header "${first}": expected "=== kind language".`);
    const texts = lines
      .join('\n')
      .split(/^--$/m)
      .map((marked, index) => unmarked(`${name} ${language} ${index + 1}`, marked.trim()))
      .filter(({ text }) => text !== '');
    return { name, language, texts };
  });
}

/** Removes the marks from a text and returns their spans, in code points. */
function unmarked(id: string, marked: string): EvalText {
  let text = '';
  let last = 0;
  const spans: EvalSpan[] = [];
  for (const match of marked.matchAll(mark)) {
    const [whole, type = '', value = ''] = match;
    text += marked.slice(last, match.index);
    const start = Array.from(text).length;
    text += value;
    spans.push({ start, end: start + Array.from(value).length, type });
    last = match.index + whole.length;
  }
  return { id, text: text + marked.slice(last), spans };
}

/** A table with one line per group of texts: its scores. */
export function kindTable(rows: readonly { readonly name: string; readonly score: Score }[]): string {
  const number = (value: number, digits: number): string => (Number.isNaN(value) ? '-' : value.toFixed(digits));
  return alignColumns([
    ['', 'values', 'F2', 'leak', 'over', 'fp/1k'],
    ...rows.map(({ name, score: { all } }) => [
      name,
      String(all.gold),
      all.gold > 0 ? number(all.f2, 3) : '-',
      number(all.leakedValues, 3),
      number(all.overmasked, 4),
      number(all.falsePer1000Words, 1),
    ]),
  ]);
}
