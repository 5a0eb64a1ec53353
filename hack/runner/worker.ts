/**
 * A process that runs test files, one after the other. It receives a {@link WorkerOrder} as a message, and answers with a
 * {@link WorkerReport}. It ends when the other side disconnects, unless a test has left something running.
 *
 * Modules and servers that files share, such as the packages, are loaded once for all files of a worker.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import Mocha from 'mocha';
import mochaOptions from '../../.mocharc.json' with { type: 'json' };
import './properties.ts';

/** A file to run. */
export interface WorkerOrder {
  readonly file: string;
  /** The time limit of a test, unless the file sets another. Default: that of `.mocharc.json`. */
  readonly timeoutMs?: number;
  /** A module that exports `mochaHooks`, which run around each test. */
  readonly hooks?: string;
}

interface HooksModule {
  readonly mochaHooks: Mocha.RootHookObject;
}

/** The result of one file. */
export interface WorkerReport {
  readonly passed: number;
  readonly failures: readonly TestFailure[];
  /** Processor time of this process, and of processes that it has waited for, in milliseconds. */
  readonly processorMs: number;
  /** What was not there before the file: sockets, processes and timers. */
  readonly leftRunning: readonly string[];
}

/** A failed test, or hook. */
export interface TestFailure {
  readonly title: string;
  /** The start of the error's message. For a property, it contains the seed. */
  readonly message: string;
}

/** Lines and characters of a message in the summary. The complete error stands in the output of the file. */
const MESSAGE_LINES = 3;
const MESSAGE_LENGTH = 300;

async function run({ file, timeoutMs = mochaOptions.timeout, hooks }: WorkerOrder): Promise<WorkerReport> {
  const processorBefore = processorMs();
  const runningBefore = running();
  const rootHooks = hooks === undefined ? {} : ((await import(hooks)) as HooksModule).mochaHooks;
  const mocha = new Mocha({
    timeout: timeoutMs,
    rootHooks,
    forbidOnly: mochaOptions.forbidOnly,
    forbidPending: mochaOptions.forbidPending,
    reporter: 'spec',
  });
  mocha.addFile(file);
  const failures: TestFailure[] = [];
  let passed = 0;
  await mocha.loadFilesAsync();
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => {
      resolve();
    });
    runner.on('pass', () => {
      passed += 1;
    });
    runner.on('fail', (test: Mocha.Runnable, error: unknown) => {
      failures.push({ title: test.fullTitle(), message: startOf(error) });
    });
  });
  mocha.dispose();
  if (passed + failures.length === 0) {
    failures.push({ title: basename(file), message: 'The file registers no test.' });
  }
  return {
    passed,
    failures,
    processorMs: processorMs() - processorBefore,
    leftRunning: added(runningBefore, running()),
  };
}

function startOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').slice(0, MESSAGE_LINES).join(' ').slice(0, MESSAGE_LENGTH);
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrensProcessorMs();
}

/** Processor time of children that have ended. Linux only; elsewhere 0. See proc_pid_stat(5), fields 16 and 17. */
function childrensProcessorMs(): number {
  const TICK_MS = 10;
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  } catch {
    return 0;
  }
}

/** The kinds of what keeps this process running. The channel to the other side is a pipe that is always there. */
function running(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate');
}

function added(before: readonly string[], after: readonly string[]): string[] {
  const rest = [...before];
  return after.filter((kind) => {
    const at = rest.indexOf(kind);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

process.on('message', (order: WorkerOrder) => {
  void run(order).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      console.error(error);
      const failure: TestFailure = { title: `${basename(order.file)} cannot be loaded`, message: startOf(error) };
      process.send?.({ passed: 0, failures: [failure], processorMs: 0, leftRunning: [] } satisfies WorkerReport);
    },
  );
});
// By default, these signals end the process without its exit handlers, which end the servers that tests started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
