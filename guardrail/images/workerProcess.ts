import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { ImagesBusyError } from './contract.ts';
import type { Job } from './jobQueue.ts';
import type { Answer, Task, WorkerMessage, WorkerReply } from './workerProtocol.ts';

export interface WorkerProcessOptions {
  readonly program: URL;
  /** The time limit for a step of a task, in milliseconds. */
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly stopMs: number;
  /** Called when a job has ended, with or without success. */
  readonly onEnd: (job: Job, ms: number) => void;
  /** Called for a job that must run again, because another job ended the process. The job is not charged. */
  readonly onRequeue: (job: Job) => void;
  /** Called when the process can run another job. */
  readonly onFree: () => void;
}

interface Running {
  readonly job: Job;
  readonly started: number;
  timer: NodeJS.Timeout;
  isStopping: boolean;
}

/**
 * A process that reads one image and rewrites another one at the same time: a rewrite takes a fiftieth of the time of a read
 * and must not wait for reads. The process starts with its first job, ends when it is idle, and is replaced when it fails or
 * hangs. What it does cannot harm the service: a decoder that crashes, or one that takes too much memory.
 */
export class WorkerProcess {
  readonly #options: WorkerProcessOptions;
  readonly #running = new Map<Task['kind'], Running>();
  #worker: ChildProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: WorkerProcessOptions) {
    this.#options = options;
  }

  current(kind: Task['kind']): Job | undefined {
    return this.#running.get(kind)?.job;
  }

  run(job: Job): void {
    const { kind } = job.task;
    clearTimeout(this.#idleTimer);
    const timer = this.#startTimeout(kind, this.#options.timeoutMs);
    this.#running.set(kind, { job, timer, started: performance.now(), isStopping: false });
    this.#worker ??= this.#startWorker();
    this.#worker.send(job.task satisfies WorkerMessage, onSent);
  }

  /** Cancels the current read. */
  stopReading(): void {
    const read = this.#running.get('read');
    if (!read || read.isStopping) return;
    read.isStopping = true;
    clearTimeout(read.timer);
    read.timer = this.#startTimeout('read', this.#options.stopMs);
    this.#worker?.send({ kind: 'stop' } satisfies WorkerMessage, onSent);
  }

  /** Ends the process and rejects its jobs. */
  async close(error: Error): Promise<void> {
    for (const kind of this.#running.keys()) this.#finish(kind)?.reject(error);
    await this.#endWorker();
  }

  #startWorker(): ChildProcess {
    const worker = fork(this.#options.program, {
      // It gets neither the settings of the service, which contain keys, nor its debugger.
      env: environment(),
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      serialization: 'advanced',
      // What libraries print can quote the image.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    worker.on('message', (reply: WorkerReply) => {
      if (reply.answer) this.#onAnswer(reply.kind, reply.answer);
      else this.#onProgress(reply.kind);
    });
    const onFailure = (): void => {
      void this.close(new DetectorUnavailableError('Image OCR failed.'));
      this.#options.onFree();
    };
    worker.on('error', onFailure);
    worker.on('exit', onFailure);
    // An idle process does not keep the service running.
    worker.unref();
    worker.channel?.unref();
    return worker;
  }

  #onAnswer(kind: Task['kind'], answer: Answer): void {
    const job = this.#finish(kind);
    if (this.#running.size === 0) {
      this.#idleTimer = setTimeout(() => void this.#endWorker(), this.#options.idleMs);
      this.#idleTimer.unref();
    }
    job?.resolve(answer);
    this.#options.onFree();
  }

  /** A long page takes many steps. Their number is limited. */
  #onProgress(kind: Task['kind']): void {
    const running = this.#running.get(kind);
    if (running && !running.isStopping) running.timer.refresh();
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker;
    clearTimeout(this.#idleTimer);
    this.#worker = undefined;
    if (!worker) return;
    worker.removeAllListeners();
    worker.on('error', () => undefined);
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    const ended = once(worker, 'exit');
    worker.ref();
    worker.kill('SIGKILL');
    await ended;
  }

  #startTimeout(kind: Task['kind'], ms: number): NodeJS.Timeout {
    const { timeoutMs } = this.#options;
    return setTimeout(() => {
      const message = `Image OCR made no progress for ${timeoutMs} ms.`;
      this.#replace(kind, new ImagesBusyError('timeout', message, timeoutMs));
    }, ms);
  }

  /** Ends the process because of one job. The other job runs again: an image of another tenant can cause the hang. */
  #replace(failed: Task['kind'], error: Error): void {
    this.#finish(failed)?.reject(error);
    for (const kind of this.#running.keys()) {
      const other = this.#take(kind);
      if (other) this.#options.onRequeue(other.job);
    }
    void this.#endWorker();
    this.#options.onFree();
  }

  #finish(kind: Task['kind']): Job | undefined {
    const running = this.#take(kind);
    if (running) this.#options.onEnd(running.job, performance.now() - running.started);
    return running?.job;
  }

  #take(kind: Task['kind']): Running | undefined {
    const running = this.#running.get(kind);
    clearTimeout(running?.timer);
    this.#running.delete(kind);
    return running;
  }
}

/** The heap of the process. Pixels and the memory of the networks are outside it. */
const HEAP_MIB = 192;

/** What a Node program needs. */
function environment(): NodeJS.ProcessEnv {
  const names = ['NODE_COMPILE_CACHE', 'PATH', 'LD_LIBRARY_PATH'];
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  // Few arenas and threads, so that freed memory is used again.
  return { ...Object.fromEntries(kept), MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' };
}

/** If the process has ended, its event `exit` says so too. */
function onSent(): void {
  // Nothing to do.
}
