/** The threads that read pictures, and the pictures that wait for them. */
import { DetectorUnavailableError } from '../detection/detection.ts';
import { ImagesBusyError, UnreadableImageError, type PictureCaller, type PictureReader } from './contract.ts';
import { createThread, type Answer, type Job, type Task } from './workerThread.ts';
import { createWaitingPictures } from './jobQueue.ts';

export interface WorkerOptions {
  /** Default one, which takes 150 to 300 MB; more pictures at once take more processes or replicas. */
  readonly threads?: number;
  /**
   * The processor time that reading one picture may take, in milliseconds; default 5 s. A page takes one to three; without
   * a bound, a few megapixels of small print take a minute and a half, and everybody else waits. What takes longer is
   * refused as what cannot be read.
   */
  readonly budgetMs?: number;
  /** How long one picture may take by the clock, in milliseconds; default 20 s: its budget, at a quarter of a processor. */
  readonly timeoutMs?: number;
  /**
   * A thread without work ends after this time, in milliseconds, and gives most of its memory back; default two minutes.
   * Starting it anew takes about as long as reading a line.
   */
  readonly idleMs?: number;
  /** Told how long each task took, in seconds, and how it went. */
  readonly observe?: (task: Task['kind'], outcome: 'ok' | 'refused' | 'error', seconds: number) => void;
  /** Another program, for faults that the real one cannot be made to show. */
  readonly program?: URL;
}

/** How long an image takes until some have been read, and over how many the average moves. */
const FIRST_TASK_MS = 1000;
const PACE_TASKS = 8;

export function createWorkers(options: WorkerOptions = {}): PictureReader {
  const waiting = createWaitingPictures();
  let closed = false;
  /** A moving average, from which a caller learns when to try again. */
  const taskMs = { read: FIRST_TASK_MS, rewrite: FIRST_TASK_MS };

  const startNext = (): void => {
    for (const thread of threads) {
      for (const kind of ['rewrite', 'read'] as const) {
        if (closed || thread.inWork(kind)) continue;
        const job = waiting.next(kind);
        if (job) thread.run(job);
      }
    }
    if (waiting.size('read') > 0) stopAbandoned();
  };

  const threads = Array.from({ length: options.threads ?? 1 }, () =>
    createThread({
      program: options.program ?? new URL('./workerProgram.ts', import.meta.url),
      budgetMs: options.budgetMs ?? 5000,
      timeoutMs: options.timeoutMs ?? 20_000,
      idleMs: options.idleMs ?? 120_000,
      onEnd(job, ms) {
        const { kind } = job.task;
        taskMs[kind] += (ms - taskMs[kind]) / PACE_TASKS;
        waiting.charge(job, ms);
      },
      onReturn(job) {
        if (!job.caller.signal.aborted) waiting.putBack(job);
      },
      onFree: startNext,
    }),
  );

  /** Ends reads that nobody waits for: there are others who do. */
  const stopAbandoned = (): void => {
    for (const thread of threads) if (thread.inWork('read')?.caller.signal.aborted) thread.stopReading();
  };

  const leave = (job: Job): void => {
    const isWaiting = waiting.leave(job);
    if (!isWaiting && job.caller.isKept && waiting.size(job.task.kind) === 0) return;
    job.reject(callEnded());
    threads.find((thread) => thread.inWork('read') === job)?.stopReading();
  };

  const run = (task: Task, caller: PictureCaller): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { tenant, signal } = caller;
      if (closed || signal.aborted) {
        reject(closed ? shuttingDown() : callEnded());
        return;
      }
      const job: Job = { task, caller, tenant, weight: 1, resolve, reject };
      if (!waiting.add(job)) {
        const message = 'There are more images than can be read in time: try again.';
        const waitMs = (waiting.size(task.kind) * taskMs[task.kind]) / threads.length;
        reject(new ImagesBusyError('overloaded', message, waitMs));
        return;
      }
      signal.addEventListener(
        'abort',
        () => {
          leave(job);
        },
        { once: true },
      );
      startNext();
    });

  const observed = async (task: Task, caller: PictureCaller): Promise<Answer> => {
    const begun = performance.now();
    const observe = (outcome: 'ok' | 'refused' | 'error'): void => {
      options.observe?.(task.kind, outcome, (performance.now() - begun) / 1000);
    };
    try {
      const answer = await run(task, caller);
      if ('isStopped' in answer) throw callEnded();
      observe('problem' in answer ? 'refused' : 'ok');
      if ('problem' in answer) throw new UnreadableImageError(answer.problem);
      return answer;
    } catch (error) {
      if (!(error instanceof UnreadableImageError)) observe('error');
      throw error;
    }
  };

  return {
    async read({ bytes, format }, caller) {
      const answer = await observed({ kind: 'read', bytes, format }, caller);
      if (!('reading' in answer)) throw new Error('A thread answered another task than it was given.');
      return answer.reading;
    },

    async rewrite({ bytes, format, isLossless }, boxes, caller) {
      const answer = await observed({ kind: 'rewrite', bytes, boxes, format, isLossless }, caller);
      if (!('bytes' in answer)) throw new Error('A thread answered another task than it was given.');
      return answer.bytes;
    },

    async close() {
      closed = true;
      const error = shuttingDown();
      for (const job of waiting.takeAll()) job.reject(error);
      await Promise.all(threads.map((thread) => thread.close(error)));
    },
  };
}

const shuttingDown = (): Error => new DetectorUnavailableError('The service is shutting down.');
const callEnded = (): Error => new DetectorUnavailableError('The call ended before its image was read.');
