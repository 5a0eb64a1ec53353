/** Writes that replace a part of an object, guarded by its uid and resourceVersion: finalizers and statuses. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError, isConflict, isNotFound } from '../client/errors.ts';
import type { Finalizer, KubeClient, MergePatch, StatusFields, StatusWriter } from '../contract.ts';
import { keyOf, keyText, type KubeObject, type ObjectKey, type ResourceKind } from '../objects.ts';
import type { FinalizerRaceTracker } from './finalizerRaceTracker.ts';

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
