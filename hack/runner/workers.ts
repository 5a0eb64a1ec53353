/** Runs test files in worker processes, each of them one file at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeAtExit } from '../harness/processes.ts';
import type { Outcome } from './outcome.ts';
import type { TestFailure, WorkerOrder, WorkerReport } from './worker.ts';

/** The outcome of a test file. Its name is the path, relative to the project. */
export interface FileOutcome extends Outcome {
  /** Everything that the run printed. Empty where it was shown while the file ran. */
  readonly output: string;
}

export interface WorkerOptions {
  /** Variables in addition to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Shows what tests print while they run. Then only one file may run at a time. */
  readonly live?: boolean;
  /** A command, such as `nsenter`, that runs the command which follows it, and ends with it. */
  readonly through?: readonly string[];
  /** How tests run, where that is not the usual way. */
  readonly tests?: Omit<WorkerOrder, 'file'>;
  /** The longest time for one file, in milliseconds. A file that blocks its worker is ended after it. Default: 20 minutes. */
  readonly fileLimitMs?: number;
}

/** A worker that did not end. */
export interface StuckWorker {
  /** The files that it ran. */
  readonly files: readonly string[];
  /** What it printed after them: what keeps it running. */
  readonly output: string;
}

const FILE_LIMIT_MS = 20 * 60_000;
/** How long a worker may run after its last file. It ends at once unless a test has left something running. */
const LEFT_RUNNING_MS = 30_000;

const WORKER = join(import.meta.dirname, 'worker.ts');

/** Idle and busy workers. */
export class Workers {
  readonly #root: string;
  readonly #options: WorkerOptions;
  readonly #logs = mkdtempSync(join(tmpdir(), 'test-output-'));
  readonly #all = new Set<Worker>();
  readonly #idle: Worker[] = [];
  #started = 0;

  constructor(root: string, options: WorkerOptions = {}) {
    this.#root = root;
    this.#options = options;
    // A run that is aborted still reads its output.
    removeAtExit(this.#logs);
  }

  /**
   * Runs a file in an idle worker, or in a new one. Never throws: a worker that dies is a failure of the file.
   * @param alone runs it in a new process, which ends afterwards
   */
  async run(file: string, { alone = false } = {}): Promise<FileOutcome> {
    const worker = (alone ? undefined : this.#idle.pop()) ?? this.#start();
    const result = await worker.run(file);
    if (worker.isAlive && !alone) this.#idle.push(worker);
    else if (alone) await this.#end(worker);
    return result;
  }

  /** Ends all workers, and returns those that a test kept running. */
  async end(): Promise<StuckWorker[]> {
    const stuck = await Promise.all([...this.#all].map((worker) => this.#end(worker)));
    rmSync(this.#logs, { recursive: true, force: true });
    return stuck.flatMap((worker) => worker ?? []);
  }

  /** Ends all workers at once. */
  abort(): void {
    for (const worker of this.#all) worker.abort();
  }

  #start(): Worker {
    this.#started += 1;
    const worker = new Worker(this.#root, join(this.#logs, String(this.#started)), this.#options);
    this.#all.add(worker);
    return worker;
  }

  async #end(worker: Worker): Promise<StuckWorker | undefined> {
    const stuck = await worker.end();
    this.#all.delete(worker);
    return stuck;
  }
}

class Worker {
  readonly #root: string;
  readonly #log: string;
  readonly #options: WorkerOptions;
  readonly #child: ChildProcess;
  readonly #files: string[] = [];
  #readTo = 0;

  constructor(root: string, log: string, options: WorkerOptions) {
    this.#root = root;
    this.#log = log;
    this.#options = options;
    const { env = {}, live = false, through = [] } = options;
    // A file and not a pipe: when a report arrives, all that the test has printed is there.
    const output = openSync(log, 'w');
    const [command, ...args] = [...through, process.execPath, WORKER];
    this.#child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: live ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', output, output, 'ipc'],
    });
    closeSync(output);
  }

  get isAlive(): boolean {
    return this.#child.connected;
  }

  async run(file: string): Promise<FileOutcome> {
    const started = performance.now();
    this.#files.push(file);
    const over = new AbortController();
    const { fileLimitMs = FILE_LIMIT_MS } = this.#options;
    const report = await Promise.race([
      once(this.#child, 'message', { signal: over.signal }).then(([message]) => message as WorkerReport),
      once(this.#child, 'exit', { signal: over.signal }).then(([code, signal]) =>
        died(`Its process ended (${signal === null ? `exit code ${String(code)}` : String(signal)}).`),
      ),
      delay(fileLimitMs, undefined, { signal: over.signal }).then(() => {
        this.abort();
        return died(`It ran for more than ${fileLimitMs / 60_000} minutes.`);
      }),
      this.#sent(join(this.#root, file)),
    ]).finally(() => {
      over.abort();
    });
    return { ...report, name: file, wallMs: performance.now() - started, output: this.#output() };
  }

  async end(): Promise<StuckWorker | undefined> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return undefined;
    const exited = once(this.#child, 'exit').then(() => true);
    if (this.#child.connected) this.#child.disconnect();
    if (await Promise.race([exited, delay(LEFT_RUNNING_MS, false, { ref: false })])) return undefined;
    this.#child.kill('SIGKILL');
    await exited;
    return { files: this.#files, output: this.#output() };
  }

  abort(): void {
    // A command that waits for another one may ignore SIGTERM.
    this.#child.kill(this.#options.through === undefined ? 'SIGTERM' : 'SIGKILL');
  }

  /** Sends the file to the worker. Settles only if that fails. */
  #sent(file: string): Promise<WorkerReport> {
    return new Promise((resolve) => {
      const order: WorkerOrder = { ...this.#options.tests, file };
      this.#child.send(order, (error) => {
        if (error) resolve(died(`Its process cannot be reached: ${error.message}.`));
      });
    });
  }

  #output(): string {
    const all = readFileSync(this.#log);
    const text = all.toString('utf8', this.#readTo);
    this.#readTo = all.length;
    return text;
  }
}

function died(message: string): WorkerReport {
  const failure: TestFailure = { title: 'the run of the file', message };
  return { passed: 0, failures: [failure], processorMs: 0 };
}
