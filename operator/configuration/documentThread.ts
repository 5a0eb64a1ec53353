import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { DocumentResult, DocumentTask } from './documentTasks.ts';

/** CPU time of one task, in milliseconds: five times the time of the most expensive accepted document. */
const TASK_MS = 8_000;
/** A task may take this many times longer while the thread waits for a core. */
const BUSY_FACTOR = 6;
/** Memory of one task, in MiB: one and a half times that of the most expensive document of the maximum length. */
const HEAP_MIB = 192;
/**
 * The worker ends after this time without a task, in milliseconds. V8 keeps its pages for another worker for about ten
 * seconds and then returns them to the system. They are up to 200 MiB, and nothing else in the process can use them.
 */
const IDLE_MS = 5_000;
/** Size of the result cache, in bytes. */
const CACHE_BYTES = 16 * 1024 * 1024;
/**
 * A document that took too long is processed again after this time, in milliseconds: the machine may have been slow.
 */
const LIMIT_ERROR_CACHED_MS = 10 * 60_000;

/** A document takes more time or memory than allowed. */
export class DocumentLimitError extends Error {
  override readonly name = 'DocumentLimitError';

  constructor() {
    super('The document takes too much time or memory.');
  }
}

interface Job {
  readonly task: DocumentTask;
  readonly resolve: (result: DocumentResult) => void;
  readonly reject: (error: Error) => void;
}

interface CachedResult {
  readonly result: DocumentResult | DocumentLimitError;
  readonly bytes: number;
  readonly until: number;
}

/**
 * One thread that processes documents of users sequentially, so that no document blocks the event loop. The owners of
 * the documents take turns. Results are cached: an unchanged document is processed once.
 */
export class DocumentThread {
  readonly #program: URL;
  readonly #taskMs: number;
  readonly #maxCacheBytes: number;
  /** Waiting tasks by owner, the next owner first. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #inProgress = new Map<string, Promise<DocumentResult>>();
  /** Results by digest of the task, the most recently used last. */
  readonly #cache = new Map<string, CachedResult>();
  #cacheBytes = 0;
  #worker: Worker | undefined;
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: URL, { taskMs = TASK_MS, cacheBytes = CACHE_BYTES } = {}) {
    this.#program = program;
    this.#taskMs = taskMs;
    this.#maxCacheBytes = cacheBytes;
  }

  /**
   * Runs a task.
   * @param owner of the document: owners take turns
   * @throws DocumentLimitError
   */
  async run(owner: string, task: DocumentTask): Promise<DocumentResult> {
    const digest = createHash('sha256').update(JSON.stringify(task)).digest('base64');
    const cached = this.#cached(digest);
    if (cached instanceof DocumentLimitError) throw cached;
    if (cached !== undefined) return cached;
    const same = this.#inProgress.get(digest);
    if (same !== undefined) return await same;
    const result = this.#enqueue(owner, task)
      .then(
        (found) => {
          this.#store(digest, found);
          return found;
        },
        (error: unknown) => {
          if (error instanceof DocumentLimitError) this.#store(digest, error);
          throw error;
        },
      )
      .finally(() => this.#inProgress.delete(digest));
    this.#inProgress.set(digest, result);
    return await result;
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
    // A referenced worker keeps the process alive, so it is referenced only while a task runs.
    this.#worker.ref();
    this.#worker.postMessage(job.task);
  }

  /** Stops a task that has used up its CPU time. On a busy machine, a task has up to BUSY_FACTOR times as long. */
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
    worker.on('message', (result: DocumentResult) => {
      if (worker !== this.#worker) return;
      const job = this.#done();
      worker.unref();
      this.#timer = setTimeout(() => {
        void this.#stop();
      }, IDLE_MS).unref();
      job?.resolve(result);
      this.#startNext();
    });
    const died = (error: unknown): void => {
      if (worker !== this.#worker) return;
      const isMemory = (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(
        isMemory ? new DocumentLimitError() : new Error('The document worker ended unexpectedly.', { cause: error }),
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

  #cached(digest: string): CachedResult['result'] | undefined {
    const cached = this.#cache.get(digest);
    if (cached === undefined) return undefined;
    this.#drop(digest, cached);
    if (cached.until < performance.now()) return undefined;
    this.#cache.set(digest, cached);
    this.#cacheBytes += cached.bytes;
    return cached.result;
  }

  #store(digest: string, result: CachedResult['result']): void {
    const isLimitError = result instanceof DocumentLimitError;
    const bytes = digest.length + (isLimitError ? 0 : JSON.stringify(result).length);
    const until = isLimitError ? performance.now() + LIMIT_ERROR_CACHED_MS : Number.POSITIVE_INFINITY;
    this.#cache.set(digest, { result, bytes, until });
    this.#cacheBytes += bytes;
    for (const [oldest, cached] of this.#cache) {
      if (this.#cacheBytes <= this.#maxCacheBytes) break;
      this.#drop(oldest, cached);
    }
  }

  #drop(digest: string, cached: CachedResult): void {
    this.#cache.delete(digest);
    this.#cacheBytes -= cached.bytes;
  }
}

/** The CPU time of a worker; 0 if it does not run. */
async function cpuMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}
