import type { Clock } from '../clock.ts';
import type { Lister } from '../contract.ts';
import { ApiError } from '../client/errors.ts';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { keyOf, keyText } from '../objects.ts';

/** The longest that a deletion takes which has begun: the API server's limit for a request. */
const DELETION_MS = 60_000;

interface Tracked<T> {
  /** The newest state that is known of it. */
  object: T;
  readonly since: number;
  /** Something has been begun outside the cluster. */
  begun: boolean;
}

/**
 * Objects whose finalizer does not hold. A deletion that the API server has begun does not see a finalizer that is put on
 * after that: it takes the object away although the write of the finalizer was answered with success (with 1.36, one or two
 * in ten of the deletions that come within 2 ms of it). The answer cannot tell, nor can reading the object once more: in a
 * fifth of these cases it is still there then. The watch tells within milliseconds. So what is outside the cluster is begun
 * as late as it can be, and not where the object is known to be gone by then; and where it goes after that, it is
 * remembered here what there is to undo.
 *
 * Nothing of this survives the process: one that ends between its first call to the outside and the news that the object
 * is gone leaves behind what it has made there.
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

  /** The finalizer was put on this object just now, or is about to be. */
  finalizerAdded(object: T): void {
    const now = this.#clock.monotonic();
    for (const [text, { since }] of this.#fresh) {
      if (now - since < DELETION_MS) break;
      this.#fresh.delete(text);
    }
    const key = keyOf(object);
    this.#settle(key, object);
    // So that the order stays.
    this.#fresh.delete(keyText(key));
    this.#fresh.set(keyText(key), { object, since: now, begun: false });
  }

  /** @throws ApiError 404 when the object is known to be gone */
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

  /** The objects of a key that are gone in spite of their finalizer, and for which something was begun. */
  lostObjects(key: ObjectKey): readonly T[] {
    const now = this.#cache.get(key);
    this.#settle(key, now);
    // A deletion that can be seen has seen the finalizer.
    if (now?.metadata.deletionTimestamp !== undefined) this.#fresh.delete(keyText(key));
    return this.#lost.get(keyText(key)) ?? [];
  }

  /** Nothing more is to be undone for this object. */
  markCleanedUp(object: T): void {
    const text = keyText(keyOf(object));
    const { uid } = object.metadata;
    if (this.#fresh.get(text)?.object.metadata.uid === uid) this.#fresh.delete(text);
    const left = (this.#lost.get(text) ?? []).filter(({ metadata }) => metadata.uid !== uid);
    if (left.length > 0) this.#lost.set(text, left);
    else this.#lost.delete(text);
  }

  /** Where there is another object or none by now, the one that was there is lost. */
  #settle(key: ObjectKey, now: T | undefined): void {
    const text = keyText(key);
    const fresh = this.#fresh.get(text);
    if (fresh === undefined || fresh.object.metadata.uid === now?.metadata.uid) return;
    this.#fresh.delete(text);
    if (fresh.begun) this.#lost.set(text, [...(this.#lost.get(text) ?? []), fresh.object]);
  }
}
