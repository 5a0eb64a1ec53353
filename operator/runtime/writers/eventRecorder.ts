import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { printable } from '../printable.ts';
import type { Clock } from '../clock.ts';
import { microTime, sleep } from '../clock.ts';
import type { EventDetails, EventRecorder, KubeClient } from '../contract.ts';
import { ApiError, isConflict, isNotFound } from '../client/errors.ts';
import type { RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { resource } from '../objects.ts';

export const kubeEvents = resource<KubeObject>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
});

/** The API server's limits. */
const LONGEST_NOTE = 1024;
const LONGEST_NAME = 253;
/** The same event again is counted, and the count written at most so often. */
const COUNT_EVERY_MS = 300_000;
/** After so long without it, the same event is a new one: the API server keeps events for an hour. */
const FORGET_MS = 3_600_000;
/** As client-go's spam filter: an object may have this many events at once, and then one every five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;
/** How many events may wait to be sent: one for each of 10,000 new objects. The oldest go first. */
const WAITING = 10_000;
/** How many are sent at once. */
const SENDERS = 4;
/** How many are remembered. The oldest go first. */
const REMEMBERED = 20_000;
/** How often one event is tried. Losing one is better than keeping all. */
const ATTEMPTS = 3;

interface Known {
  readonly key: ObjectKey;
  count: number;
  seenAt: number;
  writtenAt: number;
  writtenCount: number;
}

/**
 * See {@link EventRecorder}. Writes events.k8s.io/v1, which `kubectl describe` and `kubectl get events` show, in the order
 * of their names. The last of them must tell how things are: what repeats the latest event of its object is counted, and
 * what follows on another event is a new one, however often it was told before.
 */
export class BackgroundEventRecorder implements EventRecorder {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #controller: string;
  readonly #instance: string;
  readonly #known = new Map<string, Known>();
  /** The latest event of each object, by its uid. */
  readonly #latest = new Map<string, string>();
  /** Cancels the telling of an object's latest event, which could not be afforded yet, by the object's uid. */
  readonly #owed = new Map<string, () => void>();
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
    /** Who reports: `example.com/operator`. */
    readonly controller: string;
    /** Which process of it. */
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
    if (repeated && known !== undefined && now - known.seenAt < FORGET_MS) {
      known.count += 1;
      known.seenAt = now;
      remember(this.#known, identity, known);
      if (now - known.writtenAt >= COUNT_EVERY_MS) {
        known.writtenAt = now;
        this.#enqueue(() => this.#writeCount(identity, known));
      }
      return;
    }
    if (this.#afford(uid, now)) this.#tell(object, event, identity);
    else if (!repeated || known === undefined) {
      this.#metrics.events.inc({ outcome: 'dropped' });
      this.#owe(object, event, identity);
    }
  }

  #tell(object: KubeObject, event: EventDetails, identity: string): void {
    const now = this.#clock.monotonic();
    this.#payOff(object.metadata.uid);
    const key = { namespace: object.metadata.namespace ?? 'default', name: this.#eventName(object) };
    remember(this.#known, identity, { key, count: 1, seenAt: now, writtenAt: now, writtenCount: 1 });
    const body = this.#event(key, object, event);
    this.#enqueue(async () => {
      await this.#client.create(kubeEvents, body);
      this.#metrics.events.inc({ outcome: 'sent' });
    });
  }

  /** What cannot be afforded now is told later, if it is still the latest by then: the rest is of the past. */
  #owe(object: KubeObject, event: EventDetails, identity: string): void {
    const { uid } = object.metadata;
    this.#payOff(uid);
    if (this.#stopped.signal.aborted || this.#owed.size >= REMEMBERED) return;
    const cancel = this.#clock.after(REFILL_MS, () => {
      this.#owed.delete(uid);
      if (this.#latest.get(uid) === identity && this.#afford(uid, this.#clock.monotonic())) {
        this.#tell(object, event, identity);
      }
    });
    this.#owed.set(uid, cancel);
  }

  #payOff(uid: string): void {
    this.#owed.get(uid)?.();
    this.#owed.delete(uid);
  }

  /** Sends what waits, then nothing more. Gives up after so many milliseconds. */
  async stop(ms: number): Promise<void> {
    const timeUp = new AbortController();
    await Promise.race([this.idle(), sleep(this.#clock, ms, timeUp.signal)]);
    timeUp.abort();
    this.#stopped.abort();
    for (const uid of [...this.#owed.keys()]) this.#payOff(uid);
  }

  /** Resolves when nothing waits to be sent. */
  async idle(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /**
   * Unique, says whom it is about, and sorts by time, as client-go's do: `name.019b…`. Lists come by name, and kubectl
   * shows them as they come.
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
      // Somebody has deleted it, or it has expired: the next one is new.
      this.#known.delete(identity);
    }
  }

  #afford(uid: string, now: number): boolean {
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
    if (this.#waiting.length > WAITING) {
      this.#waiting.shift();
      this.#metrics.events.inc({ outcome: 'dropped' });
    }
    if (this.#sending.size >= SENDERS) return;
    const sender = this.#sendAll().finally(() => this.#sending.delete(sender));
    this.#sending.add(sender);
  }

  async #sendAll(): Promise<void> {
    for (let send = this.#waiting.shift(); send !== undefined; send = this.#waiting.shift()) {
      for (let attempt = 1; !this.#stopped.signal.aborted; attempt++) {
        try {
          await send();
          break;
        } catch (error) {
          // The first attempt may have come through although its answer did not.
          if (attempt > 1 && isConflict(error)) break;
          if (attempt < ATTEMPTS && error instanceof ApiError && (error.isUnreachable || error.status >= 500)) {
            await sleep(this.#clock, 1000 * attempt * (1 + this.#clock.random()), this.#stopped.signal);
            continue;
          }
          // Nothing may be written in a namespace that is being deleted, and nobody would read it.
          this.#log.debug({ err: error }, 'A Kubernetes event could not be written.');
          this.#metrics.events.inc({ outcome: 'failed' });
          break;
        }
      }
    }
  }
}

/** Cut to the API server's limit, which is in bytes, without breaking a character. */
function shorten(message: string): string {
  if (Buffer.byteLength(message) <= LONGEST_NOTE) return message;
  const cut = Buffer.from(message)
    .subarray(0, LONGEST_NOTE - 3)
    .toString();
  return `${cut.replace(/\uFFFD+$/, '')}…`;
}

/** Puts an entry at the young end of a bounded map, and drops the oldest. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= REMEMBERED) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
