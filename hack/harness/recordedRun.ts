/**
 * Runs a program whose output depends on nothing but the files that it reads, and keeps the output in the project's cache on
 * this machine. A later run whose inputs are the same takes the output from there.
 *
 * Nobody lists the inputs: Node reports each path that the program reads (see recordedRun/recorder.ts). A changed input always
 * leads to a new run, because the program can only read another path after an input has changed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { digestOf, sha256 } from './recordedRun/digest.ts';
import type { Recorded } from './recordedRun/recorder.ts';

/** A program to run, and where its results are kept. */
export interface RecordedProgram {
  /** Paths in the cache are relative to this folder, so that all checkouts of the project share it. */
  readonly root: string;
  /** The program and its arguments. It has no environment. */
  readonly command: readonly [file: string, ...args: string[]];
  /** The folder of the cache. */
  readonly cache: string;
}

/** The result of a program, now or earlier. */
export interface RecordedResult {
  readonly output: string;
  /** Whether the output is that of an earlier run with the same inputs. */
  readonly isCached: boolean;
  /** The state of each path that the program has read, by the path relative to `root`: see `digestOf`. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** What the cache has of one run. */
interface Entry {
  readonly node: Readonly<Record<string, string | undefined>>;
  readonly args: readonly string[];
  readonly reads: Readonly<Record<string, string>>;
  readonly output: string;
}

/** Some branches of the project have an entry each. */
const KEPT_ENTRIES = 20;

/**
 * The output of the program: from the cache, or else from a run.
 * @throws Error if the program fails, or does more than read files and print
 */
export async function recordedRun(program: RecordedProgram): Promise<RecordedResult> {
  const { root, command, cache } = program;
  mkdirSync(cache, { recursive: true });
  const args = command.map((arg, at) => (at === 0 ? relative(root, arg) : arg));
  const node = { ...process.versions, platform: process.platform, arch: process.arch };
  const run = JSON.stringify([node, args]);
  for (const file of newestFirst(cache)) {
    const entry = readEntry(file);
    if (entry && JSON.stringify([entry.node, entry.args]) === run) {
      const isSame = Object.entries(entry.reads).every(([path, digest]) => digestOf(resolve(root, path)) === digest);
      if (isSame) return { output: entry.output, isCached: true, inputs: entry.reads };
    }
  }
  const { reads, output } = await record(program);
  const inputs = Object.fromEntries(
    Object.entries(reads)
      .map(([path, digest]) => [relative(root, path), digest] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  const entry: Entry = { node, args, reads: inputs, output };
  write(join(cache, `${sha256(JSON.stringify([node, args, inputs]))}.json`), entry);
  for (const old of newestFirst(cache).slice(KEPT_ENTRIES)) rmSync(old, { force: true });
  return { output, isCached: false, inputs };
}

async function record({ root, command }: RecordedProgram): Promise<{ reads: Recorded['reads']; output: string }> {
  const recorder = join(import.meta.dirname, 'recordedRun/recorder.ts');
  const child = spawn(process.execPath, ['--permission-audit', '--import', recorder, ...command], {
    cwd: root,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const stop = (): void => {
    child.kill();
  };
  process.once('exit', stop);
  try {
    const [output, errors, written, [code]] = await Promise.all([
      textOf(child.stdio[1]),
      textOf(child.stdio[2]),
      textOf(child.stdio[3]),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code ?? 'a signal'}: ${errors.slice(-2_000)}`);
    const { reads, others } = JSON.parse(written) as Recorded;
    if (others.length > 0)
      throw new Error(
        `The output of ${command.join(' ')} cannot be kept, because it depends on more than files: ${others.join(', ')}.`,
      );
    return { reads, output };
  } finally {
    process.off('exit', stop);
  }
}

function textOf(stream: Readable | Writable | null | undefined): Promise<string> {
  if (!(stream instanceof Readable)) throw new Error('The program has no such output.');
  return text(stream);
}

function newestFirst(cache: string): string[] {
  return readdirSync(cache)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(cache, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at)
    .map(({ file }) => file);
}

/** An entry that cannot be read is none: another version of the project may have written it. */
function readEntry(file: string): Entry | undefined {
  try {
    const entry = JSON.parse(readFileSync(file, 'utf8')) as Partial<Entry>;
    const { node, args, reads, output } = entry;
    return node && args && reads && output !== undefined ? { node, args, reads, output } : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file as a whole: another run may read it. */
function write(file: string, entry: Entry): void {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, JSON.stringify(entry));
  renameSync(next, file);
}
