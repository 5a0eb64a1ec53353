import { createFairQueue, createShares, type FairQueue, type Queued, type Shares } from '../fairness/fairness.ts';
import type { ImageCaller } from './contract.ts';
import type { Answer, Task } from './workerProtocol.ts';

/** A task and its caller. */
export interface Job extends Queued {
  readonly task: Task;
  readonly caller: ImageCaller;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** The maximum number of waiting jobs of a kind, of all tenants: one or two minutes of work. */
const MAX_WAITING = 100;

interface KindQueue {
  readonly capacity: Shares;
  readonly queue: FairQueue<Job>;
}

/** The jobs that wait for a thread, in a fair queue for each kind of task. Pure. */
export class JobQueue {
  readonly #kinds: Readonly<Record<Task['kind'], KindQueue>> = { read: newKindQueue(), rewrite: newKindQueue() };
  /** The jobs that count against the capacity. */
  readonly #counted = new Set<Job>();

  /** @returns false if the queue is full for this tenant. */
  add(job: Job): boolean {
    const { capacity, queue } = this.#kinds[job.task.kind];
    if (!capacity.take(job.tenant, 1)) return false;
    this.#counted.add(job);
    queue.add(job);
    return true;
  }

  /** Adds a job again that has already run. Does not count against the capacity. */
  requeue(job: Job): void {
    this.#kinds[job.task.kind].queue.add(job);
  }

  /** @returns whether the job was in the queue. */
  remove(job: Job): boolean {
    const { capacity, queue } = this.#kinds[job.task.kind];
    if (this.#counted.delete(job)) capacity.release(job.tenant, 1);
    return queue.remove(job);
  }

  /** Removes and returns the next job. */
  next(kind: Task['kind']): Job | undefined {
    const job = this.#kinds[kind].queue.next();
    if (job) this.remove(job);
    return job;
  }

  /** Charges the duration of a job to its tenant. */
  charge({ task, tenant }: Job, ms: number): void {
    this.#kinds[task.kind].queue.charge(tenant, ms);
  }

  size(kind: Task['kind']): number {
    return this.#kinds[kind].queue.size;
  }

  removeAll(): readonly Job[] {
    const all = Object.values(this.#kinds).flatMap(({ queue }) => [...queue.inOrder()]);
    for (const job of all) this.remove(job);
    return all;
  }
}

function newKindQueue(): KindQueue {
  return { capacity: createShares({ capacity: MAX_WAITING }), queue: createFairQueue<Job>() };
}
