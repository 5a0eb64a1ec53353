import { DetectorUnavailableError } from '../detection/detection.ts';
import {
  ImagesBusyError,
  UnreadableImageError,
  type ImageCaller,
  type ImageFile,
  type ImageProcessor,
  type OcrResult,
} from './contract.ts';
import type { Rectangle } from './geometry.ts';
import { JobQueue, type Job } from './jobQueue.ts';
import type { Answer, Task } from './workerProtocol.ts';
import { WorkerProcess } from './workerProcess.ts';

export interface WorkerPoolOptions {
  /** The number of processes; default 1. A process takes 300 to 600 MB. For more throughput, add replicas. */
  readonly processes?: number;
  /**
   * The time limit for a step of a task, in milliseconds; default 60 s. A step takes less than a second of processor time, but
   * others take precedence. The number of steps grows with the size of the image and its text, and is limited.
   */
  readonly timeoutMs?: number;
  /**
   * An idle process ends after this time, in milliseconds, and frees its memory; default 2 min. A start takes about as long
   * as reading ten lines.
   */
  readonly idleMs?: number;
  /** A process that does not stop a read within this time, in milliseconds, is replaced; default 5 s. */
  readonly stopMs?: number;
  /** Called with the outcome and the duration of each task. */
  readonly observe?: (task: Task['kind'], outcome: Outcome, seconds: number) => void;
  /** Another program for the processes, for tests of faults. */
  readonly program?: URL;
}

type Outcome = 'ok' | 'refused' | 'error';

/** The assumed duration of a task before the first measurement, and the window of the moving average. */
const FIRST_TASK_MS = 1000;
const AVERAGE_TASKS = 8;

/** Creates a pool of processes that read and redact images. */
export function createImageWorkerPool(options: WorkerPoolOptions = {}): ImageProcessor {
  return new ImageWorkerPool(options);
}

class ImageWorkerPool implements ImageProcessor {
  readonly #observe: WorkerPoolOptions['observe'];
  readonly #queue = new JobQueue();
  readonly #processes: readonly WorkerProcess[];
  /** A moving average of durations, for the estimated wait. */
  readonly #averageMs = { read: FIRST_TASK_MS, rewrite: FIRST_TASK_MS };
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#observe = options.observe;
    this.#processes = Array.from({ length: options.processes ?? 1 }, () => this.#createProcess(options));
  }

  async read({ bytes, format }: ImageFile, caller: ImageCaller): Promise<OcrResult> {
    const answer = await this.#runObserved({ kind: 'read', bytes, format }, caller);
    if (!('result' in answer)) throw new Error('A process answered another task.');
    return answer.result;
  }

  async rewrite(
    { bytes, format, isLossless }: ImageFile,
    areas: readonly Rectangle[],
    caller: ImageCaller,
  ): Promise<Uint8Array> {
    const answer = await this.#runObserved({ kind: 'rewrite', bytes, areas, format, isLossless }, caller);
    if (!('bytes' in answer)) throw new Error('A process answered another task.');
    return answer.bytes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const error = shuttingDown();
    for (const job of this.#queue.removeAll()) job.reject(error);
    await Promise.all(this.#processes.map((each) => each.close(error)));
  }

  #createProcess({ program, timeoutMs = 60_000, idleMs = 120_000, stopMs = 5000 }: WorkerPoolOptions): WorkerProcess {
    return new WorkerProcess({
      program: program ?? new URL('./workerProgram.ts', import.meta.url),
      timeoutMs,
      idleMs,
      stopMs,
      onEnd: (job, ms) => {
        const { kind } = job.task;
        this.#averageMs[kind] += (ms - this.#averageMs[kind]) / AVERAGE_TASKS;
        this.#queue.charge(job, ms);
      },
      onRequeue: (job) => {
        if (!job.caller.signal.aborted) this.#queue.requeue(job);
      },
      onFree: () => {
        this.#startNext();
      },
    });
  }

  async #runObserved(task: Task, caller: ImageCaller): Promise<Answer> {
    const begun = performance.now();
    const observe = (outcome: Outcome): void => {
      this.#observe?.(task.kind, outcome, (performance.now() - begun) / 1000);
    };
    try {
      const answer = await this.#run(task, caller);
      if ('isStopped' in answer) throw callEnded();
      observe('problem' in answer ? 'refused' : 'ok');
      if ('problem' in answer) throw new UnreadableImageError(answer.problem);
      return answer;
    } catch (error) {
      if (!(error instanceof UnreadableImageError)) observe('error');
      throw error;
    }
  }

  #run(task: Task, caller: ImageCaller): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { tenant, signal } = caller;
      if (this.#isClosed || signal.aborted) {
        reject(this.#isClosed ? shuttingDown() : callEnded());
        return;
      }
      const job: Job = { task, caller, tenant, weight: 1, resolve, reject };
      if (!this.#queue.add(job)) {
        const waitMs = (this.#queue.size(task.kind) * this.#averageMs[task.kind]) / this.#processes.length;
        reject(new ImagesBusyError('overloaded', 'Too many images are waiting for OCR. Try again later.', waitMs));
        return;
      }
      const onAbort = (): void => {
        this.#abandon(job);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#startNext();
    });
  }

  #startNext(): void {
    for (const worker of this.#processes) {
      for (const kind of ['rewrite', 'read'] as const) {
        if (this.#isClosed || worker.current(kind)) continue;
        const job = this.#queue.next(kind);
        if (job) worker.run(job);
      }
    }
    if (this.#queue.size('read') > 0) this.#stopAbandonedReads();
  }

  /** Handles the end of a call. A read whose result is cached continues while no other image waits. */
  #abandon(job: Job): void {
    const wasWaiting = this.#queue.remove(job);
    if (!wasWaiting && job.caller.isCached && this.#queue.size(job.task.kind) === 0) return;
    job.reject(callEnded());
    this.#processes.find((each) => each.current('read') === job)?.stopReading();
  }

  #stopAbandonedReads(): void {
    for (const worker of this.#processes) if (worker.current('read')?.caller.signal.aborted) worker.stopReading();
  }
}

const shuttingDown = (): Error => new DetectorUnavailableError('The service is shutting down.');
const callEnded = (): Error => new DetectorUnavailableError('The call ended before its image was read.');
