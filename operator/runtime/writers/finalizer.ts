import type { Finalizer, KubeClient, MergePatch } from '../contract.ts';
import { isNotFound } from '../client/errors.ts';
import { keyOf, type KubeObject, type ObjectKey, type ResourceKind } from '../objects.ts';
import { writeWithRetry } from './conflictRetry.ts';
import type { FinalizerRaceTracker } from './finalizerRaceTracker.ts';

/** Implements {@link Finalizer}. A merge patch replaces the whole list, so each write is guarded by the resourceVersion. */
export class GuardedFinalizer<T extends KubeObject> implements Finalizer<T> {
  readonly name: string;
  readonly #client: KubeClient;
  readonly #kind: ResourceKind<T>;
  readonly #raceTracker: FinalizerRaceTracker<T> | undefined;
  readonly #mayWrite: () => void;

  /**
   * @param options `raceTracker` detects finalizer races; without it, none is detected. `mayWrite` throws if this process must
   *   not write
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
    // Recorded before the write: if its response is lost, the next reconcile finds the finalizer already set.
    if (!this.isSet(object)) this.#raceTracker?.finalizerAdded(object);
    const added = await this.#patch(object, (current) => {
      // The API server rejects new finalizers on objects that are being deleted.
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
      await this.#patch(object, (current) =>
        this.isSet(current)
          ? { finalizers: (current.metadata.finalizers ?? []).filter((name) => name !== this.name) }
          : undefined,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.markCleanedUp(object);
  }

  /** @param buildMetadata the changes to an object's metadata; undefined: none */
  async #patch(object: T, buildMetadata: (current: T) => MergePatch | undefined): Promise<T> {
    return writeWithRetry(this.#client, this.#kind, object, (current) => {
      const changes = buildMetadata(current);
      if (changes === undefined) return undefined;
      const { uid, resourceVersion } = current.metadata;
      return this.#client.patch(this.#kind, keyOf(current), { metadata: { ...changes, uid, resourceVersion } });
    });
  }
}
