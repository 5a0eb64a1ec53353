/** The pictures that wait for a thread: tenants take turns, and share the places. Pure. */
import { createFairQueue, createShares, type FairQueue, type Shares } from '../fairness/fairness.ts';
import type { Job, Task } from './workerThread.ts';

export interface WaitingPictures {
  /** @returns whether there is a place. */
  add(job: Job): boolean;
  /** Puts a job back that has been in work, beside those that have a place. */
  putBack(job: Job): void;
  /** @returns whether it waited. */
  leave(job: Job): boolean;
  /** The one whose turn it is; it waits no more. */
  next(kind: Task['kind']): Job | undefined;
  /** Counts the time that a job has taken: a tenant whose pictures take long has fewer turns. */
  charge(job: Job, ms: number): void;
  size(kind: Task['kind']): number;
  /** Takes all of them out. */
  takeAll(): readonly Job[];
}

/** Pictures of a kind that wait, of all tenants together: a minute's work or two. */
const MAX_WAITING = 100;

interface Kind {
  readonly places: Shares;
  readonly queue: FairQueue<Job>;
}

export function createWaitingPictures(): WaitingPictures {
  const kindOf = (): Kind => ({ places: createShares({ capacity: MAX_WAITING }), queue: createFairQueue<Job>() });
  const kinds = { read: kindOf(), rewrite: kindOf() };
  /** Those that hold a place. */
  const placed = new Set<Job>();

  const leave = (job: Job): boolean => {
    const { places, queue } = kinds[job.task.kind];
    if (placed.delete(job)) places.give(job.tenant, 1);
    return queue.remove(job);
  };

  return {
    add(job) {
      const { places, queue } = kinds[job.task.kind];
      if (!places.take(job.tenant, 1)) return false;
      placed.add(job);
      queue.add(job);
      return true;
    },
    putBack(job) {
      kinds[job.task.kind].queue.add(job);
    },
    leave,
    next(kind) {
      const job = kinds[kind].queue.next();
      if (job) leave(job);
      return job;
    },
    charge({ task, tenant }, ms) {
      kinds[task.kind].queue.charge(tenant, ms);
    },
    size: (kind) => kinds[kind].queue.size,
    takeAll() {
      const all = Object.values(kinds).flatMap(({ queue }) => [...queue.inOrder()]);
      for (const job of all) leave(job);
      return all;
    },
  };
}
