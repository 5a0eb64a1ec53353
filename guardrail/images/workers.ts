/** The threads that read pictures: started when the first one comes, bounded, replaced when one dies or hangs. */
import { Worker } from 'node:worker_threads';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { ImagesBusyError, UnreadableImageError, type Box, type Format, type PictureReader } from './contract.ts';
import type { Answer, Answered } from './worker.ts';

/** What a thread is asked to do. */
export type Task =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly format: Format }
  | {
      readonly kind: 'rewrite';
      readonly bytes: Uint8Array;
      readonly boxes: readonly Box[];
      readonly format: Format;
      readonly isLossless: boolean;
    };

export interface WorkerOptions {
  /** Default one, which takes 150 to 300 MB; more pictures at once take more processes or replicas. */
  readonly threads?: number;
  /** How long one picture may take, in milliseconds; default 20 s. */
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

/** Pictures that wait; more are refused at once. */
const MAX_WAITING = 100;
/** How long an image takes until some have been read, and over how many the average moves. */
const FIRST_TASK_MS = 1000;
const PACE_TASKS = 8;

interface Job {
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface Running extends Job {
  readonly started: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Beside the picture that it reads, a thread writes another one: that takes a fiftieth of the time, and whoever waits for
 * it would wait for the pictures of all others, too.
 */
interface Thread {
  worker: Worker | undefined;
  readonly running: Map<Task['kind'], Running>;
  /** Ends it when it has been without work for long. */
  idle: NodeJS.Timeout | undefined;
}

export function createWorkers(options: WorkerOptions = {}): PictureReader {
  const { timeoutMs = 20_000, idleMs = 120_000 } = options;
  const program = options.program ?? new URL('./worker.ts', import.meta.url);
  const threads = Array.from({ length: options.threads ?? 1 }, (): Thread => ({
    worker: undefined,
    running: new Map(),
    idle: undefined,
  }));
  const waiting = { read: new Set<Job>(), rewrite: new Set<Job>() };
  let closed = false;
  /** A moving average, from which a caller learns when to try again. */
  const taskMs = { read: FIRST_TASK_MS, rewrite: FIRST_TASK_MS };

  const stop = async (thread: Thread): Promise<void> => {
    const { worker } = thread;
    clearTimeout(thread.idle);
    thread.worker = undefined;
    worker?.removeAllListeners();
    // What is left of it has nobody to tell.
    worker?.on('error', () => undefined);
    await worker?.terminate();
  };

  const finish = (thread: Thread, kind: Task['kind']): Job | undefined => {
    const job = thread.running.get(kind);
    clearTimeout(job?.timer);
    thread.running.delete(kind);
    if (job) taskMs[kind] += (performance.now() - job.started - taskMs[kind]) / PACE_TASKS;
    return job;
  };

  const fail = (thread: Thread, error: Error): Promise<void> => {
    for (const kind of thread.running.keys()) finish(thread, kind)?.reject(error);
    return stop(thread);
  };

  const failAndGoOn = (thread: Thread, error: Error): void => {
    void fail(thread, error);
    startNext();
  };

  const start = (thread: Thread): Worker => {
    // What the engine prints about a picture is for nobody's log.
    const worker = new Worker(program, { stdout: true, stderr: true });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', ({ kind, answer }: Answered) => {
      const job = finish(thread, kind);
      if (thread.running.size === 0) {
        thread.idle = setTimeout(() => void stop(thread), idleMs);
        thread.idle.unref();
      }
      job?.resolve(answer);
      startNext();
    });
    const died = (): void => {
      failAndGoOn(thread, new DetectorUnavailableError('Image OCR failed.'));
    };
    worker.on('error', died);
    worker.on('exit', died);
    // A thread that waits for work keeps no program from ending.
    worker.unref();
    return worker;
  };

  const startNext = (): void => {
    for (const thread of threads) {
      for (const kind of ['rewrite', 'read'] as const) {
        const [job] = waiting[kind];
        if (!job || closed || thread.running.has(kind)) continue;
        waiting[kind].delete(job);
        clearTimeout(thread.idle);
        const timer = setTimeout(() => {
          const message = `Image OCR took longer than ${timeoutMs} ms for one image.`;
          failAndGoOn(thread, new ImagesBusyError('timeout', message, timeoutMs));
        }, timeoutMs);
        thread.running.set(kind, { ...job, timer, started: performance.now() });
        thread.worker ??= start(thread);
        thread.worker.postMessage(job.task);
      }
    }
  };

  const run = (task: Task, signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (closed || signal.aborted) {
        reject(closed ? shuttingDown() : callEnded());
        return;
      }
      const { size } = waiting[task.kind];
      if (size >= MAX_WAITING) {
        const message = 'There are more images than can be read in time: try again.';
        reject(new ImagesBusyError('overloaded', message, (size * taskMs[task.kind]) / threads.length));
        return;
      }
      const leave = (): void => {
        if (waiting[task.kind].delete(job)) reject(callEnded());
      };
      const job: Job = { task, resolve, reject };
      waiting[task.kind].add(job);
      signal.addEventListener('abort', leave, { once: true });
      startNext();
    });

  const observed = async (task: Task, signal: AbortSignal): Promise<Answer> => {
    const begun = performance.now();
    const observe = (outcome: 'ok' | 'refused' | 'error'): void => {
      options.observe?.(task.kind, outcome, (performance.now() - begun) / 1000);
    };
    try {
      const answer = await run(task, signal);
      observe('problem' in answer ? 'refused' : 'ok');
      if ('problem' in answer) throw new UnreadableImageError(answer.problem);
      return answer;
    } catch (error) {
      if (!(error instanceof UnreadableImageError)) observe('error');
      throw error;
    }
  };

  return {
    async read({ bytes, format }, signal) {
      const answer = await observed({ kind: 'read', bytes, format }, signal);
      if (!('reading' in answer)) throw new Error('A thread answered another task than it was given.');
      return answer.reading;
    },

    async rewrite({ bytes, format, isLossless }, boxes, signal) {
      const answer = await observed({ kind: 'rewrite', bytes, boxes, format, isLossless }, signal);
      if (!('bytes' in answer)) throw new Error('A thread answered another task than it was given.');
      return answer.bytes;
    },

    async close() {
      closed = true;
      const error = shuttingDown();
      for (const jobs of Object.values(waiting)) {
        for (const job of jobs) job.reject(error);
        jobs.clear();
      }
      const ended = threads.map((thread) => fail(thread, error));
      await Promise.all(ended);
    },
  };
}

const shuttingDown = (): Error => new DetectorUnavailableError('The service is shutting down.');
const callEnded = (): Error => new DetectorUnavailableError('The call ended before its image was read.');
