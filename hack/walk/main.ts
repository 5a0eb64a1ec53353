/**
 * Prints the walk of one event through the operator: which files a new customer passes, from the watch of the API server to the
 * gateway and back to its status.
 *
 *     node hack/walk/main.ts [--calls | --write]
 *
 * A reader follows the flow: the calls of asynchronous functions, which wait for the API server, the gateway or each other, and
 * of the functions that make such calls. Control enters a file when the flow comes to it from another file. Several calls from the
 * same file are one entry, because the reader already knows where they come from, and so is a return to a file that waits. All
 * other files are helpers: their functions return at once, and can be read by their names.
 *
 * `--calls` prints every call in order. `--write` writes the flow as the diagram of docs/architecture.md. The operator runs with
 * the controller of customers alone, at a real API server and the development gateway. An earlier customer has filled its caches.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordCalls, watchModules } from './instrument.ts';
import { diagramOf, summaryOf, tableOf } from './summary.ts';

const { values } = parseArgs({
  options: { calls: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const root = join(import.meta.dirname, '../..');
watchModules(new URL('../../operator/', import.meta.url).href);
const { CustomerBed } = await import('./customerBed.ts');

const bed = await CustomerBed.start();
try {
  await bed.sync('earlier');
  const calls = await recordCalls(() => bed.sync('acme'));
  const summary = summaryOf(calls);
  const { stations, helpers, enteredMore } = summary;
  const lines = (file: string): number => readFileSync(join(root, 'operator', file), 'utf8').split('\n').length - 1;
  const longest = Math.max(...[...stations.map(({ file }) => file), ...helpers].map(lines));
  if (values.write) writeDiagram(diagramOf(summary));
  else if (values.calls) console.log(calls.map(({ file, from }) => `${from ?? ''} > ${file}`).join('\n'));
  else console.log(tableOf(summary, lines));
  console.log(
    `${stations.length + helpers.length} files: ${stations.length} in the flow, ${helpers.length} helpers; ${enteredMore} entered from more than one file; the longest has ${longest} lines`,
  );
} finally {
  await bed.stop();
}

function writeDiagram(diagram: string): void {
  const path = join(root, 'docs/architecture.md');
  const text = readFileSync(path, 'utf8');
  const marks = /(<!-- walk -->)[^]*(<!-- end of walk -->)/;
  const changed = text.replace(marks, (_all, begin: string, end: string) => `${begin}\n\n${diagram}\n\n${end}`);
  writeFileSync(path, changed);
}
