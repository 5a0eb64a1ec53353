import type { Logger } from 'pino';
import type { RestClient } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { endsWithin, microTime, sleep } from '../clock.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { resource } from '../objects.ts';

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}
type Lease = KubeObject & { readonly spec?: LeaseSpec };

export const leases = resource<Lease>({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases' });

/** Times of the lease, in milliseconds. */
export interface LeaseTimes {
  /** Others take the lease after not having seen it renewed for so long. */
  readonly durationMs: number;
  /** The holder stops leading after not having been able to renew it for so long. Shorter than the duration. */
  readonly renewDeadlineMs: number;
  /** How often the holder renews, and others look. */
  readonly retryMs: number;
}

/** client-go's and controller-runtime's defaults. */
export const DEFAULT_LEASE_TIMES: LeaseTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** How long the release of the lease may hold up the end of the process. */
export const LONGEST_RELEASE_MS = 5_000;

/** Another process holds the lease that this one believed to hold. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * Leader election with a Lease, as client-go does it. Clocks of different machines are never compared: others' renewals
 * are timed from when they are seen here, so a clock that is off by an hour changes nothing.
 *
 * An API server that is away for longer than the deadline ends the leading, but not the process: it leads again once
 * it can renew and nobody else has taken over. If somebody has, {@link run} throws, and the process is to end.
 */
export class LeaderLease {
  readonly identity: string;
  readonly #client: RestClient;
  readonly #key: ObjectKey;
  readonly #times: LeaseTimes;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  #held: Lease | undefined;
  /** When, by our own clock, the renewal was begun that last succeeded. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The record of another holder as last seen, and when it was first seen like that. */
  #seen: { readonly record: string; readonly at: number } | undefined;

  constructor(dependencies: {
    readonly client: RestClient;
    /** Namespace and name of the Lease. */
    readonly key: ObjectKey;
    /** Different for each process. */
    readonly identity: string;
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: RuntimeMetrics;
    readonly times?: LeaseTimes;
  }) {
    this.#client = dependencies.client;
    this.#key = dependencies.key;
    this.identity = dependencies.identity;
    this.#clock = dependencies.clock;
    this.#log = dependencies.log.child({ lease: dependencies.key.name, identity: dependencies.identity });
    this.#metrics = dependencies.metrics;
    this.#times = dependencies.times ?? DEFAULT_LEASE_TIMES;
    this.#metrics.leader.set({ name: dependencies.key.name }, 0);
  }

  /**
   * Whether this process leads at this very moment. Even one that was stopped for a minute and has not yet run any timer
   * gets the right answer: it goes by the time that has passed.
   */
  get leading(): boolean {
    return this.#held !== undefined && this.#clock.monotonic() - this.#renewedAt < this.#times.renewDeadlineMs;
  }

  /**
   * Waits for the lease and leads, again and again until leading ends by itself or the signal is aborted while waiting.
   * The lease is renewed until the leading has ended, and then released, so that the next one need not wait.
   * @param lead runs while leading; its signal is aborted when leading has to end at once
   * @throws LeaseLostError when another process took over
   */
  async run(lead: (term: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (!(await this.#acquire(signal))) return;
      this.#metrics.leader.set({ name: this.#key.name }, 1);
      this.#log.info('Became leader.');
      const term = new AbortController();
      const ended = new AbortController();
      try {
        const renewing = this.#renew(term, ended.signal);
        try {
          await lead(term.signal);
        } finally {
          ended.abort();
          await renewing;
        }
      } finally {
        this.#metrics.leader.set({ name: this.#key.name }, 0);
      }
      if (!term.signal.aborted) {
        await this.#release();
        return;
      }
      this.#held = undefined;
      if (signal.aborted) return;
      const holder = await this.#holderNow(signal);
      if (holder !== undefined && holder !== this.identity && holder !== '') {
        throw new LeaseLostError(`Lost leadership: ${holder} has the lease ${this.#key.name} now. The process exits.`);
      }
    }
  }

  /** @returns false when the signal was aborted first */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    let complained = false;
    while (!signal.aborted) {
      try {
        if (await this.#within(this.#times.renewDeadlineMs, this.#tryAcquire(), signal)) return true;
        complained = false;
      } catch (error) {
        if (!isConflict(error) && !complained) {
          complained = true;
          this.#log.warn({ err: error }, 'Cannot read or write the lease; retrying.');
        }
      }
      await sleep(this.#clock, this.#times.retryMs * (1 + 0.2 * this.#clock.random()), signal);
    }
    return false;
  }

  async #tryAcquire(): Promise<boolean> {
    const began = this.#clock.monotonic();
    let lease: Lease;
    try {
      lease = await this.#client.get(leases, this.#key);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create(this.#record(undefined), began);
      return true;
    }
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== this.identity) {
      const record = JSON.stringify(lease.spec);
      if (this.#seen?.record !== record) {
        if (this.#seen === undefined) this.#log.info({ holder }, 'Another process is the leader; standing by.');
        this.#seen = { record, at: began };
        return false;
      }
      const durationMs = (lease.spec?.leaseDurationSeconds ?? this.#times.durationMs / 1000) * 1000;
      if (began - this.#seen.at < durationMs) return false;
      this.#log.info({ holder }, 'The lease of the other process has expired; taking over.');
    }
    await this.#put(lease, this.#record(lease.spec), began);
    return true;
  }

  /** Renews until told to stop. Ends the term when that could not be done for too long. */
  async #renew(term: AbortController, stop: AbortSignal): Promise<void> {
    const stopped = (): boolean => stop.aborted;
    while (!stopped()) {
      await sleep(this.#clock, this.#times.retryMs, stop);
      if (stopped()) return;
      const began = this.#clock.monotonic();
      const left = this.#renewedAt + this.#times.renewDeadlineMs - began;
      try {
        const held = this.#held;
        if (held === undefined) return;
        await this.#within(left, this.#put(held, this.#record(held.spec), began));
      } catch (error) {
        if (isConflict(error)) {
          const holder = await this.#within(left, this.#reread(began)).catch(() => this.identity);
          if (holder !== this.identity) {
            this.#log.error({ holder }, 'Lost leadership: another process has the lease.');
            term.abort(new LeaseLostError(`${holder} has the lease.`));
            return;
          }
        } else if (!stopped()) {
          this.#log.warn({ err: error }, 'Cannot renew the lease; retrying until the deadline.');
        }
        if (!this.leading) {
          this.#log.error('Lost leadership: the lease was not renewed in time.');
          term.abort(new LeaseLostError('The lease was not renewed in time.'));
          return;
        }
      }
    }
  }

  /** A request that hangs must outlive neither the deadline nor the process. */
  async #within<T>(ms: number, work: Promise<T>, signal?: AbortSignal): Promise<T> {
    work.catch(() => undefined);
    if (!(await endsWithin(this.#clock, work, Math.max(0, ms), signal))) {
      throw new Error('The API server took too long to answer.');
    }
    return work;
  }

  /** After a conflict: who holds the lease? Somebody may only have annotated it. */
  async #reread(began: number): Promise<string> {
    let lease: Lease;
    try {
      lease = await this.#client.get(leases, this.#key);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // Deleted by hand. Whoever creates it first has it.
      await this.#create(this.#record(this.#held?.spec), began);
      return this.identity;
    }
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder === this.identity) this.#held = lease;
    return holder;
  }

  async #holderNow(signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      try {
        const lease = await this.#within(this.#times.renewDeadlineMs, this.#client.get(leases, this.#key), signal);
        return lease.spec?.holderIdentity;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        await sleep(this.#clock, this.#times.retryMs, signal);
      }
    }
    return undefined;
  }

  async #release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    try {
      const { leaseTransitions = 0 } = held.spec ?? {};
      const now = microTime(this.#clock.now());
      await this.#within(
        LONGEST_RELEASE_MS,
        this.#client.replace(leases, this.#key, {
          ...held,
          spec: { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions, acquireTime: now, renewTime: now },
        } as object),
      );
      this.#log.info('Released the lease.');
    } catch (error) {
      this.#log.warn({ err: error }, 'Cannot release the lease; the next leader waits until it expires.');
    }
  }

  async #put(lease: Lease, spec: LeaseSpec, began: number): Promise<void> {
    this.#hold(await this.#client.replace(leases, this.#key, { ...lease, spec } as object), began);
  }

  async #create(spec: LeaseSpec, began: number): Promise<void> {
    this.#hold(await this.#client.create(leases, { metadata: this.#key, spec } as object), began);
  }

  #hold(lease: Lease, began: number): void {
    this.#held = lease;
    this.#renewedAt = began;
    this.#seen = undefined;
  }

  #record(before: LeaseSpec | undefined): LeaseSpec {
    const now = microTime(this.#clock.now());
    const ours = before?.holderIdentity === this.identity;
    return {
      holderIdentity: this.identity,
      leaseDurationSeconds: Math.ceil(this.#times.durationMs / 1000),
      acquireTime: ours ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before?.leaseTransitions ?? -1) + (ours ? 0 : 1),
    };
  }
}
