import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { printable } from '../log.ts';
import { type Clock, microTime, sleep } from '../clock.ts';
import type { EventDetails, EventRecorder, KubeClient } from '../contract.ts';
import { ApiError, isConflict, isNotFound } from '../client/errors.ts';
import type { RuntimeMetrics } from '../metrics.ts';
import { type KubeObject, type ObjectKey, resource } from '../objects.ts';

/** The fields of an event that tests read. The recorder only writes events. */
export interface KubeEvent extends KubeObject {
  readonly note: string;
  readonly reason: string;
  readonly series?: { readonly count: number };
  readonly regarding: { readonly uid: string };
}

export const kubeEvents = resource<KubeEvent>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
});

/** The API server's limits. */
const LONGEST_NOTE = 1024;
const LONGEST_NAME = 253;
/** How often the count of a repeated event is written, at most. */
const COUNT_EVERY_MS = 300_000;
/** After this time without it, a repeated event counts as new. The API server keeps events for an hour. */
const REPEAT_WINDOW_MS = 3_600_000;
/** Limits per object, as in client-go's spam filter: a burst, and then one event every five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;
/** Capacity of the send queue: one event for each of 10,000 new objects. Drops the oldest. */
const MAX_QUEUED = 10_000;
/** Number of concurrent senders. Few, so that the API server has time for the writes of reconciles. */
const SENDERS = 2;
/** Number of events and objects in memory. Drops the oldest. */
const MAX_REMEMBERED = 20_000;
/** Number of attempts for one event. Losing an event is acceptable. */
const MAX_ATTEMPTS = 3;

interface Known {
  readonly key: ObjectKey;
  count: number;
  seenAt: number;
  writtenAt: number;
  writtenCount: number;
}

/**
 * Records events of events.k8s.io/v1 (see {@link EventRecorder}). `kubectl describe` and `kubectl get events` show them in the
 * order of their names, and the last one must report the current state. So a repetition of an object's latest event increments
 * its count, and any other event creates a new one. Events are sent in the background.
 */
export class BackgroundEventRecorder implements EventRecorder {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #controller: string;
  readonly #instance: string;
  readonly #known = new Map<string, Known>();
  /** The latest event of each object, by uid. */
  readonly #latest = new Map<string, string>();
  #serial = 0;
  readonly #budgets = new Map<string, { tokens: number; at: number }>();
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #sending = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(dependencies: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: RuntimeMetrics;
    /** The reporting controller: `example.com/operator`. */
    readonly controller: string;
    /** The reporting process. */
    readonly instance: string;
  }) {
    this.#client = dependencies.client;
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
    this.#metrics = dependencies.metrics;
    this.#controller = dependencies.controller;
    this.#instance = dependencies.instance;
  }

  record(object: KubeObject, event: EventDetails): void {
    const now = this.#clock.monotonic();
    const identity = JSON.stringify([object.metadata.uid, event.type, event.reason, event.message]);
    const { uid } = object.metadata;
    const repeated = this.#latest.get(uid) === identity;
    remember(this.#latest, uid, identity);
    const known = this.#known.get(identity);
    if (repeated && known !== undefined && now - known.seenAt < REPEAT_WINDOW_MS) {
      known.count += 1;
      known.seenAt = now;
      remember(this.#known, identity, known);
      if (now - known.writtenAt >= COUNT_EVERY_MS) {
        known.writtenAt = now;
        this.#enqueue(() => this.#writeCount(identity, known));
      }
      return;
    }
    if (this.#takeToken(uid, now)) this.#create(object, event, identity);
    else if (!repeated || known === undefined) this.#metrics.events.inc({ outcome: 'dropped' });
  }

  #create(object: KubeObject, event: EventDetails, identity: string): void {
    const now = this.#clock.monotonic();
    const key = { namespace: object.metadata.namespace ?? 'default', name: this.#eventName(object) };
    remember(this.#known, identity, { key, count: 1, seenAt: now, writtenAt: now, writtenCount: 1 });
    const body = this.#event(key, object, event);
    this.#enqueue(async () => {
      await this.#client.create(kubeEvents, body);
      this.#metrics.events.inc({ outcome: 'sent' });
    });
  }

  /** Sends the queued events, then no more. Gives up after the given time in milliseconds. */
  async stop(ms: number): Promise<void> {
    const timeUp = new AbortController();
    await Promise.race([this.idle(), sleep(this.#clock, ms, timeUp.signal)]);
    timeUp.abort();
    this.#stopped.abort();
  }

  /** Resolves when the send queue is empty. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /**
   * Creates a unique name from the object's name and the time, as client-go does: `name.019b…`. Lists are sorted by name, and
   * kubectl keeps that order.
   */
  #eventName(object: KubeObject): string {
    this.#serial = (this.#serial + 1) % 0x10000;
    const time = this.#clock.now().getTime().toString(16).padStart(12, '0');
    const suffix = `.${time}${this.#serial.toString(16).padStart(4, '0')}${randomBytes(3).toString('hex')}`;
    const name = object.metadata.name.slice(0, LONGEST_NAME - suffix.length).replace(/[.-]+$/, '');
    return `${name}${suffix}`;
  }

  #event(key: ObjectKey, object: KubeObject, event: EventDetails): object {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    return {
      metadata: key,
      eventTime: microTime(this.#clock.now()),
      reportingController: this.#controller,
      reportingInstance: this.#instance.slice(0, 128),
      action: event.action ?? event.reason,
      reason: event.reason,
      type: event.type,
      note: shorten(printable(event.message, LONGEST_NOTE)),
      regarding: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid,
        resourceVersion,
      },
    };
  }

  async #writeCount(identity: string, known: Known): Promise<void> {
    if (known.count === known.writtenCount) return;
    const { count } = known;
    try {
      await this.#client.patch(kubeEvents, known.key, {
        series: { count, lastObservedTime: microTime(this.#clock.now()) },
      });
      known.writtenCount = count;
      this.#metrics.events.inc({ outcome: 'counted' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The event was deleted or has expired. The next one is new.
      this.#known.delete(identity);
    }
  }

  #takeToken(uid: string, now: number): boolean {
    const budget = this.#budgets.get(uid) ?? { tokens: BURST, at: now };
    budget.tokens = Math.min(BURST, budget.tokens + (now - budget.at) / REFILL_MS);
    budget.at = now;
    remember(this.#budgets, uid, budget);
    if (budget.tokens < 1) return false;
    budget.tokens -= 1;
    return true;
  }

  #enqueue(send: () => Promise<void>): void {
    if (this.#stopped.signal.aborted) return;
    this.#waiting.push(send);
    if (this.#waiting.length > MAX_QUEUED) {
      this.#waiting.shift();
      this.#metrics.events.inc({ outcome: 'dropped' });
    }
    this.#startSender();
  }

  #startSender(): void {
    if (this.#sending.size >= SENDERS) return;
    const sender = this.#sendAll().finally(() => {
      this.#sending.delete(sender);
      // An event that came while the sender was ending.
      if (this.#waiting.length > 0) this.#startSender();
    });
    this.#sending.add(sender);
  }

  async #sendAll(): Promise<void> {
    for (let send = this.#waiting.shift(); send !== undefined; send = this.#waiting.shift()) {
      for (let attempt = 1; !this.#stopped.signal.aborted; attempt++) {
        try {
          await send();
          break;
        } catch (error) {
          // The first attempt may have succeeded although its response was lost.
          if (attempt > 1 && isConflict(error)) break;
          if (attempt < MAX_ATTEMPTS && error instanceof ApiError && (error.isUnreachable || error.status >= 500)) {
            await sleep(this.#clock, 1000 * attempt * (1 + this.#clock.random()), this.#stopped.signal);
            continue;
          }
          // For example, a namespace that is being deleted accepts no new objects.
          this.#log.debug({ err: error }, 'Cannot write the Kubernetes event.');
          this.#metrics.events.inc({ outcome: 'failed' });
          break;
        }
      }
    }
  }
}

/** Truncates to the API server's limit in bytes, without breaking a character. */
function shorten(message: string): string {
  if (Buffer.byteLength(message) <= LONGEST_NOTE) return message;
  const cut = Buffer.from(message)
    .subarray(0, LONGEST_NOTE - 3)
    .toString();
  return `${cut.replace(/\uFFFD+$/, '')}…`;
}

/** Adds an entry as the newest of a bounded map, and drops the oldest. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
