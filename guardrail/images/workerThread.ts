/** One thread that reads pictures: started when it gets work, replaced when it dies or hangs. */
import { Worker } from 'node:worker_threads';
import { DetectorUnavailableError } from '../detection/detection.ts';
import type { Queued } from '../fairness/fairness.ts';
import { ImagesBusyError, type Box, type Format, type PictureCaller, type Problem, type Reading } from './contract.ts';

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

/** What a thread is sent: a task, or that the read in work is not wanted any more. */
export type Order = Task | { readonly kind: 'stop' };

/** What is answered: a result, or what is wrong with the image. Any other failure ends the thread. */
export type Answer =
  | { readonly reading: Reading }
  | { readonly bytes: Uint8Array }
  | { readonly problem: Problem }
  | { readonly isStopped: true };

/** An answer, with the kind of task that it is to: one of each kind is in work at the same time at most. */
export interface Answered {
  readonly kind: Task['kind'];
  readonly answer: Answer;
}

/** What a thread is given when it starts. */
export interface ThreadData {
  /** The processor time that reading one picture may take, in milliseconds. */
  readonly budgetMs: number;
}

/** A task, and who waits for it. */
export interface Job extends Queued {
  readonly task: Task;
  readonly caller: PictureCaller;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadOptions extends ThreadData {
  readonly program: URL;
  readonly timeoutMs: number;
  readonly idleMs: number;
  /** A job has ended, well or not, after so many milliseconds. */
  readonly onEnd: (job: Job, ms: number) => void;
  /** A job has to be done again: the thread ended because of another one. It has cost its tenant nothing. */
  readonly onReturn: (job: Job) => void;
  /** The thread takes another job. */
  readonly onFree: () => void;
}

/**
 * Beside the picture that it reads, a thread writes another one: that takes a fiftieth of the time, and whoever waits for
 * it would wait for the pictures of all others, too.
 */
export interface Thread {
  inWork(kind: Task['kind']): Job | undefined;
  run(job: Job): void;
  /** Gives up the read in work, and goes on. */
  stopReading(): void;
  /** Ends it, and fails what it does. */
  close(error: Error): Promise<void>;
}

/** A thread that is asked to stop, and does not within this time, is replaced. Milliseconds: it unpacks in less. */
const STOP_MS = 2000;

interface Running {
  readonly job: Job;
  readonly started: number;
  timer: NodeJS.Timeout;
  isStopping: boolean;
}

export function createThread(options: ThreadOptions): Thread {
  const { program, budgetMs, timeoutMs, idleMs, onEnd, onReturn, onFree } = options;
  const running = new Map<Task['kind'], Running>();
  let worker: Worker | undefined;
  /** Ends it when it has been without work for long. */
  let idle: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    const ending = worker;
    clearTimeout(idle);
    worker = undefined;
    ending?.removeAllListeners();
    // What is left of it has nobody to tell.
    ending?.on('error', () => undefined);
    await ending?.terminate();
  };

  const take = (kind: Task['kind']): Running | undefined => {
    const one = running.get(kind);
    clearTimeout(one?.timer);
    running.delete(kind);
    return one;
  };

  const finish = (kind: Task['kind']): Job | undefined => {
    const one = take(kind);
    if (one) onEnd(one.job, performance.now() - one.started);
    return one?.job;
  };

  const failAll = (error: Error): Promise<void> => {
    for (const kind of running.keys()) finish(kind)?.reject(error);
    return end();
  };

  /** What else it does is done again: a picture of another tenant may have made it hang. */
  const replace = (culprit: Task['kind'], error: Error): void => {
    finish(culprit)?.reject(error);
    for (const kind of running.keys()) {
      const other = take(kind);
      if (other) onReturn(other.job);
    }
    void end();
    onFree();
  };

  const start = (): Worker => {
    // What the engine prints about a picture is for nobody's log.
    const made = new Worker(program, { stdout: true, stderr: true, workerData: { budgetMs } satisfies ThreadData });
    made.stdout.resume();
    made.stderr.resume();
    made.on('message', ({ kind, answer }: Answered) => {
      const job = finish(kind);
      if (running.size === 0) {
        idle = setTimeout(() => void end(), idleMs);
        idle.unref();
      }
      job?.resolve(answer);
      onFree();
    });
    const died = (): void => {
      void failAll(new DetectorUnavailableError('Image OCR failed.'));
      onFree();
    };
    made.on('error', died);
    made.on('exit', died);
    // A thread that waits for work keeps no program from ending.
    made.unref();
    return made;
  };

  const timeOut = (kind: Task['kind'], ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      const message = `Image OCR took longer than ${timeoutMs} ms for one image.`;
      replace(kind, new ImagesBusyError('timeout', message, timeoutMs));
    }, ms);

  return {
    inWork: (kind) => running.get(kind)?.job,

    run(job) {
      const { kind } = job.task;
      clearTimeout(idle);
      const timer = timeOut(kind, timeoutMs);
      running.set(kind, { job, timer, started: performance.now(), isStopping: false });
      worker ??= start();
      worker.postMessage(job.task satisfies Order);
    },

    stopReading() {
      const one = running.get('read');
      if (!one || one.isStopping) return;
      one.isStopping = true;
      clearTimeout(one.timer);
      one.timer = timeOut('read', STOP_MS);
      worker?.postMessage({ kind: 'stop' } satisfies Order);
    },

    close: failAll,
  };
}
