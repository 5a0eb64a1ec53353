/** The figures, the table and the diagram of a walk. Pure. */

/** A call that was recorded. */
export interface Call {
  readonly file: string;
  /** For a step of the flow, the file that it comes from, '' at the beginning; undefined for any other call. */
  readonly from: string | undefined;
}

/** A file of the flow. */
export interface Station {
  readonly file: string;
  /** The files that control comes from, in this order. */
  readonly from: readonly string[];
}

/** A walk in figures. */
export interface WalkSummary {
  /** The files of the flow, in the order in which control first comes to them. */
  readonly stations: readonly Station[];
  /** The other files of which a function is called, in the same order. */
  readonly helpers: readonly string[];
  /** How many files of the flow control comes to from more than one other file. */
  readonly enteredMore: number;
}

/** @param calls in order */
export function summaryOf(calls: readonly Call[]): WalkSummary {
  const sources = new Map<string, Set<string>>();
  const addFile = (file: string): Set<string> => {
    const known = sources.get(file) ?? new Set();
    sources.set(file, known);
    return known;
  };
  for (const { file, from } of calls) {
    if (from === undefined) continue;
    // A file that waited before the record began is in the flow too.
    if (from !== '') addFile(from);
    addFile(file).add(from);
  }
  const stations = [...sources].map(([file, from]) => ({ file, from: [...from].filter((one) => one !== '') }));
  const helpers = new Set(calls.map(({ file }) => file).filter((file) => !sources.has(file)));
  return { stations, helpers: [...helpers], enteredMore: stations.filter(({ from }) => from.length > 1).length };
}

/** One line for each file: how often it is entered, its lines, its name. @param lines the number of lines of a file */
export function tableOf({ stations, helpers }: WalkSummary, lines: (file: string) => number): string {
  const row = (count: string, file: string): string => `${count} ${String(lines(file)).padStart(4)} lines  ${file}`;
  return [
    ...stations.map(({ file, from }) => row(`${String(from.length).padStart(4)} ×`, file)),
    ...helpers.map((file) => row('helper', file)),
  ].join('\n');
}

/** The flow as a diagram in the language of Mermaid, with the steps numbered in order. */
export function diagramOf({ stations }: WalkSummary): string {
  const id = (file: string): string => `f${stations.findIndex((station) => station.file === file)}`;
  const edges = stations.flatMap(({ file, from }) => from.map((one) => `  ${id(one)} --> ${id(file)}`));
  const nodes = stations.map(({ file }) => `  ${id(file)}["${file}"]`);
  return ['```mermaid', 'flowchart LR', ...nodes, ...edges, '```'].join('\n');
}
