/** The checks of `npm test` that are not mocha tests. Each of them passes or fails as a whole. */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { CACHE } from '../harness/cache.ts';
import type { Progress } from '../harness/progress.ts';
import type { Outcome } from './outcome.ts';
import type { TestFailure } from './worker.ts';

export interface Check {
  title: string;
  /** A program of `node_modules/.bin`, and its arguments. */
  command: [string, ...string[]];
  /**
   * A file of the project in which the program keeps what it knows: hashes of all files that it read, and what depends on
   * them. So it is valid in another clone, which gets that of the last check that passed.
   */
  state?: string;
}

/** The longest first. */
export const CHECKS: readonly Check[] = [
  { title: 'Lint', command: ['oxlint', '--format=unix'] },
  { title: 'TypeScript', command: ['tsc'], state: 'node_modules/.cache/tsc/tsconfig.tsbuildinfo' },
  { title: 'Imports', command: ['depcruise', '--config=hack/imports.config.mjs', 'operator', 'guardrail', 'hack'] },
  { title: 'TypeScript of the playground', command: ['tsc', '--project', 'guardrail/http/playground'] },
  { title: 'TypeScript of the kernel', command: ['tsc', '--project', 'guardrail/detection/kernel'] },
  { title: 'Generated files', command: ['node', 'hack/generate/main.ts', '--check'] },
  { title: 'Prettier', command: ['prettier', '--check', '--log-level=warn', '--cache', '.'] },
];

/**
 * Runs a check. Never throws.
 * @param cache the folder in which clones share their states
 */
export async function runCheck(
  root: string,
  progress: Progress,
  { title, command, state }: Check,
  cache = CACHE,
): Promise<Outcome> {
  const [program, ...args] = command;
  const own = join(root, state ?? '');
  const shared = join(cache, 'checks', basename(state ?? ''));
  if (state !== undefined && !existsSync(own) && existsSync(shared)) copyWhole(shared, own);
  const started = performance.now();
  const output: string[] = [];
  const passes = progress.step(title, async () => {
    const bin = join(root, 'node_modules/.bin');
    // The programs run on the pinned Node, not on that of the machine.
    const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
    const child = spawn(join(bin, program), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    }
    const code = await new Promise<number | null>((done, fail) => {
      child.once('error', fail);
      child.once('close', done);
    });
    if (code !== 0) throw new Error(title);
  });
  const failures: TestFailure[] = [];
  try {
    await passes;
    if (state !== undefined) copyWhole(own, shared);
  } catch (error) {
    const text = output.join('') || String(error);
    console.log(text);
    failures.push({ title: program, message: text.trim().split('\n')[0] ?? '' });
  }
  return { name: title, passed: failures.length === 0 ? 1 : 0, failures, wallMs: performance.now() - started };
}

/** Copies a file. Another process never reads a part of it. */
function copyWhole(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  const unfinished = `${to}.${process.pid}`;
  copyFileSync(from, unfinished);
  renameSync(unfinished, to);
}
