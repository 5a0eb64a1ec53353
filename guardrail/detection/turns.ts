import { SLICE_MS } from '../eventLoop.ts';
import { createFairQueue, type Queued } from '../fairness/fairness.ts';
import type { Tenant } from '../ids.ts';

interface Waiting extends Queued {
  readonly start: () => void;
}

/** The tenant of work that names none. */
const UNNAMED = '' as Tenant;

/**
 * Lets long work take turns by tenant, in slices: in each iteration of the event loop, the tenant runs a slice that has run the
 * least. So a long text of a tenant waits for one slice of each other tenant, and not for their texts.
 */
export class Turns {
  readonly #queue = createFairQueue<Waiting>();
  #isScheduled = false;

  /**
   * @param weight of the slice that runs next, in any unit
   * @returns resolves when it may run, in a later iteration of the event loop
   */
  next(tenant: Tenant = UNNAMED, weight = 1): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.add({ tenant, weight, start: resolve });
      this.#schedule();
    });
  }

  /** As `createYielder`, in turns. */
  yielder(tenant?: Tenant): () => Promise<void> | undefined {
    let since = performance.now();
    return () => {
      if (performance.now() - since < SLICE_MS) return undefined;
      return this.next(tenant).then(() => {
        since = performance.now();
      });
    };
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#queue.next()?.start();
      if (this.#queue.size > 0) this.#schedule();
    });
  }
}

/** Runs the tasks of a tenant one after the other, and those of several tenants at the same time. */
export class TenantLanes {
  readonly #last = new Map<Tenant, Promise<unknown>>();

  run<T>(tenant: Tenant = UNNAMED, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(tenant) ?? Promise.resolve();
    const result = before.then(task);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(tenant, ended);
    void ended.then(() => {
      if (this.#last.get(tenant) === ended) this.#last.delete(tenant);
    });
    return result;
  }
}
