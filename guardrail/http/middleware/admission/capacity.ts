import type { Tenant } from '../../../ids.ts';
import { createShares, type Shares } from '../../../fairness/fairness.ts';
import { ServiceError } from '../errors.ts';
import { BodyProgress, type Reading } from './bodyProgress.ts';

export interface CapacityOptions {
  /** Calls that run at the same time. */
  readonly maxRunning: number;
  /** Calls that are queued or still being read. More calls are refused at once. */
  readonly maxWaiting: number;
  /** Bytes of bodies in memory at the same time: the bytes read so far, decompressed. */
  readonly maxBytes: number;
  /** The largest body, in bytes. A tenant can use this many bytes while they are free, whatever its share. */
  readonly maxBody?: number;
  /** Milliseconds of a monotonic clock; for tests. */
  readonly now?: () => number;
}

/** Tracks the body of a call while it is read. */
export interface BodyTracker {
  /** Counts bytes that were read. @throws ServiceError 429 if they exceed the share of the tenant or the capacity. */
  addBytes(bytes: number): void;
  /** Calls a function with a ServiceError if the body is stalled and another call needs its capacity. */
  onAbort(listener: (reason: Error) => void): void;
  /** Ends the tracking of progress: the body is complete. */
  done(): void;
}

/** Limits the calls in the process and the bytes of their bodies. At a limit, it aborts stalled bodies. */
export class Capacity {
  readonly #calls: Shares;
  readonly #bytes: Shares;
  readonly #progress = new BodyProgress<Reservation>();
  readonly #expectedWaitMs: () => number;
  readonly #now: () => number;

  constructor(options: CapacityOptions & { readonly expectedWaitMs: () => number }) {
    const { maxRunning, maxWaiting, maxBytes, maxBody = 0, expectedWaitMs, now = () => performance.now() } = options;
    this.#calls = createShares({ capacity: maxRunning + maxWaiting });
    this.#bytes = createShares({ capacity: maxBytes, guaranteed: maxBody });
    this.#expectedWaitMs = expectedWaitMs;
    this.#now = now;
  }

  /**
   * Reserves capacity for one call.
   * @param declared the size of the body as its header declares it. Bytes count only when they are read.
   * @throws ServiceError 429 if there is no capacity left.
   */
  reserve(tenant: Tenant, declared: number): Reservation {
    if (!this.#calls.canTake(tenant, 1)) {
      this.#makeRoom(
        () => this.#calls.canTake(tenant, 1),
        () => true,
      );
    }
    if (!this.#bytes.canTake(tenant, declared)) {
      this.#makeRoom(
        () => this.#bytes.canTake(tenant, declared),
        (other) => other.usedBytes > 0,
      );
    }
    this.#calls.take(tenant, 1);
    return new Reservation(this, tenant);
  }

  /** For {@link Reservation}. */
  startProgress(reservation: Reservation): Reading<Reservation> {
    return this.#progress.start(reservation, this.#now());
  }

  /** For {@link Reservation}. */
  addBytes(reservation: Reservation, bytes: number): void {
    const { tenant } = reservation;
    this.#progress.advance(reservation.reading, bytes, this.#now());
    if (!this.#bytes.canTake(tenant, bytes)) {
      this.#makeRoom(
        () => this.#bytes.canTake(tenant, bytes),
        (other) => other !== reservation && other.usedBytes > 0,
      );
    }
    this.#bytes.take(tenant, bytes);
  }

  /** For {@link Reservation}. */
  endProgress(reservation: Reservation): void {
    this.#progress.end(reservation.reading);
  }

  /** For {@link Reservation}. */
  release({ tenant, usedBytes }: Reservation): void {
    this.#calls.release(tenant, 1);
    this.#bytes.release(tenant, usedBytes);
  }

  /** Aborts stalled bodies, one by one, until there is room. @throws ServiceError 429 if there is none. */
  #makeRoom(hasRoom: () => boolean, isUseful: (stalled: Reservation) => boolean): void {
    const waitMs = this.#expectedWaitMs();
    for (const stalled of this.#progress.stalled(this.#now())) {
      if (!isUseful(stalled)) continue;
      stalled.abort(waitMs);
      if (hasRoom()) return;
    }
    throw new ServiceError('overloaded', { waitMs });
  }
}

/** The capacity that one call uses, until it is released. */
export class Reservation implements BodyTracker {
  readonly tenant: Tenant;
  readonly reading: Reading<Reservation>;
  readonly #capacity: Capacity;
  #usedBytes = 0;
  #isReleased = false;
  #abortedWith: Error | undefined;
  #onAbort: ((reason: Error) => void) | undefined;

  constructor(capacity: Capacity, tenant: Tenant) {
    this.#capacity = capacity;
    this.tenant = tenant;
    this.reading = capacity.startProgress(this);
  }

  get isAborted(): boolean {
    return this.#abortedWith !== undefined;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  addBytes(bytes: number): void {
    // An aborted reservation uses no capacity. The listener informs the reader of the body.
    if (this.#isReleased) return;
    this.#capacity.addBytes(this, bytes);
    this.#usedBytes += bytes;
  }

  onAbort(listener: (reason: Error) => void): void {
    this.#onAbort = listener;
    if (this.#abortedWith) listener(this.#abortedWith);
  }

  done(): void {
    this.#onAbort = undefined;
    this.#capacity.endProgress(this);
  }

  release(): void {
    this.done();
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#capacity.release(this);
  }

  abort(waitMs: number): void {
    // The rest of the body is not read, so the connection ends with the response.
    const reason = new ServiceError('slow_body', { waitMs, headers: { connection: 'close' } });
    const listener = this.#onAbort;
    this.#abortedWith = reason;
    this.release();
    listener?.(reason);
  }
}
