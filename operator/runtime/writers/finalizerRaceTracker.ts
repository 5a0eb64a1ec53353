import type { Clock } from '../clock.ts';
import type { Lister } from '../contract.ts';
import { ApiError } from '../client/errors.ts';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { keyOf, keyText } from '../objects.ts';

/** The longest duration of a deletion that has begun: the API server's timeout for a request. */
const DELETION_MS = 60_000;

interface Tracked<T> {
  /** The latest known state of the object. */
  object: T;
  readonly since: number;
  /** Whether an external write has started. */
  writeStarted: boolean;
}

/**
 * Tracks objects that may be lost to a finalizer race. A deletion that the API server has begun ignores a finalizer that is
 * added after that: the object disappears although the write of the finalizer succeeded. With Kubernetes 1.36, this happens to
 * 10–20 % of the deletions within 2 ms of that write. Neither the response nor another read detects it: in a fifth of these
 * cases the object still exists at the read. The watch reports the deletion within milliseconds. So the external write starts
 * as late as possible, and not at all if the object is known to be gone. If the object disappears after that, the tracker
 * remembers it for the cleanup.
 *
 * The tracker has no persistent state: if the process ends between the external write and the deletion event, the external
 * state is left behind.
 */
export class FinalizerRaceTracker<T extends KubeObject> {
  readonly #cache: Pick<Lister<T>, 'get'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By key, oldest first. */
  readonly #tracked = new Map<string, Tracked<T>>();
  readonly #lost = new Map<string, readonly T[]>();

  constructor(cache: Pick<Lister<T>, 'get'>, clock: Pick<Clock, 'monotonic'>) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** Records that the finalizer was added to this object, or is about to be. */
  finalizerAdded(object: T): void {
    const now = this.#clock.monotonic();
    for (const [text, { since }] of this.#tracked) {
      if (now - since < DELETION_MS) break;
      this.#tracked.delete(text);
    }
    const key = keyOf(object);
    this.#detectLoss(key, object);
    // Keeps the map ordered by time.
    this.#tracked.delete(keyText(key));
    this.#tracked.set(keyText(key), { object, since: now, writeStarted: false });
  }

  /** Records the start of an external write. @throws ApiError 404 if the object is known to be gone */
  beforeExternalWrite(object: T): void {
    const key = keyOf(object);
    const { uid } = object.metadata;
    if (this.#cache.get(key)?.metadata.uid !== uid) {
      throw new ApiError(`${object.kind} ${keyText(key)} was deleted before its finalizer took effect.`, {
        status: 404,
        reason: 'NotFound',
      });
    }
    const tracked = this.#tracked.get(keyText(key));
    if (tracked?.object.metadata.uid !== uid) return;
    tracked.object = object;
    tracked.writeStarted = true;
  }

  /** The lost objects of a key whose external write had started. */
  lostObjects(key: ObjectKey): readonly T[] {
    const now = this.#cache.get(key);
    this.#detectLoss(key, now);
    // A deletion with a timestamp respects the finalizer.
    if (now?.metadata.deletionTimestamp !== undefined) this.#tracked.delete(keyText(key));
    return this.#lost.get(keyText(key)) ?? [];
  }

  /** Records that the cleanup for this object is complete. */
  markCleanedUp(object: T): void {
    const text = keyText(keyOf(object));
    const { uid } = object.metadata;
    if (this.#tracked.get(text)?.object.metadata.uid === uid) this.#tracked.delete(text);
    const left = (this.#lost.get(text) ?? []).filter(({ metadata }) => metadata.uid !== uid);
    if (left.length > 0) this.#lost.set(text, left);
    else this.#lost.delete(text);
  }

  /** Moves the tracked object to the lost ones if the key now has another object or none. */
  #detectLoss(key: ObjectKey, now: T | undefined): void {
    const text = keyText(key);
    const tracked = this.#tracked.get(text);
    if (tracked === undefined || tracked.object.metadata.uid === now?.metadata.uid) return;
    this.#tracked.delete(text);
    if (tracked.writeStarted) this.#lost.set(text, [...(this.#lost.get(text) ?? []), tracked.object]);
  }
}
