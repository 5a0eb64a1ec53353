import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What a run of mocha came to. */
export interface TestCounts {
  passed: number;
  failed: number;
  /** One line for each that failed. */
  failures: string[];
}

/** How mocha is run, where that is not the usual way. */
export interface RunOptions {
  /** A command that runs the command which follows it, such as `unshare`; ends it, too, when it is killed itself. */
  readonly through?: readonly string[];
  /** Beside this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the run at once. */
  readonly abort?: AbortSignal;
  /** For a run beside another: shows the output as one piece, when this run and the other have ended. */
  readonly heldUntil?: Promise<unknown>;
}

/** A test run that has ended lets its process end too; one that does not has left something running. */
const LEFT_RUNNING_MS = 30_000;
const WATCH_MS = 500;
/** The rest of the output of a process that has ended is there at once. */
const FLUSHED_MS = 2_000;

/**
 * Runs mocha, its output on this process's, with these arguments. Never throws: a run that breaks off, runs no test, or
 * leaves something running counts as a failure.
 */
export async function runMocha(
  root: string,
  args: readonly string[],
  { through = [], env = {}, abort, heldUntil }: RunOptions = {},
): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'test-counts-'));
  const file = join(folder, 'counts.json');
  try {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
    const reporter = ['--reporter', join(import.meta.dirname, 'reporter.mjs'), '--reporter-option', `file=${file}`];
    const [command = '', ...rest] = [...through, process.execPath, mocha, ...reporter, ...args];
    const child = spawn(command, rest, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: heldUntil ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => output.push(piece));
    const closed = once(child, 'close');
    closed.catch(() => undefined);
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
    let leftRunning = false;
    const over = new AbortController();
    const watch = (async () => {
      while (!over.signal.aborted && !readCounts(file).ended) await pause(WATCH_MS, over.signal);
      await pause(LEFT_RUNNING_MS, over.signal);
      if (over.signal.aborted) return;
      leftRunning = true;
      child.kill('SIGKILL');
    })();
    const code = await exited;
    process.off('exit', stop);
    abort?.removeEventListener('abort', stop);
    over.abort();
    await watch;
    if (heldUntil) {
      // A process that was left running may hold the pipes open.
      await Promise.race([closed, delay(FLUSHED_MS, undefined, { ref: false })]);
      await Promise.allSettled([heldUntil]);
      process.stdout.write(Buffer.concat(output));
    }
    return judge(readCounts(file), code, leftRunning);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface WrittenCounts extends TestCounts {
  ended: boolean;
}

/** What the written counts and the way in which mocha ended amount to. Pure. */
export function judge(
  { ended, passed, failed, failures }: WrittenCounts,
  code: number | null,
  leftRunning: boolean,
): TestCounts {
  const also = (why: string): TestCounts => ({ passed, failed: failed + 1, failures: [...failures, why] });
  if (!ended) return also(`mocha broke off (${code === null ? 'killed' : `exit code ${code}`}): see above.`);
  if (leftRunning) return also('Some test left something running: mocha did not end after its last test.');
  if (passed + failed === 0) return also('Not a single test ran.');
  if (failed === 0 && code !== 0) return also(`mocha ended with exit code ${code ?? 'none'}: see above.`);
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
