import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from '../../../ids.ts';
import type { CallScope, ScopeMiddleware } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { Capacity, type CapacityOptions } from './capacity.ts';
import { Slots, type SlotOptions } from './slots.ts';

export type AdmissionOptions = SlotOptions & CapacityOptions;

/**
 * Limits and counts the calls in the process. The limits cause a quick 429 instead of an unbounded queue. The count
 * shows when a drain is finished. Tenants share each limit: no tenant can use all of it.
 */
export interface Admission {
  /** Arrives, and reserves capacity, until the call is finished. Runs before the body is read. */
  readonly admit: ScopeMiddleware;
  /** Counts the call, so that a drain waits for it. @returns what ends this. @throws ServiceError 503 */
  arrive(context: CallScope): () => void;
  /** Reserves capacity for the body. @returns what frees it. @throws ServiceError 429 */
  reserve(context: CallScope): () => void;
  /**
   * Reserves capacity for the answer of an upstream, which the caller reads into memory.
   * @param declared the size of the answer as its header declares it; 0 if it declares none
   * @throws ServiceError 429 if there is no capacity left
   */
  reserveAnswer(context: CallScope, declared: number): AnswerReservation;
  /** Runs `next` in a slot. After the body is read. */
  readonly acquireSlot: ScopeMiddleware;
  /**
   * Takes a slot. {@link releaseSlot} frees it.
   * @returns resolves when the call may run; undefined: it may run now
   * @throws ServiceError 429, also by the promise
   */
  takeSlot(context: CallScope): Promise<void> | undefined;
  releaseSlot(context: CallScope): void;
  /**
   * Asks clients to close their connections, so that their next calls go to another replica. To a client, a refused
   * call or a closed connection is a failed call. Resolves when no call has arrived for `quietMs`, at the latest after
   * `atMostMs`. Time in which the process does not run is not quiet: calls can wait unread in their connections.
   */
  windDown(quietMs: number, atMostMs: number): Promise<void>;
  /** Refuses new calls. Resolves when the admitted ones are finished. */
  drain(): Promise<void>;
  /** Whether the process is winding down or draining. */
  readonly draining: boolean;
}

/** Counts the bytes of an answer in memory until it is released. */
export interface AnswerReservation {
  /** @throws ServiceError 429 if the bytes exceed the share of the tenant or the capacity */
  addBytes(bytes: number): void;
  /** Idempotent. */
  release(): void;
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
  #arrived = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: AdmissionOptions) {
    const slots = new Slots(options);
    this.#slots = slots;
    this.#capacity = new Capacity({ ...options, expectedWaitMs: () => slots.expectedWaitMs() });
  }

  get draining(): boolean {
    return this.#isWindingDown || this.#isDraining;
  }

  readonly admit: ScopeMiddleware = async (context, next) => {
    const leave = this.arrive(context);
    try {
      const free = this.reserve(context);
      try {
        await next();
      } finally {
        free();
      }
    } finally {
      leave();
    }
  };

  arrive(context: CallScope): () => void {
    this.#arrived += 1;
    if (this.draining) context.set('connection', 'close');
    if (this.#isDraining) throw new ServiceError('draining', { waitMs: 0 });
    this.#admitted += 1;
    return this.#leave;
  }

  readonly #leave = (): void => {
    this.#admitted -= 1;
    if (this.#admitted === 0) this.#onIdle?.();
  };

  reserve(context: CallScope): () => void {
    this.#slots.arrived();
    const tenant = tenantOf(context);
    const declared = Number(context.get('content-length')) || 0;
    this.#slots.check(tenant, declared);
    const reservation = this.#capacity.reserve(tenant, declared);
    context.state.bodyTracker = reservation;
    return () => {
      reservation.release();
    };
  }

  reserveAnswer(context: CallScope, declared: number): AnswerReservation {
    const reservation = this.#capacity.reserve(tenantOf(context), declared);
    // Not aborted as a stalled body: the model that writes the answer decides how fast it arrives.
    reservation.done();
    return reservation;
  }

  readonly acquireSlot: ScopeMiddleware = async (context, next) => {
    const started = this.takeSlot(context);
    if (started) await started;
    try {
      await next();
    } finally {
      this.releaseSlot(context);
    }
  };

  takeSlot(context: CallScope): Promise<void> | undefined {
    this.#slots.arrived();
    return this.#slots.acquire(tenantOf(context), context.state.bodyBytes ?? 0);
  }

  releaseSlot(context: CallScope): void {
    this.#slots.release(tenantOf(context));
  }

  async windDown(quietMs: number, atMostMs: number): Promise<void> {
    this.#isWindingDown = true;
    const end = performance.now() + atMostMs;
    let quiet = 0;
    while (quiet < quietMs && performance.now() < end) {
      const before = this.#arrived;
      await sleep(POLL_MS);
      // The event loop reads from connections between a timer and an immediate.
      await immediate();
      quiet = this.#arrived === before ? quiet + POLL_MS : 0;
    }
  }

  drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#admitted === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

function tenantOf({ state }: CallScope): Tenant {
  if (state.tenant === undefined) throw new Error('Admission requires authentication before it.');
  return state.tenant;
}
