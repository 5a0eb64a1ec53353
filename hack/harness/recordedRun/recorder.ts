/**
 * Runs in the recorded program, before its first module. Node's permission audit reports each path before it is read, by any
 * function of `fs` and by the loader of modules. The digest is therefore that of the bytes which the program reads. At the
 * end, the reads go to file descriptor 3.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { digestOf } from './digest.ts';

/** What a recorded program has done. */
export interface Recorded {
  /** The state of each path that it has read. */
  readonly reads: Readonly<Record<string, string>>;
  /** What it did that reads of files do not show, such as starting a process. */
  readonly others: readonly string[];
}

/** Uses of the machine that may bring further inputs into the program, or keep its results elsewhere. */
const OTHERS = ['addon', 'child', 'ffi', 'net', 'wasi', 'worker'];

const reads = new Map<string, string>();
const others = new Set<string>();

function record(resource: string): void {
  const path = resolve(resource);
  if (reads.has(path)) return;
  // First, because the digest reads the path.
  reads.set(path, '');
  reads.set(path, digestOf(path));
}

subscribe('node:permission-model:fs', (message) => {
  const { permission, resource } = message as { permission: string; resource: string };
  if (permission === 'FileSystemRead') record(resource);
  else others.add(`${permission} ${resource}`);
});
for (const other of OTHERS) {
  subscribe(`node:permission-model:${other}`, (message) => {
    const { permission, resource } = message as { permission: string; resource: string };
    others.add(`${permission} ${resource}`.trim());
  });
}
// The audit does not report the program itself, and these two are read before it begins.
for (const path of [process.argv[1], import.meta.filename, resolve(import.meta.dirname, 'digest.ts')]) {
  if (path !== undefined) record(path);
}
process.once('exit', () => {
  const recorded: Recorded = { reads: Object.fromEntries(reads), others: [...others] };
  writeFileSync(3, JSON.stringify(recorded));
});
