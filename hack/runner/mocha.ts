import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The result of a test run. */
export interface TestCounts {
  passed: number;
  failed: number;
  /** One line for each failure. */
  failures: string[];
}

/** How mocha runs, where that is not the usual way. */
export interface RunOptions {
  /** A command, such as `unshare`, that runs the command which follows it, and ends with it. */
  readonly through?: readonly string[];
  /** Variables in addition to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs the files in this number of processes. Does not detect what a test leaves running. */
  readonly processes?: number;
  /** Ends the run at once. */
  readonly abort?: AbortSignal;
  /** For a run beside another one: prints the output as one piece when both runs have ended. */
  readonly printAfter?: Promise<unknown>;
}

/** How long mocha may run after its last test. It ends at once unless a test has left something running. */
const LEFT_RUNNING_MS = 30_000;
const WATCH_MS = 500;
/** How long to wait for the rest of an ended process's output. */
const FLUSHED_MS = 2_000;

/**
 * Runs mocha with these arguments and prints its output. Never throws: a run that ends early, runs no test, or leaves
 * something running counts as a failure.
 */
export async function runMocha(root: string, args: readonly string[], options: RunOptions = {}): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'test-counts-'));
  const file = join(folder, 'counts.json');
  try {
    const child = spawnMocha(root, args, file, options);
    const { code, leftRunning } = await endOf(child, file, options);
    return judge(readCounts(file), code, leftRunning, filesIn(args));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function spawnMocha(root: string, args: readonly string[], countsFile: string, options: RunOptions): ChildProcess {
  const { through = [], env = {}, processes, printAfter } = options;
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  const reporter = ['--reporter', join(import.meta.dirname, 'reporter.mjs'), '--reporter-option', `file=${countsFile}`];
  const parallel = processes === undefined ? [] : ['--parallel', '--jobs', String(processes)];
  const [command = '', ...rest] = [...through, process.execPath, mocha, ...reporter, ...parallel, ...args];
  return spawn(command, rest, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: printAfter ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
  });
}

/** Waits for the end of a run. Ends it if it is aborted, if this process ends, or if a test has left something running. */
async function endOf(
  child: ChildProcess,
  countsFile: string,
  { through = [], abort, printAfter }: RunOptions,
): Promise<{ code: number | null; leftRunning: boolean }> {
  const printOutput = printAfter && holdOutput(child, printAfter);
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  const stop = (): void => {
    child.kill(through.length === 0 ? 'SIGTERM' : 'SIGKILL');
  };
  process.once('exit', stop);
  abort?.addEventListener('abort', stop);
  if (abort?.aborted === true) stop();
  const watch = killIfLeftRunning(child, countsFile);
  const code = await exited;
  process.off('exit', stop);
  abort?.removeEventListener('abort', stop);
  const leftRunning = await watch.end();
  await printOutput?.();
  return { code, leftRunning };
}

/** Collects the output of a run. The returned function prints it when the other run has ended. */
function holdOutput(child: ChildProcess, other: Promise<unknown>): () => Promise<void> {
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => output.push(piece));
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  return async () => {
    // A process that a test has left running may keep the pipes open.
    await Promise.race([closed, delay(FLUSHED_MS, undefined, { ref: false })]);
    await Promise.allSettled([other]);
    process.stdout.write(Buffer.concat(output));
  };
}

/** Kills mocha if it does not end after its last test. `end` stops the watch and returns whether it has killed. */
function killIfLeftRunning(child: ChildProcess, countsFile: string): { readonly end: () => Promise<boolean> } {
  const over = new AbortController();
  const watch = (async () => {
    while (!over.signal.aborted && !readCounts(countsFile).ended) await pause(WATCH_MS, over.signal);
    await pause(LEFT_RUNNING_MS, over.signal);
    if (over.signal.aborted) return false;
    child.kill('SIGKILL');
    return true;
  })();
  return {
    end: () => {
      over.abort();
      return watch;
    },
  };
}

/** Names the files of a run, for messages. */
function filesIn(args: readonly string[]): string {
  const [first = 'no file', ...others] = args.filter((arg) => arg.endsWith('.ts'));
  return others.length === 0 ? first : `${first} and ${others.length} others`;
}

interface WrittenCounts extends TestCounts {
  ended: boolean;
  /** What keeps the process running some seconds after its last test. */
  running?: readonly string[];
}

/** The result of a run, from the counts that the reporter wrote and the way in which mocha ended. Pure. */
export function judge(
  { ended, passed, failed, failures, running = [] }: WrittenCounts,
  code: number | null,
  leftRunning: boolean,
  files = 'all files',
): TestCounts {
  const also = (why: string): TestCounts => ({ passed, failed: failed + 1, failures: [...failures, why] });
  if (!ended)
    return also(
      `Mocha ended before its last test (${code === null ? 'killed' : `exit code ${code}`}). See the output above.`,
    );
  if (leftRunning)
    return also(
      `Mocha did not end after its last test, because a test left something running (${files}): ${running.join(', ') || 'not known'}.`,
    );
  if (passed + failed === 0) return also('No test ran.');
  if (failed === 0 && code !== 0) return also(`Mocha ended with exit code ${code ?? 'none'}. See the output above.`);
  return { passed, failed, failures };
}

function readCounts(file: string): WrittenCounts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as WrittenCounts;
  } catch {
    return { ended: false, passed: 0, failed: 0, failures: [] };
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
