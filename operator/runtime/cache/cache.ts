import type { Cache, Index } from '../contract.ts';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { keyOf } from '../objects.ts';

/** A change of one object in the cache. An object with the same name and a new uid is a deletion followed by an addition. */
export type Change<T extends KubeObject> =
  | { readonly type: 'added'; readonly after: T; readonly initial: boolean }
  | { readonly type: 'updated'; readonly before: T; readonly after: T }
  | { readonly type: 'deleted'; readonly before: T }
  /**
   * The response to a write of the operator. It may come before or after the watch event of the update.
   * `guardedBy` is the resourceVersion that guarded the write: only this write changed the object since that version.
   */
  | { readonly type: 'ownWrite'; readonly after: T; readonly guardedBy: string | undefined };

/**
 * Compares two resourceVersions. Since Kubernetes 1.35 they are documented to compare as whole numbers (KEP-5504); with etcd
 * they always have.
 * @returns below 0, 0 or above 0 as with `a - b`; undefined if one is not a number
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Managed fields are often larger than the rest of the object, and no code reads them from a cache. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * The objects of one kind. Reflectors (one for the cluster, or one per namespace) and the operator's own writes update
 * it, so a reconcile after a write reads the written object. An object never returns to an older version.
 */
export class ObjectCache<T extends KubeObject> implements Cache<T> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  /** By the function that gives the values of an object. */
  readonly #indexes = new Map<(object: T) => readonly string[], ObjectIndex<T>>();
  readonly #listeners = new Set<(change: Change<T>) => void>();
  readonly #report: (error: unknown) => void;
  #size = 0;
  #unsynced: number;

  /**
   * @param sources number of reflectors; the cache is synced after the first list of each
   * @param report receives the errors of listeners and indexes, which must not stop the cache
   */
  constructor(sources = 1, report: (error: unknown) => void = rethrowLater) {
    this.#unsynced = sources;
    this.#report = report;
  }

  get(key: ObjectKey): T | undefined {
    return this.#namespaces.get(key.namespace)?.get(key.name);
  }

  list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return [...this.#namespaces.values()].flatMap((objects) => [...objects.values()]);
  }

  get size(): number {
    return this.#size;
  }

  get synced(): boolean {
    return this.#unsynced <= 0;
  }

  indexBy(values: (object: T) => readonly string[]): Index<T> {
    const known = this.#indexes.get(values);
    if (known !== undefined) return known;
    const index = new ObjectIndex<T>((object) => {
      try {
        return values(object);
      } catch (error) {
        this.#report(error);
        return [];
      }
    });
    for (const object of this.list()) index.add(object);
    this.#indexes.set(values, index);
    return index;
  }

  /** Calls the listener after each change. Returns a function that ends the subscription. */
  subscribe(listener: (change: Change<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stores an object from a watch, unless the cache has a newer version of it. */
  upsert(object: T, initial = false): void {
    const before = this.get(keyOf(object));
    if (before === undefined) {
      this.#set(object);
      this.#notify({ type: 'added', after: object, initial });
    } else if (before.metadata.uid !== object.metadata.uid) {
      if (isOlder(object, before)) return;
      this.#unset(before);
      this.#notify({ type: 'deleted', before });
      this.#set(object);
      this.#notify({ type: 'added', after: object, initial });
    } else if (before.metadata.resourceVersion !== object.metadata.resourceVersion && !isOlder(object, before)) {
      this.#unset(before);
      this.#set(object);
      this.#notify({ type: 'updated', before, after: object });
    }
  }

  /** Removes an object that a watch reports as deleted, unless the cache has a newer object of that name. */
  remove(object: KubeObject): void {
    const before = this.get(keyOf(object));
    if (before === undefined || (before.metadata.uid !== object.metadata.uid && isOlder(object, before))) return;
    this.#unset(before);
    this.#notify({ type: 'deleted', before });
  }

  /**
   * Stores the response to a write of the operator if the cache contains the object. The response may come after the object's
   * deletion event.
   * @param guardedBy the resourceVersion that guarded the write, if any
   */
  applyOwnWrite(object: T, guardedBy: string | undefined): void {
    const before = this.get(keyOf(object));
    if (before?.metadata.uid !== object.metadata.uid) return;
    const age = compareVersions(object.metadata.resourceVersion, before.metadata.resourceVersion);
    const after = withoutManagedFields(object);
    if (age !== undefined && age > 0) {
      this.#unset(before);
      this.#set(after);
      this.#notify({ type: 'updated', before, after });
    }
    this.#notify({ type: 'ownWrite', after, guardedBy });
  }

  /**
   * Replaces the contents by a complete list. Deletes objects that are not in the list, unless they are newer than the list.
   * @param scope the namespace of the list; undefined: all namespaces
   * @param options `rewound`: the server's resourceVersion went back (restored from a backup), so no cached object counts as
   *   newer; `initial`: the first list of the source
   */
  replace(
    items: readonly T[],
    resourceVersion: string,
    scope: string | undefined,
    options: { readonly rewound: boolean; readonly initial: boolean },
  ): void {
    const listed = new Map<string, Set<string>>();
    for (const { metadata } of items) {
      const namespace = metadata.namespace ?? '';
      const names = listed.get(namespace) ?? new Set();
      listed.set(namespace, names.add(metadata.name));
    }
    for (const cached of this.list(scope)) {
      const key = keyOf(cached);
      const newer = !options.rewound && (compareVersions(cached.metadata.resourceVersion, resourceVersion) ?? 0) > 0;
      if (newer || listed.get(key.namespace)?.has(key.name) === true) continue;
      this.#unset(cached);
      this.#notify({ type: 'deleted', before: cached });
    }
    for (const item of items) {
      const cached = this.get(keyOf(item));
      if (
        options.rewound &&
        cached !== undefined &&
        cached.metadata.resourceVersion !== item.metadata.resourceVersion
      ) {
        this.#unset(cached);
        this.#notify({ type: 'deleted', before: cached });
      }
      this.upsert(item, options.initial);
    }
    if (options.initial) this.#unsynced -= 1;
  }

  /** Stops waiting for the first list of one source. */
  skipSource(): void {
    this.#unsynced -= 1;
  }

  #set(object: T): void {
    const namespace = object.metadata.namespace ?? '';
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) {
      objects = new Map();
      this.#namespaces.set(namespace, objects);
    }
    objects.set(object.metadata.name, object);
    this.#size += 1;
    for (const index of this.#indexes.values()) index.add(object);
  }

  #unset(object: T): void {
    const namespace = object.metadata.namespace ?? '';
    const objects = this.#namespaces.get(namespace);
    if (objects?.delete(object.metadata.name) !== true) return;
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#size -= 1;
    for (const index of this.#indexes.values()) index.remove(object);
  }

  #notify(change: Change<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Without comparable versions, the later object counts as newer. */
function isOlder(object: KubeObject, than: KubeObject): boolean {
  return (compareVersions(object.metadata.resourceVersion, than.metadata.resourceVersion) ?? 1) < 0;
}

class ObjectIndex<T extends KubeObject> implements Index<T> {
  readonly #values: (object: T) => readonly string[];
  readonly #entries = new Map<string, Set<T>>();

  constructor(values: (object: T) => readonly string[]) {
    this.#values = values;
  }

  get(value: string): readonly T[] {
    return [...(this.#entries.get(value) ?? [])];
  }

  keys(value: string): readonly ObjectKey[] {
    return this.get(value).map(keyOf);
  }

  add(object: T): void {
    for (const value of this.#values(object)) {
      const objects = this.#entries.get(value);
      if (objects === undefined) this.#entries.set(value, new Set([object]));
      else objects.add(object);
    }
  }

  remove(object: T): void {
    for (const value of this.#values(object)) {
      const objects = this.#entries.get(value);
      objects?.delete(object);
      if (objects?.size === 0) this.#entries.delete(value);
    }
  }
}
