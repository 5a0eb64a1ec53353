import type { Tenant } from '../../ids.ts';
import { createFairQueue, type Queued } from '../../fairness/fairness.ts';
import { overloaded } from '../errors.ts';
import { createPace } from './pace.ts';

/** What a call costs beside its body, told in bytes of it. */
const CALL_WEIGHT = 2048;

/** The calls that wait for their turn; who cannot have it in time is refused as soon as that is known. */
export interface Line {
  readonly size: number;
  /** How long the calls in line take, at the pace of the last ones. */
  expectedWaitMs(): number;
  /** @throws ServiceError 429 where a call of this size, coming now, could not have its turn in time. */
  check(tenant: Tenant, bytes: number): void;
  /** Resolves when it is started. @throws ServiceError 429 */
  wait(tenant: Tenant, bytes: number): Promise<void>;
  hasNext(mayGo: (tenant: Tenant) => boolean): boolean;
  /** Starts the call whose turn it is, after `go` has heard whose it is. */
  startNext(mayGo: (tenant: Tenant) => boolean, go: (tenant: Tenant) => void): void;
}

interface Waiting extends Queued {
  readonly since: number;
  proceed(): void;
  /** @param waitMs how long it would have to wait. */
  refuse(waitMs: number): void;
}

export interface LineOptions {
  readonly maxWaitMs: number;
  readonly now: () => number;
}

export function createLine({ maxWaitMs, now }: LineOptions): Line {
  const queue = createFairQueue<Waiting>();
  const pace = createPace();
  let weightInLine = 0;

  const enter = (tenant: Tenant, weight: number, resolve: () => void, reject: (error: Error) => void): void => {
    const leave = (): void => {
      queue.remove(one);
      weightInLine -= weight;
      clearTimeout(timer);
    };
    const one: Waiting = {
      tenant,
      weight,
      since: now(),
      proceed() {
        leave();
        resolve();
      },
      refuse(waitMs) {
        leave();
        reject(overloaded(waitMs));
      },
    };
    const timer = setTimeout(() => {
      // A call that comes now waits no less than this one did.
      one.refuse(maxWaitMs);
    }, maxWaitMs);
    queue.add(one);
    weightInLine += weight;
  };

  const refuseTheLate = (weightStarted: number): void => {
    const time = now();
    let ahead = weightStarted;
    for (const one of queue.inOrder()) {
      const waitMs = pace.expectedMs(ahead);
      if (time - one.since + waitMs > maxWaitMs) one.refuse(waitMs);
      else ahead += one.weight;
    }
  };

  return {
    get size() {
      return queue.size;
    },
    expectedWaitMs: () => pace.expectedMs(weightInLine),
    check(tenant, bytes) {
      const waitMs = pace.expectedMs(queue.weightBefore(tenant) + bytes + CALL_WEIGHT);
      if (waitMs > maxWaitMs && queue.size > 0) throw overloaded(waitMs);
    },
    wait: (tenant, bytes) =>
      new Promise((resolve, reject) => {
        enter(tenant, bytes + CALL_WEIGHT, resolve, reject);
      }),
    hasNext: (mayGo) => queue.peek(mayGo) !== undefined,
    startNext(mayGo, go) {
      const first = queue.next(mayGo);
      if (!first) return;
      go(first.tenant);
      first.proceed();
      pace.started(now(), first.weight, queue.size > 0);
      refuseTheLate(first.weight);
    },
  };
}
