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
export type Lease = KubeObject & { readonly spec?: LeaseSpec };

export const leases = resource<Lease>({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases' });

/** Durations of the lease, in milliseconds. */
export interface LeaseTimes {
  /** Other candidates take over a lease that was not renewed for this long. */
  readonly durationMs: number;
  /** The leader stops if it cannot renew the lease for this long. Shorter than the duration. */
  readonly renewDeadlineMs: number;
  /** How often the leader renews the lease, and other candidates check it. */
  readonly retryMs: number;
}

/** The defaults of client-go and controller-runtime. */
export const DEFAULT_LEASE_TIMES: LeaseTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** The timeout of the release at a shutdown, in milliseconds. */
export const LONGEST_RELEASE_MS = 5_000;

/** Another process has taken over the lease. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * Leader election with a Lease, as in client-go. It never compares the clocks of different machines: renewals by others
 * are timed from their observation here, so a clock with a wrong time has no effect.
 *
 * If the API server is unreachable for longer than the deadline, leadership ends, but the process does not: it leads
 * again as soon as it can renew and no other process has taken over. If another one has, {@link run} throws, and the
 * process must exit.
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
  /** When the last successful renewal began, by the local clock. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The latest record of another holder, and when it was first observed. */
  #observed: { readonly record: string; readonly at: number } | undefined;

  constructor(dependencies: {
    readonly client: RestClient;
    /** Namespace and name of the Lease. */
    readonly key: ObjectKey;
    /** Unique for each process. */
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
   * Whether this process leads now. The result depends on the elapsed time, so it is correct even in a process that was
   * suspended and has not run any timer yet.
   */
  get leading(): boolean {
    return this.#held !== undefined && this.#clock.monotonic() - this.#renewedAt < this.#times.renewDeadlineMs;
  }

  /**
   * Waits for the lease and leads, repeatedly, until leading ends by itself or the signal is aborted during the wait. Renews
   * the lease until leading has ended, and then releases it, so that the next leader need not wait.
   * @param lead runs while leading; its signal is aborted when leadership is lost
   * @throws LeaseLostError if another process took over
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

  /** @returns false if the signal was aborted first */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    let warned = false;
    while (!signal.aborted) {
      try {
        if (await this.#withTimeout(this.#times.renewDeadlineMs, this.#tryAcquire(), signal)) return true;
        warned = false;
      } catch (error) {
        if (!isConflict(error) && !warned) {
          // oxlint-disable-next-line no-useless-assignment -- the next round reads it
          warned = true;
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
      if (this.#observed?.record !== record) {
        if (this.#observed === undefined) this.#log.info({ holder }, 'Another process is the leader; standing by.');
        this.#observed = { record, at: began };
        return false;
      }
      const durationMs = (lease.spec?.leaseDurationSeconds ?? this.#times.durationMs / 1000) * 1000;
      if (began - this.#observed.at < durationMs) return false;
      this.#log.info({ holder }, 'The lease of the other process has expired; taking over.');
    }
    await this.#put(lease, this.#record(lease.spec), began);
    return true;
  }

  /** Renews until stopped. Ends the term after the deadline without a renewal. */
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
        await this.#withTimeout(left, this.#put(held, this.#record(held.spec), began));
      } catch (error) {
        if (isConflict(error)) {
          const holder = await this.#withTimeout(left, this.#reread(began)).catch(() => this.identity);
          if (holder !== this.identity) {
            this.#log.error({ holder }, 'Lost leadership: another process has the lease.');
            // The deadline has not passed: without this, running reconciles could still write until then.
            this.#held = undefined;
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

  /** Limits a request to the deadline: a hanging request must not delay the process. */
  async #withTimeout<T>(ms: number, work: Promise<T>, signal?: AbortSignal): Promise<T> {
    work.catch(() => undefined);
    if (!(await endsWithin(this.#clock, work, Math.max(0, ms), signal))) {
      throw new Error('The request to the API server timed out.');
    }
    return work;
  }

  /** Reads the current holder after a conflict. The lease may have been changed without a new holder. */
  async #reread(began: number): Promise<string> {
    let lease: Lease;
    try {
      lease = await this.#client.get(leases, this.#key);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The lease was deleted manually. The first process that creates it becomes the leader.
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
        const lease = await this.#withTimeout(this.#times.renewDeadlineMs, this.#client.get(leases, this.#key), signal);
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
      await this.#withTimeout(
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
    this.#observed = undefined;
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
