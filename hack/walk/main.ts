/**
 * Prints a walk through a program: which files a new customer passes in the operator, from the watch of the API server to the
 * gateway and back to its status, or which files a call passes in the guardrail.
 *
 *     node hack/walk/main.ts [event | before | after | stream] [--calls | --write]
 *
 * A reader follows the flow: the calls of asynchronous functions, which wait for the API server, the gateway or each other, and
 * of the functions that make such calls. Control enters a file when the flow comes to it from another file. Several calls from the
 * same file are one entry, because the reader already knows where they come from, and so is a return to a file that waits. All
 * other files are helpers: their functions return at once, and can be read by their names. Files of the detector count as one.
 *
 * `--calls` prints every call in order. `--write` writes the flow of an event as the diagram of docs/architecture.md. The operator
 * runs with the controller of customers alone, at a real API server and the development gateway. The guardrail has a store in
 * memory. An earlier customer, or call, has filled the caches.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CallKind } from './callBed.ts';
import { recordCalls, watchModules } from './instrument.ts';
import { diagramOf, summaryOf, tableOf, type Call } from './summary.ts';

const {
  values,
  positionals: [walk = 'event'],
} = parseArgs({
  options: { calls: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = join(import.meta.dirname, '../..');
const program = walk === 'event' ? 'operator' : 'guardrail';
watchModules(new URL(`../../${program}/`, import.meta.url).href);
const calls = await (walk === 'event' ? walkOfEvent() : walkOfCall(walk));
const summary = summaryOf(calls);
const { stations, helpers, enteredMore } = summary;
const lines = (file: string): number => readFileSync(join(root, program, file), 'utf8').split('\n').length - 1;
const longest = Math.max(...[...stations.map(({ file }) => file), ...helpers].map(lines));
if (values.write) writeDiagram(diagramOf(summary));
else if (values.calls) console.log(calls.map(({ file, from }) => `${from ?? ''} > ${file}`).join('\n'));
else console.log(tableOf(summary, lines));
console.log(
  `${stations.length + helpers.length} files: ${stations.length} in the flow, ${helpers.length} helpers; ${enteredMore} entered from more than one file; the longest has ${longest} lines`,
);

async function walkOfEvent(): Promise<readonly Call[]> {
  const { CustomerBed } = await import('./customerBed.ts');
  const bed = await CustomerBed.start();
  try {
    await bed.sync('earlier');
    return await recordCalls(() => bed.sync('acme'));
  } finally {
    await bed.stop();
  }
}

async function walkOfCall(kind: string): Promise<readonly Call[]> {
  const { CALLS, CallBed } = await import('./callBed.ts');
  if (!CALLS.includes(kind as CallKind)) throw new Error(`There is no walk ${kind}: use event, ${CALLS.join(', ')}.`);
  const bed = await CallBed.start();
  try {
    // Two rounds: the answer of a call belongs to the request before it.
    for (const earlier of [...CALLS, ...CALLS]) await bed.call(earlier);
    return withOneDetector(await recordCalls(() => bed.call(kind as CallKind)));
  } finally {
    await bed.stop();
  }
}

/** What the detector does is a walk of its own. */
function withOneDetector(recorded: readonly Call[]): readonly Call[] {
  const one = (file: string): string => (file.startsWith('detection/') ? 'detection/detection.ts' : file);
  return recorded.flatMap(({ file, from }) => {
    const call = { file: one(file), from: from === undefined ? undefined : one(from) };
    return call.file === call.from ? [] : [call];
  });
}

function writeDiagram(diagram: string): void {
  const path = join(root, 'docs/architecture.md');
  const text = readFileSync(path, 'utf8');
  const marks = /(<!-- walk -->)[^]*(<!-- end of walk -->)/;
  const changed = text.replace(marks, (_all, begin: string, end: string) => `${begin}\n\n${diagram}\n\n${end}`);
  writeFileSync(path, changed);
}
