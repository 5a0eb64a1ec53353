import type { EntityType } from '../../contract.ts';
import { contextWords } from '../../languages/languages.ts';
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

/** What prose says before the names of the columns of the lines that follow. */
const announcement = new RegExp(String.raw`^\W{0,4}(?:${contextWords('columnList')})\s?:\s`, 'iu');

/**
 * Whether the values of a type have digits. After an announcement, only such values are found: a line of prose that follows
 * has commas, too.
 */
const hasDigits = (type: EntityType | undefined): boolean =>
  type === 'LICENSE_PLATE' || type === 'PHONE_NUMBER' || type === 'DATE_OF_BIRTH' || type === 'ID';

/** How the rows below a header are read. */
interface Layout {
  readonly separator: string;
  /** The type of each column. */
  readonly types: readonly (EntityType | undefined)[];
  /** Whether the last column may contain the separator: "52.51, 13.40". Its values are left alone then. */
  readonly mayHaveMore: boolean;
}

/** Values in the columns of a table (CSV, TSV or Markdown) whose header says what they are. */
const columns: Recognizer = {
  type: 'PERSON',
  rule: 'column',
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
      if (separator === undefined) continue;
      const announced = line.includes(':') ? announcement.exec(line)?.[0].length : undefined;
      // A comma before a space is punctuation.
      if (announced === undefined && separator === ',' && line.includes(', ')) continue;
      const names = line.slice(announced ?? 0);
      const types = typesOfColumns(cellsOf(names, start, separator).map((cell) => cell.text));
      const rules = announced === undefined ? types : types.map((type) => (hasDigits(type) ? type : undefined));
      if (rules.every((type) => type === undefined)) continue;
      done = readRows(text, end + 1, { separator, types: rules, mayHaveMore: announced !== undefined }, emit);
    }
  },
};

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

/** Reads the rows below a header. @returns the offset of the first line that is not a row */
function readRows(text: string, from: number, { separator, types, mayHaveMore }: Layout, emit: Emit): number {
  let start = from;
  while (start < text.length) {
    const end = lineEnd(text, start);
    if (end - start > LONGEST_ROW) return start;
    const cells = cellsOf(text.slice(start, end), start, separator);
    const hasMore = mayHaveMore && cells.length > types.length;
    if (cells.length !== types.length && !hasMore) return start;
    emitCells(hasMore ? cells.slice(0, types.length - 1) : cells, types, emit);
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
  rule: 'column.sql',
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
