/** One row of a measurement: the outcome for one field of one route. */
export interface Row {
  readonly route: string;
  /** Contains neither a bar nor a comma followed by a space. */
  readonly field: string;
  readonly outcome: string;
}

/** The measured rows, and the version of the gateway. */
export interface Measurement {
  readonly version: string;
  readonly rows: readonly Row[];
}

/** The lines before and after the table of a gateway. */
const beginOf = (gateway: string): string =>
  `<!-- measured by npm run conformance -- ${gateway}: begin -->\n<!-- prettier-ignore-start -->\n`;
const endOf = (gateway: string): string =>
  `<!-- prettier-ignore-end -->\n<!-- measured by npm run conformance -- ${gateway}: end -->\n`;
const HEAD = '| route | outcome | fields |\n| --- | --- | --- |\n';
const SEPARATOR = ', ';
const VERSION = /^Measured on (.+):$/m;

/**
 * Writes rows as a Markdown table with a line for each route and outcome. Routes keep the order of their first row; outcomes
 * follow the given order, then any others.
 *
 * @throws Error if a field or a route cannot stand in a table.
 */
export function render({ version, rows }: Measurement, outcomes: readonly string[]): string {
  for (const text of rows.flatMap(({ route, field }) => [route, field])) {
    if (text.includes(SEPARATOR) || /[|\n]/.test(text))
      throw new Error(`${JSON.stringify(text)} cannot be a table cell.`);
  }
  const routes = new Set(rows.map(({ route }) => route));
  const order = new Set([...outcomes, ...rows.map(({ outcome }) => outcome)]);
  const lines = [...routes].flatMap((route) => {
    const ofRoute = rows.filter((row) => row.route === route);
    return [...order].flatMap((outcome) => {
      const fields = ofRoute.filter((row) => row.outcome === outcome).map(({ field }) => field);
      return fields.length === 0 ? [] : [`| ${route} | ${outcome} | ${fields.join(SEPARATOR)} |\n`];
    });
  });
  return `Measured on ${version}:\n\n${HEAD}${lines.join('')}`;
}

/** Reads a table that {@link render} wrote. */
export function parse(text: string): Measurement {
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  const rows = lines.slice(2).flatMap((line) => {
    const [route = '', outcome = '', fields = ''] = line.slice(2, -2).split(' | ');
    return fields.split(SEPARATOR).map((field) => ({ route, field, outcome }));
  });
  return { version: VERSION.exec(text)?.[1] ?? '', rows };
}

function span(document: string, gateway: string): { from: number; to: number } {
  const begin = beginOf(gateway);
  const from = document.indexOf(begin);
  const to = document.indexOf(endOf(gateway));
  if (from < 0 || to < from) throw new Error(`The document does not contain the markers of the table of ${gateway}.`);
  return { from: from + begin.length, to };
}

/**
 * @returns the measurement between the markers of a gateway in a document.
 * @throws Error if the markers are missing.
 */
export function measurementIn(document: string, gateway: string): Measurement {
  const { from, to } = span(document, gateway);
  return parse(document.slice(from, to));
}

/**
 * @returns the document with this table between the markers of a gateway.
 * @throws Error if the markers are missing.
 */
export function withTable(document: string, gateway: string, table: string): string {
  const { from, to } = span(document, gateway);
  return `${document.slice(0, from)}\n${table}\n${document.slice(to)}`;
}

/** @returns the differences between the written and the measured table, one sentence per row. */
export function differences(written: Measurement, measured: Measurement): string[] {
  const before = byPlace(written);
  const after = byPlace(measured);
  const places = [...new Set([...before.keys(), ...after.keys()])];
  const changed = places.flatMap((place) => {
    const [old, now] = [before.get(place), after.get(place)];
    return old === now ? [] : [`${place}: ${old ?? '(not in the table)'} → ${now ?? '(no longer measured)'}`];
  });
  const version =
    written.version === measured.version ? [] : [`version: ${written.version || '(none)'} → ${measured.version}`];
  return [...version, ...changed];
}

function byPlace({ rows }: Measurement): Map<string, string> {
  return new Map(rows.map(({ route, field, outcome }) => [`${route} ${field}`, outcome]));
}
