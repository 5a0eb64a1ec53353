import type { EntityType } from '../../contract.ts';
import { eachMatch, type Emit, type Recognizer } from '../recognizer.ts';
import { columnTypes, isValueOf, typesOfColumns } from './columnTypes.ts';

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
  otherTypes: columnTypes.slice(1),
  mayMatch: ({ text, keywords }) => text.includes('\n') && keywords.of('column').length > 0,
  find(text, emit, { keywords }) {
    let done = 0;
    for (const keyword of keywords.of('column')) {
      if (keyword < done) continue;
      const start = text.lastIndexOf('\n', keyword) + 1;
      const end = lineEnd(text, keyword);
      done = end;
      if (end - start > LONGEST_ROW) continue;
      const line = text.slice(start, end);
      const separator = SEPARATORS.find((one) => line.includes(one));
      // A comma before a space is punctuation.
      if (separator === undefined || (separator === ',' && line.includes(', '))) continue;
      const types = typesOfColumns(cellsOf(line, start, separator).map((cell) => cell.text));
      if (types.some((type) => type !== undefined)) done = readRows(text, end + 1, separator, types, emit);
    }
  },
};

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

/** Reads the rows below a header. @returns the offset of the first line that is not a row */
function readRows(
  text: string,
  from: number,
  separator: string,
  types: readonly (EntityType | undefined)[],
  emit: Emit,
): number {
  let start = from;
  while (start < text.length) {
    const end = lineEnd(text, start);
    if (end - start > LONGEST_ROW) return start;
    const cells = cellsOf(text.slice(start, end), start, separator);
    if (cells.length !== types.length) return start;
    emitCells(cells, types, emit);
    start = end + 1;
  }
  return start;
}

function emitCells(cells: readonly Cell[], types: readonly (EntityType | undefined)[], emit: Emit): void {
  cells.forEach(({ text, start }, at) => {
    const type = types[at];
    if (type !== undefined && isValueOf(type, text)) emit(start, start + text.length, 0.9, type);
  });
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

/** The columns that a statement of SQL names, and the keyword before its rows. */
const insert = /\binsert\s+into\s[^()\n]{1,120}\(([^()]{1,600})\)\s*values\s*(?=\()/giu;
/** A row of values, and the comma before the next one. */
const sqlRow = /\s{0,16}\(((?:'(?:[^']|''){0,200}'|[^()']){1,1000})\)\s{0,16},?/y;
const sqlValue = /'((?:[^']|''){0,200})'|[^,\s]{1,64}/g;

/** Values in the rows that a statement of SQL inserts. */
const insertedRows: Recognizer = {
  type: 'PERSON',
  otherTypes: columnTypes.slice(1),
  mayMatch: ({ keywords }) => keywords.of('sql').length > 0,
  find(text, emit) {
    eachMatch(insert, text, ({ 0: statement, 1: names = '', index }) => {
      const types = typesOfColumns(names.split(',').map((name) => name.trim().replace(/^["'`[]|["'`\]]$/g, '')));
      if (types.length === 0) return;
      sqlRow.lastIndex = index + statement.length;
      for (let row = sqlRow.exec(text); row; row = sqlRow.exec(text)) {
        const from = row.index + row[0].indexOf('(') + 1;
        emitCells(sqlCells(row[1] ?? '', from), types, emit);
      }
    });
  },
};

/** Splits a row of SQL into its values, without their quotes. */
const sqlCells = (row: string, from: number): Cell[] =>
  Array.from(row.matchAll(sqlValue), ({ 0: value, 1: quoted, index }) =>
    quoted === undefined ? { text: value, start: from + index } : { text: quoted, start: from + index + 1 },
  );

export const tables: readonly Recognizer[] = [columns, insertedRows];
