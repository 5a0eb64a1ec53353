import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { KubeObject, ObjectKey, ResourceKind } from './objects.ts';

/** The result of a successful reconcile. A reconcile that throws is retried with backoff. */
export interface Result {
  /** Requeue after this time in milliseconds, ±10 %, so that objects do not all return at once. Absent: reconcile on changes only. */
  readonly requeueAfter?: number;
}

/** The context of one reconcile. */
export interface ReconcileContext {
  /** Aborted when leadership is lost, when the reconcile times out, or when the drain time of a shutdown is over. */
  readonly signal: AbortSignal;
  /** Adds the controller, the object and the reconcile's id to each line. */
  readonly log: Logger;
}

/**
 * Reconciles one object towards its desired state. Level-triggered: it receives the key of the object, never the event, and
 * runs again after every relevant change. At most one reconcile of an object runs at a time.
 */
export interface Reconciler {
  /**
   * @throws RetryAfterError to retry after a given time; any other error to retry with backoff
   */
  reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result>;
  /** Whether a thrown error belongs to normal operation and the reconcile has already reported it. Default: no error does. */
  isExpected?(error: unknown): boolean;
  /**
   * Reports an unexpected error on the object. `message` consists of whole sentences and contains no values of the resource.
   */
  reportUnexpectedError?(key: ObjectKey, message: string): Promise<void>;
}

/** Finds the objects of a cache by a value other than their key. */
export interface Index<T extends KubeObject> {
  get(value: string): readonly T[];
  keys(value: string): readonly ObjectKey[];
}

/** The read side of a cache. The objects are shared: never change them. */
export interface Lister<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  /** All objects, or those of one namespace, in no particular order. */
  list(namespace?: string): readonly T[];
  readonly size: number;
  /** Whether the first complete list has been read. Before that, a missing object means nothing, and no reconcile runs. */
  readonly synced: boolean;
}

/** The objects of one kind, kept up to date by a watch. The operator's own writes are visible at once. */
export interface Cache<T extends KubeObject> extends Lister<T> {
  /**
   * Adds an index. Call it while wiring. Callers with the same function share one index.
   * @param values the values under which to find the object; none: the object is not in this index
   */
  indexBy(values: (object: T) => readonly string[]): Index<T>;
}

/** A JSON merge patch (RFC 7386) of metadata and top-level fields: null removes a field. */
export type MergePatch = Readonly<Record<string, unknown>>;

/** The subresource that a write addresses. */
export type Subresource = 'status' | 'scale';

/** The input of {@link KubeClient.apply}: an object without the fields that only the server sets. */
export interface ApplyObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/**
 * A client of the API server. It reuses connections, retries after 429 and `Retry-After`, and sets a deadline for each request.
 * Every method throws ApiError. The responses to writes update the kind's cache, if there is one.
 */
export interface KubeClient {
  get<T extends KubeObject>(kind: ResourceKind<T>, key: ObjectKey): Promise<T>;
  /** Reads all pages of a collection. */
  list<T extends KubeObject>(
    kind: ResourceKind<T>,
    options?: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string },
  ): Promise<T[]>;
  create<T extends KubeObject>(kind: ResourceKind<T>, object: ApplyObject): Promise<T>;
  /**
   * Server-side apply with the operator's field manager. The server removes fields that the object no longer contains and that
   * no other manager owns.
   * @param options `force` (default true) takes over fields of other managers; `fieldManager` keeps a part of the object
   *   separate, so that it can be removed on its own
   */
  apply<T extends KubeObject>(
    kind: ResourceKind<T>,
    object: ApplyObject,
    options?: { readonly force?: boolean; readonly fieldManager?: string; readonly subresource?: Subresource },
  ): Promise<T>;
  /**
   * JSON merge patch. If it contains `metadata.resourceVersion` or `metadata.uid`, the API server returns 409 on a
   * mismatch.
   */
  patch<T extends KubeObject>(
    kind: ResourceKind<T>,
    key: ObjectKey,
    patch: MergePatch,
    options?: { readonly subresource?: Subresource },
  ): Promise<T>;
  /**
   * Replaces the status of an object. The API server changes nothing else. It returns 409 if the object has changed or is
   * another one.
   */
  replaceStatus<T extends KubeObject>(kind: ResourceKind<T>, object: T, status: object): Promise<T>;
  /**
   * Deletes in the background. Succeeds if the object does not exist.
   * @param options with `uid` and `resourceVersion`, deletes only that object in that state; otherwise 409
   */
  delete(
    kind: ResourceKind,
    key: ObjectKey,
    options?: { readonly uid?: string; readonly resourceVersion?: string },
  ): Promise<void>;
  /** Opens a connection to a port of a pod, as `kubectl port-forward` does. Reaches ports that listen on loopback only. */
  portForward(pod: ObjectKey, port: number): Promise<Duplex>;
}

/** One Kubernetes event for an object. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** One word in UpperCamelCase, from the operator's list of reasons. */
  readonly reason: string;
  /** A whole sentence. Truncated to 1,024 bytes. */
  readonly message: string;
  /** The action in one word: `Create`, `Sync`. Default: the reason. */
  readonly action?: string;
}

/** Records Kubernetes events, which `kubectl describe` shows. */
export interface EventRecorder {
  /**
   * Records an event in the background. Never throws or waits. Use it for transitions: a repeated event of an object only
   * increments the count of the first, at a limited rate.
   */
  record(object: KubeObject, event: EventDetails): void;
}

/** Writes the status subresource of one kind. */
export interface StatusWriter<T extends KubeObject> {
  /**
   * Writes the status if it differs from the current one. If the object changed in the meantime, reads it again and writes the
   * same status to its new state, but never to another object of the same name.
   * @returns the object after the write; the given object if there was nothing to write
   * @throws ApiError: 404 if the object (by uid) no longer exists
   */
  write(object: T, status: object): Promise<T>;
}

/** The fields of a status that one writer writes. Those of other writers stay as they are. */
export type StatusFields = { readonly only: readonly string[] } | { readonly except: readonly string[] };

/** One finalizer of the operator on objects of one kind. */
export interface Finalizer<T extends KubeObject> {
  readonly name: string;
  /** Whether the object has the finalizer. */
  isSet(object: T): boolean;
  /**
   * Adds the finalizer, and sets annotations in the same write (null removes one). Writes nothing if all are set already. Keeps
   * the finalizers of others. Does not change an object that is being deleted.
   * @returns the object after the write
   * @throws ApiError: 404 if the object (by uid) no longer exists
   */
  add(object: T, annotations?: Readonly<Record<string, string | null>>): Promise<T>;
  /** Removes the finalizer and keeps those of others. Succeeds if the object no longer exists. */
  remove(object: T): Promise<void>;
  /**
   * Marks the start of an external write for an object. Call it as late as possible before the write: if the object is lost to
   * a finalizer race after this call, {@link lostObjects} returns it.
   * @throws ApiError 404 if the object is known to be lost: do not write. Also throws if this process is not the leader.
   */
  beforeExternalWrite(object: T): void;
  /**
   * The objects of this key that were lost to a finalizer race after an external write had started. Call {@link markCleanedUp}
   * after the cleanup.
   */
  lostObjects(key: ObjectKey): readonly T[];
  markCleanedUp(object: T): void;
}

/** A permission for one kind of object. The operator's roles are generated from these. */
export interface Permission {
  readonly group: string;
  /** Plural, or `plural/subresource`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** `watched`: in the watched namespaces, or in all. `own`: in the operator's own namespace. `cluster`: cluster-scoped. */
  readonly scope: 'watched' | 'own' | 'cluster';
  readonly resourceNames?: readonly string[];
}

/** The dependencies of a controller. All controllers of the operator share them. */
export interface Runtime {
  readonly client: KubeClient;
  readonly events: EventRecorder;
  /** The registry for a controller's own metrics. */
  readonly metrics: Registry;
  readonly log: Logger;
  readonly clock: Clock;
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  /** Whether this process leads. Metrics about objects come from the leader alone, so that each has one source. */
  readonly isLeading: () => boolean;
  /** The cache of a kind, shared by all callers that pass the same constant. Call it only while wiring. */
  cache<T extends KubeObject>(kind: ResourceKind<T>): Cache<T>;
  /** @param fields the fields of the status that the caller writes, if another controller writes others. Default: all */
  status<T extends KubeObject>(kind: ResourceKind<T>, fields?: StatusFields): StatusWriter<T>;
  finalizer<T extends KubeObject>(kind: ResourceKind<T>, name: string): Finalizer<T>;
}
