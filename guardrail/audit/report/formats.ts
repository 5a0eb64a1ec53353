/** The formats of a report: a text to print and file, JSON, and CSV for spreadsheets. Pure. */
import type { Selection } from './selection.ts';
import type { Summary } from './tally.ts';

/** What a report says. */
export interface Report extends Summary {
  readonly period: Selection['period'];
  readonly selection: readonly string[];
  /** Lines that are no audit events, and are not counted. */
  readonly badLines: number;
}

export const FORMATS = { text: textOf, json: jsonOf, csv: csvOf } as const satisfies Record<
  string,
  (report: Report) => string
>;

export type Format = keyof typeof FORMATS;

/** Increments when the meaning of a member changes, or one is removed. */
const REPORT_VERSION = 1;

function jsonOf(report: Report): string {
  return `${JSON.stringify({ version: REPORT_VERSION, ...report }, undefined, 2)}\n`;
}

type Row = readonly (string | number)[];

/** The sections that both the text and the CSV have. */
function sectionsOf(report: Report): { title: string; head: readonly string[]; rows: readonly Row[]; total?: Row }[] {
  const { types, allTypes, requests, answers, restores, policies, erasures, pseudonyms } = report;
  const actions = [...new Set([...requests, ...answers, ...restores].map(({ name }) => name))];
  const countOf = (counts: Summary['requests'], action: string): number =>
    counts.find(({ name }) => name === action)?.count ?? 0;
  const sum = (counts: Summary['requests']): number => counts.reduce((all, { count }) => all + count, 0);
  const named = (counts: Summary['requests']): Row[] => counts.map(({ name, count }) => [name, count]);
  return [
    {
      title: 'Personal data found',
      head: ['Type', 'Hidden', 'Blocked', 'Unchanged', 'Total'],
      rows: types.map(({ type, hidden, blocked, unchanged, total }) => [type, hidden, blocked, unchanged, total]),
      total: ['Total', allTypes.hidden, allTypes.blocked, allTypes.unchanged, allTypes.total],
    },
    {
      title: 'Calls',
      head: ['Action', 'Requests', 'Answers', 'Restores'],
      rows: actions.map((action) => [action, ...[requests, answers, restores].map((calls) => countOf(calls, action))]),
      total: ['Total', sum(requests), sum(answers), sum(restores)],
    },
    { title: 'Errors', head: ['Code', 'Calls'], rows: named(report.errors) },
    {
      title: 'Policies in force',
      head: ['Policy of', 'Revision', 'Calls', 'First call', 'Last call'],
      rows: policies.map(({ of, revision, calls, first, last }) => [of, revision, calls, first, last]),
    },
    {
      title: 'Pseudonyms in answers',
      head: ['Outcome', 'Pseudonyms'],
      rows: Object.entries(pseudonyms),
    },
    {
      title: 'Pseudonyms for tools',
      head: ['Type', 'Restored', 'Withheld', 'Unknown'],
      rows: report.toolTypes.map(({ type, restored, withheld, unknown }) => [type, restored, withheld, unknown]),
      total: ['Total', ...Object.values(report.allToolTypes)],
    },
    { title: 'Suspected enumerations', head: ['Phase', 'Calls'], rows: named(report.enumerations) },
    { title: 'Erasures', head: ['What', 'Number'], rows: Object.entries(erasures) },
    { title: 'Integrations', head: ['Protocol', 'Calls'], rows: named(report.protocols) },
    { title: 'Instances', head: ['Instance', 'Calls'], rows: named(report.instances) },
  ];
}

const LEGEND = [
  'Hidden: replaced by a pseudonym before the model. Blocked: the call did not reach the model.',
  'Unchanged: the text went on as it was, in monitor mode or because it was a pseudonym already.',
];

function textOf(report: Report): string {
  const { period, selection, events, first, last, badLines } = report;
  const facts: Row[] = [
    ['Period', `from ${period.from ?? 'the first event'} to ${period.to ?? 'the last event'}`],
    ['Selection', selection.length === 0 ? 'all events' : selection.join(', ')],
    ['Events', first === undefined ? '0' : `${events}, from ${first} to ${last ?? first}`],
    ['Bad lines', `${badLines}${badLines === 0 ? '' : ', not counted in this report'}`],
  ];
  const sections = sectionsOf(report).map(({ title, head, rows, total }) => {
    const table = rows.length === 0 ? ['None.'] : tableOf([head, ...rows, ...(total ? [total] : [])]);
    return [title, '-'.repeat(title.length), ...table].join('\n');
  });
  const all = ['Audit report of the guardrail', tableOf(facts).join('\n'), ...sections, LEGEND.join('\n')];
  return `${all.join('\n\n')}\n`;
}

/** Aligns the columns: numbers to the right, and texts to the left. */
function tableOf(rows: readonly Row[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  const isNumber = (column: number): boolean => rows.slice(1).every((row) => typeof row[column] === 'number');
  return rows.map((row) =>
    row
      .map((cell, column) => String(cell)[isNumber(column) ? 'padStart' : 'padEnd'](widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** One number a line, so that the file has the same columns whatever the report says. */
function csvOf(report: Report): string {
  const { period, events, badLines } = report;
  const rows: Row[] = [
    ['section', 'name', 'measure', 'value'],
    ['Report', 'Period', 'from', period.from ?? ''],
    ['Report', 'Period', 'to', period.to ?? ''],
    ...report.selection.map((one): Row => ['Report', 'Selection', '', one]),
    ['Report', 'Events', 'counted', events],
    ['Report', 'Lines', 'bad', badLines],
    ...sectionsOf(report).flatMap(({ title, head, rows: own, total }) =>
      [...own, ...(total ? [total] : [])].flatMap((row) => cellsOf(title, head, row)),
    ),
  ];
  return `${rows.map((row) => row.map(quoted).join(',')).join('\r\n')}\r\n`;
}

/** Texts at the beginning of a row are its name. */
function cellsOf(title: string, head: readonly string[], row: Row): Row[] {
  const start = row.findIndex((cell) => typeof cell === 'number');
  const name = row.slice(0, start).join(' ');
  return row.slice(start).map((cell, at) => [title, name, head[start + at] ?? '', cell]);
}

/** RFC 4180. A spreadsheet would compute what begins with one of these signs. */
function quoted(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const inert = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
