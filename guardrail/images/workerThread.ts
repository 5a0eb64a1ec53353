import { Worker } from 'node:worker_threads';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { ImagesBusyError } from './contract.ts';
import type { Job } from './jobQueue.ts';
import type { Task, WorkerMessage, WorkerReply, WorkerSettings } from './workerProtocol.ts';

export interface WorkerThreadOptions extends WorkerSettings {
  readonly program: URL;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly stopMs: number;
  /** Called when a job has ended, with or without success. */
  readonly onEnd: (job: Job, ms: number) => void;
  /** Called for a job that must run again, because another job ended the thread. The job is not charged. */
  readonly onRequeue: (job: Job) => void;
  /** Called when the thread can run another job. */
  readonly onFree: () => void;
}

interface Running {
  readonly job: Job;
  readonly started: number;
  timer: NodeJS.Timeout;
  isStopping: boolean;
}

/**
 * A worker thread that reads one image and rewrites another one at the same time: a rewrite takes a fiftieth of the
 * time of a read and must not wait for reads. The thread starts with its first job, ends when it is idle, and is
 * replaced when it fails or hangs.
 */
export class WorkerThread {
  readonly #options: WorkerThreadOptions;
  readonly #running = new Map<Task['kind'], Running>();
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: WorkerThreadOptions) {
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
    this.#worker.postMessage(job.task satisfies WorkerMessage);
  }

  /** Cancels the current read. */
  stopReading(): void {
    const read = this.#running.get('read');
    if (!read || read.isStopping) return;
    read.isStopping = true;
    clearTimeout(read.timer);
    read.timer = this.#startTimeout('read', this.#options.stopMs);
    this.#worker?.postMessage({ kind: 'stop' } satisfies WorkerMessage);
  }

  /** Ends the thread and rejects its jobs. */
  async close(error: Error): Promise<void> {
    for (const kind of this.#running.keys()) this.#finish(kind)?.reject(error);
    await this.#endWorker();
  }

  #startWorker(): Worker {
    const { program, budgetMs } = this.#options;
    const workerData: WorkerSettings = { budgetMs };
    // The output of the OCR engine can quote the image, so it is discarded.
    const worker = new Worker(program, { stdout: true, stderr: true, workerData });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (reply: WorkerReply) => {
      this.#onReply(reply);
    });
    const onFailure = (): void => {
      void this.close(new DetectorUnavailableError('Image OCR failed.'));
      this.#options.onFree();
    };
    worker.on('error', onFailure);
    worker.on('exit', onFailure);
    // An idle thread does not keep the process running.
    worker.unref();
    return worker;
  }

  #onReply({ kind, answer }: WorkerReply): void {
    const job = this.#finish(kind);
    if (this.#running.size === 0) {
      this.#idleTimer = setTimeout(() => void this.#endWorker(), this.#options.idleMs);
      this.#idleTimer.unref();
    }
    job?.resolve(answer);
    this.#options.onFree();
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker;
    clearTimeout(this.#idleTimer);
    this.#worker = undefined;
    worker?.removeAllListeners();
    worker?.on('error', () => undefined);
    await worker?.terminate();
  }

  #startTimeout(kind: Task['kind'], ms: number): NodeJS.Timeout {
    const { timeoutMs } = this.#options;
    return setTimeout(() => {
      const message = `Image OCR exceeded ${timeoutMs} ms for one image.`;
      this.#replace(kind, new ImagesBusyError('timeout', message, timeoutMs));
    }, ms);
  }

  /** Ends the thread because of one job. The other job runs again: an image of another tenant can cause the hang. */
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
