import type { Tenant } from '../../../ids.ts';
import { createFairQueue, type Queued } from '../../../fairness/fairness.ts';
import { ServiceError } from '../errors.ts';
import { ServiceRate } from './serviceRate.ts';

/** The cost of a call in addition to its body, as a number of body bytes. */
const CALL_WEIGHT = 2048;

interface Waiting extends Queued {
  readonly since: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface CallQueueOptions {
  /** The longest wait, in milliseconds. */
  readonly maxWaitMs: number;
  readonly now: () => number;
}

/** The calls that wait for a slot, in fair order. Sheds a call as soon as its estimated wait exceeds the limit. */
export class CallQueue {
  readonly #queue = createFairQueue<Waiting>();
  readonly #rate = new ServiceRate();
  readonly #maxWaitMs: number;
  readonly #now: () => number;
  #queuedWeight = 0;

  constructor({ maxWaitMs, now }: CallQueueOptions) {
    this.#maxWaitMs = maxWaitMs;
    this.#now = now;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** The estimated time until all queued calls have started. */
  expectedWaitMs(): number {
    return this.#rate.expectedMs(this.#queuedWeight);
  }

  /** @throws ServiceError 429 if a new call of this size would wait too long. */
  check(tenant: Tenant, bytes: number): void {
    if (this.#queue.size === 0) return;
    const waitMs = this.#rate.expectedMs(this.#queue.weightBefore(tenant) + bytes + CALL_WEIGHT);
    if (waitMs > this.#maxWaitMs) throw overloaded(waitMs);
  }

  /** Resolves when the call is started. @throws ServiceError 429 */
  wait(tenant: Tenant, bytes: number): Promise<void> {
    const weight = bytes + CALL_WEIGHT;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // A new call would wait at least as long.
        this.#shed(call, this.#maxWaitMs);
      }, this.#maxWaitMs);
      const call: Waiting = { tenant, weight, since: this.#now(), timer, resolve, reject };
      this.#queue.add(call);
      this.#queuedWeight += weight;
    });
  }

  hasNext(mayStart: (tenant: Tenant) => boolean): boolean {
    return this.#queue.peek(mayStart) !== undefined;
  }

  /** Starts the next call. @param onStart runs before the call continues. */
  startNext(mayStart: (tenant: Tenant) => boolean, onStart: (tenant: Tenant) => void): void {
    const call = this.#queue.next(mayStart);
    if (!call) return;
    onStart(call.tenant);
    this.#leave(call);
    call.resolve();
    this.#rate.started(this.#now(), call.weight, this.#queue.size > 0);
    this.#shedExpired(call.weight);
  }

  /** Sheds every call that would start too late. */
  #shedExpired(startedWeight: number): void {
    const now = this.#now();
    let weightAhead = startedWeight;
    for (const call of this.#queue.inOrder()) {
      const waitMs = this.#rate.expectedMs(weightAhead);
      if (now - call.since + waitMs > this.#maxWaitMs) this.#shed(call, waitMs);
      else weightAhead += call.weight;
    }
  }

  #shed(call: Waiting, waitMs: number): void {
    this.#queue.remove(call);
    this.#leave(call);
    call.reject(overloaded(waitMs));
  }

  #leave(call: Waiting): void {
    this.#queuedWeight -= call.weight;
    clearTimeout(call.timer);
  }
}

function overloaded(waitMs: number): ServiceError {
  return new ServiceError('overloaded', { waitMs });
}
