import { type ChildProcess, spawn } from 'node:child_process';
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
  /** Ends the run at once. */
  readonly abort?: AbortSignal;
}

/** How long mocha may run after its last test. It ends at once unless a test has left something running. */
const LEFT_RUNNING_MS = 30_000;
const WATCH_MS = 500;

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
  const { through = [], env = {} } = options;
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  const reporter = ['--reporter', join(import.meta.dirname, 'reporter.mjs'), '--reporter-option', `file=${countsFile}`];
  const [command = '', ...rest] = [...through, process.execPath, mocha, ...reporter, ...args];
  return spawn(command, rest, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Waits for the end of a run. Ends it if it is aborted, if this process ends, or if a test has left something running. */
async function endOf(
  child: ChildProcess,
  countsFile: string,
  { through = [], abort }: RunOptions,
): Promise<{ code: number | null; leftRunning: boolean }> {
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
  return { code, leftRunning };
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
