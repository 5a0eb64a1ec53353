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
  begun: boolean;
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
  readonly #fresh = new Map<string, Tracked<T>>();
  readonly #lost = new Map<string, readonly T[]>();

  constructor(cache: Pick<Lister<T>, 'get'>, clock: Pick<Clock, 'monotonic'>) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** Records that the finalizer was added to this object, or is about to be. */
  finalizerAdded(object: T): void {
    const now = this.#clock.monotonic();
    for (const [text, { since }] of this.#fresh) {
      if (now - since < DELETION_MS) break;
      this.#fresh.delete(text);
    }
    const key = keyOf(object);
    this.#settle(key, object);
    // Keeps the map ordered by time.
    this.#fresh.delete(keyText(key));
    this.#fresh.set(keyText(key), { object, since: now, begun: false });
  }

  /** Records the start of an external write. @throws ApiError 404 if the object is known to be gone */
  beforeExternalWrite(object: T): void {
    const key = keyOf(object);
    const { uid } = object.metadata;
    if (this.#cache.get(key)?.metadata.uid !== uid) {
      throw new ApiError(`${object.kind} ${keyText(key)} went before its finalizer could hold it.`, {
        status: 404,
        reason: 'NotFound',
      });
    }
    const fresh = this.#fresh.get(keyText(key));
    if (fresh?.object.metadata.uid !== uid) return;
    fresh.object = object;
    fresh.begun = true;
  }

  /** The lost objects of a key whose external write had started. */
  lostObjects(key: ObjectKey): readonly T[] {
    const now = this.#cache.get(key);
    this.#settle(key, now);
    // A deletion with a timestamp respects the finalizer.
    if (now?.metadata.deletionTimestamp !== undefined) this.#fresh.delete(keyText(key));
    return this.#lost.get(keyText(key)) ?? [];
  }

  /** Records that the cleanup for this object is complete. */
  markCleanedUp(object: T): void {
    const text = keyText(keyOf(object));
    const { uid } = object.metadata;
    if (this.#fresh.get(text)?.object.metadata.uid === uid) this.#fresh.delete(text);
    const left = (this.#lost.get(text) ?? []).filter(({ metadata }) => metadata.uid !== uid);
    if (left.length > 0) this.#lost.set(text, left);
    else this.#lost.delete(text);
  }

  /** Moves the tracked object to the lost ones if the key now has another object or none. */
  #settle(key: ObjectKey, now: T | undefined): void {
    const text = keyText(key);
    const fresh = this.#fresh.get(text);
    if (fresh === undefined || fresh.object.metadata.uid === now?.metadata.uid) return;
    this.#fresh.delete(text);
    if (fresh.begun) this.#lost.set(text, [...(this.#lost.get(text) ?? []), fresh.object]);
  }
}
