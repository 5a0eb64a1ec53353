import type { Finalizer, KubeClient, MergePatch } from '../contract.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { keyOf } from '../objects.ts';
import type { FinalizerRaceTracker } from './finalizerRaceTracker.ts';
import { readAgain } from './statusWriter.ts';

/** How often a write is repeated on an object that keeps changing. Then the reconcile is. */
const CONFLICT_RETRIES = 5;

/** See {@link Finalizer}. A merge patch replaces the whole list, so each write is bound to the version it was read at. */
export class GuardedFinalizer<T extends KubeObject> implements Finalizer<T> {
  readonly name: string;
  readonly #client: KubeClient;
  readonly #kind: ResourceKind<T>;
  readonly #raceTracker: FinalizerRaceTracker<T> | undefined;
  readonly #mayWrite: () => void;

  /**
   * @param options `raceTracker` remembers for what it was put on; without it, nothing is known to be overtaken.
   *   `mayWrite` throws where this process must not write any more
   */
  constructor(
    client: KubeClient,
    kind: ResourceKind<T>,
    name: string,
    options: { readonly raceTracker?: FinalizerRaceTracker<T>; readonly mayWrite?: () => void } = {},
  ) {
    this.#client = client;
    this.#kind = kind;
    this.name = name;
    this.#raceTracker = options.raceTracker;
    this.#mayWrite = options.mayWrite ?? ((): void => undefined);
  }

  isSet(object: T): boolean {
    return object.metadata.finalizers?.includes(this.name) === true;
  }

  async add(object: T, annotations: Readonly<Record<string, string | null>> = {}): Promise<T> {
    // Before the write, whose answer may be lost: the next reconcile then finds the finalizer there.
    if (!this.isSet(object)) this.#raceTracker?.finalizerAdded(object);
    const added = await this.#change(object, (current) => {
      // The API server refuses new finalizers on what is being deleted.
      if (current.metadata.deletionTimestamp !== undefined) return undefined;
      const missing = Object.entries(annotations).filter(
        ([name, value]) => (current.metadata.annotations?.[name] ?? null) !== value,
      );
      if (this.isSet(current) && missing.length === 0) return undefined;
      return {
        ...(this.isSet(current) ? {} : { finalizers: [...(current.metadata.finalizers ?? []), this.name] }),
        ...(missing.length === 0 ? {} : { annotations: Object.fromEntries(missing) }),
      };
    });
    if (!this.isSet(object) && this.isSet(added)) this.#raceTracker?.finalizerAdded(added);
    return added;
  }

  beforeExternalWrite(object: T): void {
    this.#mayWrite();
    this.#raceTracker?.beforeExternalWrite(object);
  }

  lostObjects(key: ObjectKey): readonly T[] {
    return this.#raceTracker?.lostObjects(key) ?? [];
  }

  markCleanedUp(object: T): void {
    this.#raceTracker?.markCleanedUp(object);
  }

  async remove(object: T): Promise<void> {
    try {
      await this.#change(object, (current) =>
        this.isSet(current)
          ? { finalizers: (current.metadata.finalizers ?? []).filter((name) => name !== this.name) }
          : undefined,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.markCleanedUp(object);
  }

  /** @param change what to change in an object's metadata; undefined: nothing */
  async #change(object: T, change: (current: T) => MergePatch | undefined): Promise<T> {
    let current = object;
    for (let attempt = 0; ; attempt++) {
      const metadata = change(current);
      if (metadata === undefined) return current;
      const { uid, resourceVersion } = current.metadata;
      try {
        return await this.#client.patch(this.#kind, keyOf(current), {
          metadata: { ...metadata, uid, resourceVersion },
        });
      } catch (error) {
        if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw error;
        current = await readAgain(this.#client, this.#kind, current);
      }
    }
  }
}
