/** The threads that read pictures: started when the first one comes, bounded, replaced when one dies or hangs. */
import { Worker } from 'node:worker_threads';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { UnreadableImageError, type Box, type Format, type PictureReader } from './contract.ts';
import type { Answer } from './worker.ts';

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
  /** A thread without work ends after this time, in milliseconds; default ten minutes. */
  readonly idleMs?: number;
  /** Told how long each task took, in seconds, and how it went. */
  readonly observe?: (task: Task['kind'], outcome: 'ok' | 'refused' | 'error', seconds: number) => void;
  /** Another program, for faults that the real one cannot be made to show. */
  readonly program?: URL;
}

/** Pictures that wait; more are refused at once. */
const MAX_WAITING = 100;

interface Job {
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  worker: Worker | undefined;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

export function createWorkers(options: WorkerOptions = {}): PictureReader {
  const { timeoutMs = 20_000, idleMs = 600_000 } = options;
  const program = options.program ?? new URL('./worker.ts', import.meta.url);
  const threads = Array.from({ length: options.threads ?? 1 }, (): Thread => ({
    worker: undefined,
    job: undefined,
    timer: undefined,
  }));
  const waiting = new Set<Job>();
  let closed = false;

  const stop = async (thread: Thread): Promise<void> => {
    const { worker } = thread;
    clearTimeout(thread.timer);
    thread.worker = undefined;
    worker?.removeAllListeners();
    // What is left of it has nobody to tell.
    worker?.on('error', () => undefined);
    await worker?.terminate();
  };

  const fail = (thread: Thread, message: string): void => {
    const { job } = thread;
    thread.job = undefined;
    void stop(thread);
    job?.reject(new DetectorUnavailableError(message));
    startNext();
  };

  const start = (thread: Thread): Worker => {
    // What the engine prints about a picture is for nobody's log.
    const worker = new Worker(program, { stdout: true, stderr: true });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (answer: Answer) => {
      const { job } = thread;
      thread.job = undefined;
      clearTimeout(thread.timer);
      thread.timer = setTimeout(() => void stop(thread), idleMs);
      thread.timer.unref();
      job?.resolve(answer);
      startNext();
    });
    const died = (): void => {
      fail(thread, 'What reads images failed.');
    };
    worker.on('error', died);
    worker.on('exit', died);
    // A thread that waits for work keeps no program from ending.
    worker.unref();
    return worker;
  };

  const startNext = (): void => {
    for (const thread of threads) {
      const [job] = waiting;
      if (!job || closed) return;
      if (thread.job) continue;
      waiting.delete(job);
      thread.job = job;
      clearTimeout(thread.timer);
      thread.timer = setTimeout(() => {
        fail(thread, `What reads images took longer than ${timeoutMs} ms for one.`);
      }, timeoutMs);
      thread.worker ??= start(thread);
      thread.worker.postMessage(job.task);
    }
  };

  const run = (task: Task, signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (closed || signal.aborted || waiting.size >= MAX_WAITING) {
        reject(new DetectorUnavailableError('There are more images than can be read in time.'));
        return;
      }
      const leave = (): void => {
        if (waiting.delete(job)) reject(new DetectorUnavailableError('The call ended before its image was read.'));
      };
      const job: Job = { task, resolve, reject };
      waiting.add(job);
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
      const error = new DetectorUnavailableError('The service is shutting down.');
      for (const job of waiting) job.reject(error);
      waiting.clear();
      const ended = threads.map((thread) => {
        thread.job?.reject(error);
        thread.job = undefined;
        return stop(thread);
      });
      await Promise.all(ended);
    },
  };
}
