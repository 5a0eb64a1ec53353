import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { DocumentResult, DocumentTask } from './documentTasks.ts';

/** The CPU time that one text may take, in milliseconds: five times what the most expensive text takes that is read. */
const TASK_MS = 8_000;
/** How much longer it may take where the thread has to wait for a core. */
const BUSY_FACTOR = 6;
/** The memory that a text may take, in MiB: what the most expensive text of the longest length needs, and a half more. */
const HEAP_MIB = 192;
/**
 * A thread without work ends after so long, in milliseconds. Its memory then goes back to the system, once V8 has kept
 * the pages for another thread for about ten seconds: up to 200 MiB, which nothing else of the process can use.
 */
const IDLE_MS = 5_000;
/** How much of the answers is kept, in bytes. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** After this a text that took too long is tried again, in milliseconds: it may have been the machine that was slow. */
const TOO_COSTLY_KEPT_MS = 10 * 60_000;

/** A text that takes more time or memory than it may. */
export class DocumentLimitError extends Error {
  override readonly name = 'TooCostlyError';

  constructor() {
    super('The text takes too much time or memory.');
  }
}

interface Job {
  readonly task: DocumentTask;
  readonly resolve: (answer: DocumentResult) => void;
  readonly reject: (error: Error) => void;
}

interface Kept {
  readonly answer: DocumentResult | DocumentLimitError;
  readonly bytes: number;
  readonly until: number;
}

/**
 * One thread that works on texts of tenants, one after the other, so that none of them can hold up the event loop. The
 * owners of the texts take turns. An answer is kept: what has not changed is worked on once.
 */
export class DocumentThread {
  readonly #program: URL;
  readonly #taskMs: number;
  readonly #maxKeptBytes: number;
  /** By owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #underWay = new Map<string, Promise<DocumentResult>>();
  /** By digest of the task; what was used last comes last. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;
  #worker: Worker | undefined;
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: URL, { taskMs = TASK_MS, keptBytes = KEPT_BYTES } = {}) {
    this.#program = program;
    this.#taskMs = taskMs;
    this.#maxKeptBytes = keptBytes;
  }

  /**
   * Works on a text.
   * @param owner whose text it is: owners take turns
   * @throws TooCostlyError
   */
  async run(owner: string, task: DocumentTask): Promise<DocumentResult> {
    const digest = createHash('sha256').update(JSON.stringify(task)).digest('base64');
    const kept = this.#recall(digest);
    if (kept instanceof DocumentLimitError) throw kept;
    if (kept !== undefined) return kept;
    const same = this.#underWay.get(digest);
    if (same !== undefined) return await same;
    const answer = this.#enqueue(owner, task)
      .then(
        (found) => {
          this.#keep(digest, found);
          return found;
        },
        (error: unknown) => {
          if (error instanceof DocumentLimitError) this.#keep(digest, error);
          throw error;
        },
      )
      .finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, answer);
    return await answer;
  }

  #enqueue(owner: string, task: DocumentTask): Promise<DocumentResult> {
    return new Promise((resolve, reject) => {
      const job: Job = { task, resolve, reject };
      const theirs = this.#waiting.get(owner);
      if (theirs === undefined) this.#waiting.set(owner, [job]);
      else theirs.push(job);
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#running !== undefined) return;
    const job = this.#next();
    if (job === undefined) return;
    clearTimeout(this.#timer);
    this.#running = job;
    this.#worker ??= this.#start();
    this.#watch(job, this.#worker, cpuMs(this.#worker));
    // A program that waits for an answer does not end; one that has none to wait for does.
    this.#worker.ref();
    this.#worker.postMessage(job.task);
  }

  /** Ends a job that has used up its time on the CPU. A busy machine is no fault of the text. */
  #watch(job: Job, worker: Worker, before: Promise<number>, turn = 1): void {
    const look = async (): Promise<void> => {
      const used = (await cpuMs(worker)) - (await before);
      if (this.#running !== job) return;
      if (used >= this.#taskMs * 0.9 || turn >= BUSY_FACTOR) this.#end(new DocumentLimitError());
      else this.#watch(job, worker, before, turn + 1);
    };
    this.#timer = setTimeout(() => void look(), this.#taskMs);
  }

  #next(): Job | undefined {
    for (const [owner, jobs] of this.#waiting) {
      const job = jobs.shift();
      this.#waiting.delete(owner);
      if (jobs.length > 0) this.#waiting.set(owner, jobs);
      return job;
    }
    return undefined;
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
    worker.on('message', (answer: DocumentResult) => {
      if (worker !== this.#worker) return;
      const job = this.#done();
      worker.unref();
      this.#timer = setTimeout(() => {
        void this.#stop();
      }, IDLE_MS).unref();
      job?.resolve(answer);
      this.#startNext();
    });
    const died = (error: unknown): void => {
      if (worker !== this.#worker) return;
      const isMemory = (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(
        isMemory ? new DocumentLimitError() : new Error('The thread that reads texts has ended.', { cause: error }),
      );
    };
    worker.on('error', died);
    worker.on('exit', died);
    return worker;
  }

  #end(error: Error): void {
    const job = this.#done();
    void this.#stop();
    job?.reject(error);
    this.#startNext();
  }

  #done(): Job | undefined {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    return job;
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #recall(digest: string): Kept['answer'] | undefined {
    const kept = this.#kept.get(digest);
    if (kept === undefined) return undefined;
    this.#drop(digest, kept);
    if (kept.until < performance.now()) return undefined;
    this.#kept.set(digest, kept);
    this.#keptBytes += kept.bytes;
    return kept.answer;
  }

  #keep(digest: string, answer: Kept['answer']): void {
    const isTooCostly = answer instanceof DocumentLimitError;
    const bytes = digest.length + (isTooCostly ? 0 : JSON.stringify(answer).length);
    const until = isTooCostly ? performance.now() + TOO_COSTLY_KEPT_MS : Number.POSITIVE_INFINITY;
    this.#kept.set(digest, { answer, bytes, until });
    this.#keptBytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#keptBytes <= this.#maxKeptBytes) break;
      this.#drop(oldest, kept);
    }
  }

  #drop(digest: string, kept: Kept): void {
    this.#kept.delete(digest);
    this.#keptBytes -= kept.bytes;
  }
}

/** The time that a thread has used: none where it does not run yet, or not any more. */
async function cpuMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}
