/** Writes that replace a part of an object, guarded by its uid and resourceVersion: finalizers and statuses. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError, isConflict, isNotFound } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import type { Finalizer, KubeClient, Lister, MergePatch, StatusFields, StatusWriter } from '../contract.ts';
import { keyOf, keyText, type KubeObject, type ObjectKey, type ResourceKind } from '../objects.ts';

/** Number of retries after conflicts. Then the whole reconcile is retried. */
const CONFLICT_RETRIES = 5;

/**
 * Writes one object. On a conflict, reads the object again and writes again.
 * @param write writes to the current state, guarded by its uid and resourceVersion; undefined: there is nothing to write
 * @returns the object after the write, or the current one if there was nothing to write
 * @throws ApiError 404 if the object (by uid) no longer exists
 */
async function writeWithRetry<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  kind: ResourceKind<T>,
  object: T,
  write: (current: T) => Promise<T> | undefined,
): Promise<T> {
  let current = object;
  for (let attempt = 0; ; attempt++) {
    try {
      return (await write(current)) ?? current;
    } catch (error) {
      if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw error;
      current = await readAgain(client, kind, current);
    }
  }
}

async function readAgain<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  kind: ResourceKind<T>,
  object: T,
): Promise<T> {
  const now = await client.get(kind, keyOf(object));
  if (now.metadata.uid === object.metadata.uid) return now;
  throw new ApiError(`${kind.kind} ${keyText(keyOf(object))} was deleted and recreated.`, {
    status: 404,
    reason: 'NotFound',
  });
}

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

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Implements {@link StatusWriter}. Replaces the status as a whole, guarded by the resourceVersion: for a patch of the same
 * status, the API server would encode the object, merge both and decode the result, which takes a third more of its time.
 */
export class GuardedStatusWriter<T extends KubeObject> implements StatusWriter<T> {
  readonly #client: KubeClient;
  readonly #kind: ResourceKind<T>;
  readonly #isOwn: (field: string) => boolean;

  /** @param fields the fields that this writer writes; default: all */
  constructor(client: KubeClient, kind: ResourceKind<T>, fields: StatusFields = { except: [] }) {
    this.#client = client;
    this.#kind = kind;
    this.#isOwn = 'only' in fields ? (field) => fields.only.includes(field) : (field) => !fields.except.includes(field);
  }

  async write(object: T, status: object): Promise<T> {
    // JSON drops undefined fields. Without this, they would count as a difference each time.
    const desired = this.#own(JSON.parse(JSON.stringify(status)) as JsonObject);
    return writeWithRetry(this.#client, this.#kind, object, (current) => {
      const { status: before = {} } = current as { readonly status?: JsonObject };
      const after = { ...this.#foreign(before), ...desired };
      return isDeepStrictEqual(before, after) ? undefined : this.#client.replaceStatus(this.#kind, current, after);
    });
  }

  #own(status: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(status).filter(([field]) => this.#isOwn(field)));
  }

  #foreign(status: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(status).filter(([field]) => !this.#isOwn(field)));
  }
}

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
