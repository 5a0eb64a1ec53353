import { contextWords } from '../../languages/languages.ts';
import type { EntityType } from '../../contract.ts';
import type { Recognizer } from '../recognizer.ts';

/** Words of a header, whole: with `_`, `-`, `.` or spaces between them. */
const header = (words: string): RegExp => new RegExp(`^(?:${words})$`, 'u');

const personName = header(contextWords('personName'));
const birth = new RegExp(String.raw`^(?:${contextWords('birth')}|geb\.?$)`, 'u');
const username = header(contextWords('username'));
const identifier = new RegExp(
  String.raw`^(?:(?:${contextWords('documentId')})|(?:student|patient|member|customer|employee|staff|client)[_ -]?(?:no|nr|id|number)?)$`,
  'u',
);
/** A column that contains names if another one says that the rows are about people. */
const plainName = header(contextWords('name'));

const nameValue = /^\p{L}[\p{L}\p{M}'’.-]{0,40}(?:,? \p{L}[\p{L}\p{M}'’.-]{0,40}){0,5}$/u;
const VALUES: Readonly<Record<string, RegExp>> = {
  PERSON: nameValue,
  DATE_OF_BIRTH: /^\d{1,4}[-/. ]?\d{1,2}[-/. ]?\d{1,4}$/,
  USERNAME: /^[\p{L}\d_][\p{L}\d_.@-]{1,39}$/u,
  ID: /^(?=.*\d)[\p{L}\d][\p{L}\d ./-]{2,24}$/u,
};

/** A cell of a row: its text without quotes and spaces, and where that begins. */
interface Cell {
  readonly text: string;
  readonly start: number;
}

const SEPARATORS = ['\t', ';', '|', ','] as const;
/** The longest line that can be a row, in UTF-16 code units. */
const LONGEST_ROW = 1_000;

/** Values in the columns of a table (CSV, TSV or Markdown) whose header says what they are. */
const columns: Recognizer = {
  type: 'PERSON',
  otherTypes: ['DATE_OF_BIRTH', 'USERNAME', 'ID'],
  mayMatch: ({ text, keywords }) => text.includes('\n') && keywords.of('personName').length > 0,
  find(text, emit, { keywords }) {
    let done = 0;
    for (const keyword of keywords.of('personName')) {
      if (keyword < done) continue;
      const start = text.lastIndexOf('\n', keyword) + 1;
      const end = lineEnd(text, keyword);
      done = end;
      if (end - start > LONGEST_ROW) continue;
      const line = text.slice(start, end);
      const separator = SEPARATORS.find((one) => line.includes(one));
      // A comma before a space is punctuation.
      if (separator === undefined || (separator === ',' && line.includes(', '))) continue;
      const types = typesOf(cellsOf(line, start, separator));
      if (types.some((type) => type !== undefined)) done = readRows(text, end + 1, separator, types, emit);
    }
  },
};

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

/** The entity type of each column; undefined for columns that identify nobody. */
function typesOf(cells: readonly Cell[]): (EntityType | undefined)[] {
  const labels = cells.map(({ text }) => text.toLowerCase());
  const is = (pattern: RegExp, label: string): boolean =>
    pattern.test(label) || (label.includes('_') && pattern.test(label.replaceAll('_', ' ')));
  const types = labels.map((label): EntityType | undefined => {
    if (is(personName, label)) return 'PERSON';
    if (is(birth, label)) return 'DATE_OF_BIRTH';
    return is(username, label) ? 'USERNAME' : undefined;
  });
  if (cells.length < 2 || labels.includes('') || types.every((type) => type === undefined)) return [];
  return types.map((type, at) => {
    const label = labels[at] ?? '';
    return type ?? (is(plainName, label) ? 'PERSON' : is(identifier, label) ? 'ID' : undefined);
  });
}

/** Reads the rows below a header. @returns the offset of the first line that is not a row */
function readRows(
  text: string,
  from: number,
  separator: string,
  types: readonly (EntityType | undefined)[],
  emit: Parameters<Recognizer['find']>[1],
): number {
  let start = from;
  while (start < text.length) {
    const end = lineEnd(text, start);
    if (end - start > LONGEST_ROW) return start;
    const cells = cellsOf(text.slice(start, end), start, separator);
    if (cells.length !== types.length) return start;
    cells.forEach((cell, at) => {
      const type = types[at];
      if (type !== undefined && VALUES[type]?.test(cell.text) === true) {
        emit(cell.start, cell.start + cell.text.length, 0.9, type);
      }
    });
    start = end + 1;
  }
  return start;
}

/** Splits a row into its cells. A quoted cell may contain the separator. */
function cellsOf(line: string, start: number, separator: string): Cell[] {
  const cells: Cell[] = [];
  const isTable = separator === '|';
  const row = isTable ? line.replace(/\|\s*$/, '') : line;
  for (let at = isTable ? row.indexOf('|') + 1 : 0; at <= row.length;) {
    const quoted = /^\s*"((?:[^"]|""){0,200})"/.exec(row.slice(at, at + LONGEST_ROW));
    const next = row.indexOf(separator, at + (quoted?.[0].length ?? 0));
    const end = next < 0 ? row.length : next;
    const content = row.slice(at, end);
    const trimmed = content.trim().replace(/^"|"$/g, '');
    cells.push({ text: trimmed, start: start + at + content.indexOf(trimmed) });
    at = end + 1;
  }
  return cells;
}

export const tables: readonly Recognizer[] = [columns];
