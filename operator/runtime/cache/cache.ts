import type { Cache, Index } from '../contract.ts';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { keyOf } from '../objects.ts';

/** What happened to one object in the cache. Same name with a new uid is a delete and then an add. */
export type Change<T extends KubeObject> =
  | { readonly type: 'added'; readonly after: T; readonly initial: boolean }
  | { readonly type: 'updated'; readonly before: T; readonly after: T }
  | { readonly type: 'deleted'; readonly before: T }
  /**
   * The answer to a write of ours, which may come before or after the watch tells of it as an update.
   * `guardedBy` is the resourceVersion that the write was bound to: from there to here the change was ours alone.
   */
  | { readonly type: 'ownWrite'; readonly after: T; readonly guardedBy: string | undefined };

/**
 * Which of two resourceVersions is newer. Since Kubernetes 1.35 they are documented to compare as whole numbers
 * (KEP-5504), and with etcd they always have.
 * @returns below 0, 0 or above 0 as with `a - b`; undefined when one is not a number
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * The objects of one kind. Fed by reflectors (one for the cluster, or one a namespace) and by our own writes, so that
 * a reconcile right after a write reads what it wrote. An object never goes back to an older version.
 */
export class ObjectCache<T extends KubeObject> implements Cache<T> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #indexes: ObjectIndex<T>[] = [];
  readonly #listeners = new Set<(change: Change<T>) => void>();
  readonly #report: (error: unknown) => void;
  #size = 0;
  #unsynced: number;

  /**
   * @param sources how many reflectors feed it: it is synced when each has brought its first list
   * @param report told what a listener or an index threw, which must not keep the cache from following the server
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
    const index = new ObjectIndex<T>((object) => {
      try {
        return values(object);
      } catch (error) {
        this.#report(error);
        return [];
      }
    });
    for (const object of this.list()) index.add(object);
    this.#indexes.push(index);
    return index;
  }

  /** Calls back after each change, once it can be read. Returns what ends it. */
  subscribe(listener: (change: Change<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes in one object from a watch, unless the cache holds a newer state of it. */
  upsert(object: T, initial = false): void {
    const before = this.get(keyOf(object));
    if (before === undefined) {
      this.#set(object);
      this.#tell({ type: 'added', after: object, initial });
    } else if (before.metadata.uid !== object.metadata.uid) {
      if (isOlder(object, before)) return;
      this.#unset(before);
      this.#tell({ type: 'deleted', before });
      this.#set(object);
      this.#tell({ type: 'added', after: object, initial });
    } else if (before.metadata.resourceVersion !== object.metadata.resourceVersion && !isOlder(object, before)) {
      this.#unset(before);
      this.#set(object);
      this.#tell({ type: 'updated', before, after: object });
    }
  }

  /** Takes out what a watch reports deleted, unless something newer has that name by now. */
  remove(object: KubeObject): void {
    const before = this.get(keyOf(object));
    if (before === undefined || (before.metadata.uid !== object.metadata.uid && isOlder(object, before))) return;
    this.#unset(before);
    this.#tell({ type: 'deleted', before });
  }

  /**
   * Takes in what a write of ours returned. Only of objects that are here: the answer to a write may come after the
   * news of the object's end.
   * @param guardedBy the resourceVersion that the write was bound to, if to any
   */
  applyOwnWrite(object: T, guardedBy: string | undefined): void {
    const before = this.get(keyOf(object));
    if (before?.metadata.uid !== object.metadata.uid) return;
    const age = compareVersions(object.metadata.resourceVersion, before.metadata.resourceVersion);
    if (age !== undefined && age > 0) {
      this.#unset(before);
      this.#set(object);
      this.#tell({ type: 'updated', before, after: object });
    }
    this.#tell({ type: 'ownWrite', after: object, guardedBy });
  }

  /**
   * Takes in a complete list. What it lacks is deleted, unless it is newer than the list.
   * @param scope the namespace that the list is of; undefined: all
   * @param options `rewound`: the server's history went back (restored from a backup), so that nothing that is held
   *   counts as newer; `initial`: the source's first list
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
    for (const held of this.list(scope)) {
      const key = keyOf(held);
      const newer = !options.rewound && (compareVersions(held.metadata.resourceVersion, resourceVersion) ?? 0) > 0;
      if (newer || listed.get(key.namespace)?.has(key.name) === true) continue;
      this.#unset(held);
      this.#tell({ type: 'deleted', before: held });
    }
    for (const item of items) {
      const held = this.get(keyOf(item));
      if (options.rewound && held !== undefined && held.metadata.resourceVersion !== item.metadata.resourceVersion) {
        this.#unset(held);
        this.#tell({ type: 'deleted', before: held });
      }
      this.upsert(item, options.initial);
    }
    if (options.initial) this.#unsynced -= 1;
  }

  /** Waits no longer for the first list of one of the sources. */
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
    for (const index of this.#indexes) index.add(object);
  }

  #unset(object: T): void {
    const namespace = object.metadata.namespace ?? '';
    const objects = this.#namespaces.get(namespace);
    if (objects?.delete(object.metadata.name) !== true) return;
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#size -= 1;
    for (const index of this.#indexes) index.remove(object);
  }

  #tell(change: Change<T>): void {
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

/** Without comparable versions what comes later counts as newer, as it did before they were comparable. */
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
