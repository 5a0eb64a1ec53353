/**
 * A process that runs test files, one after the other. It receives a {@link WorkerOrder} as a message, and answers with a
 * {@link WorkerReport}. It ends when the other side disconnects, unless a test has left something running.
 *
 * Modules and servers that files share, such as the packages, are loaded once for all files of a worker.
 */
import { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Server, Socket } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
  /** How long what the tests started may take to end after them, in milliseconds. Default: 5,000. */
  readonly endsWithinMs?: number;
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
/** How long processes and sockets may take to end after the last test of a file, and how often this is looked at. */
const ENDS_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 10;

async function run({
  file,
  timeoutMs = mochaOptions.timeout,
  hooks,
  endsWithinMs = ENDS_WITHIN_MS,
}: WorkerOrder): Promise<WorkerReport> {
  const processorBefore = processorMs();
  const before = { kinds: kindsOfRunning(), handles: runningHandles() };
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
  const leftRunning = await stillRunning(before, endsWithinMs);
  if (leftRunning.length > 0) {
    failures.push({ title: basename(file), message: `Its tests left something running: ${leftRunning.join(', ')}.` });
  }
  return { passed, failures, processorMs: processorMs() - processorBefore };
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

/** What keeps this process running: the kinds of Node, one for each resource, and the objects behind most of them. */
interface Running {
  readonly kinds: readonly string[];
  readonly handles: readonly object[];
}

function kindsOfRunning(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate');
}

/** Node documents the kinds alone. Its older function also returns the processes, servers and sockets, which have names. */
function runningHandles(): object[] {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles?: () => object[] };
  return handles?.call(process) ?? [];
}

/**
 * What was not there before, and does not end within a time in milliseconds. A socket, or a process that was ended, is there for
 * some milliseconds after the test that closed it.
 */
async function stillRunning(before: Running, withinMs: number): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  let kinds = without(kindsOfRunning(), before.kinds);
  while (kinds.length > 0 && performance.now() < deadline) {
    await delay(LOOK_EVERY_MS, undefined, { ref: false });
    kinds = without(kindsOfRunning(), before.kinds);
  }
  if (kinds.length === 0) return [];
  return [...kinds, ...without(runningHandles(), before.handles).map(describe)];
}

function describe(handle: object): string {
  if (handle instanceof ChildProcess) return `process ${handle.spawnargs.join(' ')}`;
  if (handle instanceof Server) return `server ${JSON.stringify(handle.address())}`;
  if (handle instanceof Socket) return `socket from port ${String(handle.localPort)} to ${String(handle.remotePort)}`;
  return handle.constructor.name;
}

/** The elements of a list without those of another one, each as often as it stands there. */
function without<T>(all: readonly T[], others: readonly T[]): T[] {
  const rest = [...others];
  return all.filter((element) => {
    const at = rest.indexOf(element);
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
      process.send?.({ passed: 0, failures: [failure], processorMs: 0 } satisfies WorkerReport);
    },
  );
});
process.once('disconnect', () => {
  void delay(ENDS_WITHIN_MS, undefined, { ref: false }).then(() => {
    console.error([...kindsOfRunning(), ...runningHandles().map(describe)].join(', '));
  });
});
// By default, these signals end the process without its exit handlers, which end the servers that tests started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
