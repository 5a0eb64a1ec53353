import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from '../../ids.ts';
import type { CallContext, CallMiddleware } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { Capacity, type CapacityOptions } from './capacity.ts';
import { Slots, type SlotOptions } from './slots.ts';

export type AdmissionOptions = SlotOptions & CapacityOptions;

/**
 * Limits and counts the calls in the process. The limits cause a quick 429 instead of an unbounded queue. The count
 * shows when a drain is finished. Tenants share each limit: no tenant can use all of it.
 */
export interface Admission {
  /** Reserves capacity for the call. Runs before the body is read. */
  readonly admit: CallMiddleware;
  /** Waits for a slot. Runs after the body is read. */
  readonly acquireSlot: CallMiddleware;
  /**
   * Asks clients to close their connections, so that their next calls go to another replica. To a client, a refused
   * call or a closed connection is a failed call. Resolves when no call has arrived for `quietMs`, at the latest after
   * `atMostMs`.
   */
  windDown(quietMs: number, atMostMs: number): Promise<void>;
  /** Refuses new calls. Resolves when the admitted ones are finished. */
  drain(): Promise<void>;
  /** Whether the process is winding down or draining. */
  readonly draining: boolean;
}

const POLL_MS = 50;

export function createAdmission(options: AdmissionOptions): Admission {
  return new AdmissionControl(options);
}

class AdmissionControl implements Admission {
  readonly #slots: Slots;
  readonly #capacity: Capacity;
  #admitted = 0;
  #isWindingDown = false;
  #isDraining = false;
  #lastCall = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: AdmissionOptions) {
    const slots = new Slots(options);
    this.#slots = slots;
    this.#capacity = new Capacity({ ...options, expectedWaitMs: () => slots.expectedWaitMs() });
  }

  get draining(): boolean {
    return this.#isWindingDown || this.#isDraining;
  }

  readonly admit: CallMiddleware = async (context, next) => {
    this.#lastCall = performance.now();
    if (this.draining) context.set('connection', 'close');
    if (this.#isDraining) throw new ServiceError('draining', { waitMs: 0 });
    this.#slots.arrived();
    const tenant = tenantOf(context);
    const declared = Number(context.get('content-length')) || 0;
    this.#slots.check(tenant, declared);
    const reservation = this.#capacity.reserve(tenant, declared);
    this.#admitted += 1;
    try {
      context.state.bodyTracker = reservation;
      await next();
    } finally {
      reservation.release();
      this.#admitted -= 1;
      if (this.#admitted === 0) this.#onIdle?.();
    }
  };

  readonly acquireSlot: CallMiddleware = async (context, next) => {
    const tenant = tenantOf(context);
    this.#slots.arrived();
    await this.#slots.acquire(tenant, context.state.bodyBytes ?? 0);
    try {
      await next();
    } finally {
      this.#slots.release(tenant);
    }
  };

  async windDown(quietMs: number, atMostMs: number): Promise<void> {
    this.#isWindingDown = true;
    const start = performance.now();
    this.#lastCall = Math.max(this.#lastCall, start);
    while (performance.now() - this.#lastCall < quietMs && performance.now() - start < atMostMs) await sleep(POLL_MS);
  }

  drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#admitted === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

function tenantOf({ state }: CallContext): Tenant {
  if (state.tenant === undefined) throw new Error('Admission requires authentication before it.');
  return state.tenant;
}
