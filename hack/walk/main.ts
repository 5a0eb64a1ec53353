/**
 * Prints the walk of one event through the operator: which files a new customer passes, from the watch of the API server to the
 * gateway and back to its status, how often control enters each of them, and how long they are.
 *
 *     node hack/walk/main.ts [--entries]
 *
 * `--entries` prints every entry in order. The operator runs with the controller of customers alone, at a real API server and the
 * development gateway. An earlier customer has filled its caches.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordEntries, watchModules } from './instrument.ts';
import { summaryOf } from './summary.ts';

const { values } = parseArgs({ options: { entries: { type: 'boolean', default: false } } });
watchModules(new URL('../../operator/', import.meta.url).href);
const { CustomerBed } = await import('./customerBed.ts');

const bed = await CustomerBed.start();
try {
  await bed.sync('earlier');
  const entries = await recordEntries(() => bed.sync('acme'));
  const lines = (file: string): number =>
    readFileSync(join(import.meta.dirname, '../../operator', file), 'utf8').split('\n').length - 1;
  const { files, longest, enteredMore, text } = summaryOf(entries, lines);
  console.log(values.entries ? entries.join('\n') : text);
  console.log(
    `${files} files, ${entries.length} entries, ${enteredMore} files entered more than once, the longest has ${longest} lines`,
  );
} finally {
  await bed.stop();
}
