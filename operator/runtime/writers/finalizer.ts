import type { Finalizer, KubeClient, MergePatch } from '../contract.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { keyOf } from '../objects.ts';
import type { Overtaken } from './finalizerRaceTracker.ts';
import { readAgain } from './statusWriter.ts';

/** How often a write is repeated on an object that keeps changing. Then the reconcile is. */
const CONFLICT_RETRIES = 5;

/** See {@link Finalizer}. A merge patch replaces the whole list, so each write is bound to the version it was read at. */
export class GuardedFinalizer<T extends KubeObject> implements Finalizer<T> {
  readonly name: string;
  readonly #client: KubeClient;
  readonly #kind: ResourceKind<T>;
  readonly #overtaken: Overtaken<T> | undefined;
  readonly #mayWrite: () => void;

  /**
   * @param options `overtaken` remembers for what it was put on; without it, nothing is known to be overtaken.
   *   `mayWrite` throws where this process must not write any more
   */
  constructor(
    client: KubeClient,
    kind: ResourceKind<T>,
    name: string,
    options: { readonly overtaken?: Overtaken<T>; readonly mayWrite?: () => void } = {},
  ) {
    this.#client = client;
    this.#kind = kind;
    this.name = name;
    this.#overtaken = options.overtaken;
    this.#mayWrite = options.mayWrite ?? ((): void => undefined);
  }

  on(object: T): boolean {
    return object.metadata.finalizers?.includes(this.name) === true;
  }

  async add(object: T, annotations: Readonly<Record<string, string | null>> = {}): Promise<T> {
    // Before the write, whose answer may be lost: the next reconcile then finds the finalizer there.
    if (!this.on(object)) this.#overtaken?.putOn(object);
    const added = await this.#change(object, (current) => {
      // The API server refuses new finalizers on what is being deleted.
      if (current.metadata.deletionTimestamp !== undefined) return undefined;
      const missing = Object.entries(annotations).filter(
        ([name, value]) => (current.metadata.annotations?.[name] ?? null) !== value,
      );
      if (this.on(current) && missing.length === 0) return undefined;
      return {
        ...(this.on(current) ? {} : { finalizers: [...(current.metadata.finalizers ?? []), this.name] }),
        ...(missing.length === 0 ? {} : { annotations: Object.fromEntries(missing) }),
      };
    });
    if (!this.on(object) && this.on(added)) this.#overtaken?.putOn(added);
    return added;
  }

  begin(object: T): void {
    this.#mayWrite();
    this.#overtaken?.begin(object);
  }

  overtaken(key: ObjectKey): readonly T[] {
    return this.#overtaken?.of(key) ?? [];
  }

  forget(object: T): void {
    this.#overtaken?.forget(object);
  }

  async remove(object: T): Promise<void> {
    try {
      await this.#change(object, (current) =>
        this.on(current)
          ? { finalizers: (current.metadata.finalizers ?? []).filter((name) => name !== this.name) }
          : undefined,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.forget(object);
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
