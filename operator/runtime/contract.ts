import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { KubeObject, ObjectKey, ResourceKind } from './objects.ts';

/** How one reconcile ended. Throwing instead means: try again with backoff. */
export interface Result {
  /** Come back after so many milliseconds, ±10 %: objects at rest are spread evenly over the interval. Absent: only when something changes. */
  readonly requeueAfter?: number;
}

/** What a reconcile is given besides the key. */
export interface ReconcileContext {
  /** Aborted when leadership is lost, the reconcile takes too long, or the operator shuts down and cannot wait longer. */
  readonly signal: AbortSignal;
  /** Names controller, object and this very reconcile in each line. */
  readonly log: Logger;
}

/**
 * Makes the world fit one object. Level-triggered: it is told which object, never what happened to it, and is called
 * again whenever anything may have changed. One object is never in two reconciles at once.
 */
export interface Reconciler {
  /** @throws TerminalError, RetryAfterError or anything else: see there */
  reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result>;
  /** Whether an error that it throws is one of normal operation, of which it has told itself. Default: none is. */
  isExpected?(error: unknown): boolean;
  /** Tells on the object of an error that nobody foresaw: `message` is a whole sentence without a value. */
  reportUnexpectedError?(key: ObjectKey, message: string): Promise<void>;
}

/** Objects of a cache by something other than their key. */
export interface Index<T extends KubeObject> {
  get(value: string): readonly T[];
  keys(value: string): readonly ObjectKey[];
}

/** Read side of a cache. Everything read from it is shared and must not be changed. */
export interface Lister<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  /** All objects, or those of one namespace, in no particular order. */
  list(namespace?: string): readonly T[];
  readonly size: number;
  /** Whether the first complete list has come in. Before it, absence means nothing. No reconcile runs before it. */
  readonly synced: boolean;
}

/** What the API server holds of one kind, kept up to date by a watch. Our own writes show at once. */
export interface Cache<T extends KubeObject> extends Lister<T> {
  /**
   * Adds an index, kept from then on. To be called while wiring.
   * @param values what the object is to be found under; none: not in this index
   */
  indexBy(values: (object: T) => readonly string[]): Index<T>;
}

/** A patch of metadata and top-level fields, as RFC 7386 has it: null removes. */
export type MergePatch = Readonly<Record<string, unknown>>;

/** Which part of an object a write is meant for. */
export type Subresource = 'status' | 'scale';

/** What {@link KubeClient.apply} takes: an object without anything that only the server knows. */
export interface ApplyObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/**
 * The API server, by kinds. Connections are kept and reused; 429 and `Retry-After` are honoured inside; requests have
 * deadlines. Every method throws ApiError. Objects returned by writes are put into the kind's cache, where there is one.
 */
export interface KubeClient {
  get<T extends KubeObject>(kind: ResourceKind<T>, key: ObjectKey): Promise<T>;
  /** Page by page: never all of a large collection in one answer. */
  list<T extends KubeObject>(
    kind: ResourceKind<T>,
    options?: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string },
  ): Promise<T[]>;
  create<T extends KubeObject>(kind: ResourceKind<T>, object: ApplyObject): Promise<T>;
  /**
   * Server-side apply under the operator's one field manager. What the object no longer names and nobody else owns is
   * removed by the server.
   * @param options `force` (default true) takes over fields of other managers; `fieldManager` where parts of one object
   *   are to be taken back on their own
   */
  apply<T extends KubeObject>(
    kind: ResourceKind<T>,
    object: ApplyObject,
    options?: { readonly force?: boolean; readonly fieldManager?: string; readonly subresource?: Subresource },
  ): Promise<T>;
  /** JSON merge patch. Name `metadata.resourceVersion` or `metadata.uid` in it to guard it: 409 when it differs. */
  patch<T extends KubeObject>(
    kind: ResourceKind<T>,
    key: ObjectKey,
    patch: MergePatch,
    options?: { readonly subresource?: Subresource },
  ): Promise<T>;
  /**
   * Deletes, in the background. Not being there is success.
   * @param options with `uid` and `resourceVersion` exactly that object in that state, else 409
   */
  delete(
    kind: ResourceKind,
    key: ObjectKey,
    options?: { readonly uid?: string; readonly resourceVersion?: string },
  ): Promise<void>;
  /** Opens a connection to a port of a pod, as `kubectl port-forward` does: also to what listens on loopback alone. */
  portForward(pod: ObjectKey, port: number): Promise<Duplex>;
}

/** One event to tell about an object. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** One word in UpperCamelCase, from the operator's one list of reasons. */
  readonly reason: string;
  /** A whole sentence. Cut after 1,024 bytes. */
  readonly message: string;
  /** What was being done, in one word: `Create`, `Sync`. Default: the reason. */
  readonly action?: string;
}

/** Tells people through `kubectl describe` what happened. */
export interface EventRecorder {
  /**
   * Records an event, soon and in the background; never throws, never waits. Meant for transitions: the same event
   * again for the same object only counts up the first, at a bounded rate.
   */
  record(object: KubeObject, event: EventDetails): void;
}

/** Writes the status subresource of one kind. */
export interface StatusWriter<T extends KubeObject> {
  /**
   * Makes the status what it should be. Nothing is written when it is that already. When the object has changed
   * meanwhile, it is read again, and the same status written onto its new state, never onto a new object of that name.
   * @returns the object after it; the given one when there was nothing to write
   * @throws ApiError: 404 when the object (this very one, by uid) is gone
   */
  write(object: T, status: object): Promise<T>;
}

/** One finalizer of ours on objects of one kind. */
export interface Finalizer<T extends KubeObject> {
  readonly name: string;
  /** Whether the object has it. */
  isSet(object: T): boolean;
  /**
   * Puts it on, and annotations with it in the same write (null removes one). Nothing is written when all is so already.
   * Others' finalizers stay. An object that is being deleted is left as it is.
   * @returns the object after it
   * @throws ApiError: 404 when the object (this very one, by uid) is gone
   */
  add(object: T, annotations?: Readonly<Record<string, string | null>>): Promise<T>;
  /** Takes it off; others' stay. The object being gone is success. */
  remove(object: T): Promise<void>;
  /**
   * To be called before something is changed outside of the cluster for an object, as late as possible: from now on there
   * may be something to undo, should its deletion have overtaken the finalizer.
   * @throws ApiError 404 when that is known already, and nothing is to be made; or because this process does not lead
   */
  beforeExternalWrite(object: T): void;
  /**
   * The objects of this key that are gone although it was put on them, because their deletion had begun just before, and
   * for which something was begun. Whoever has undone that calls {@link markCleanedUp}.
   */
  lostObjects(key: ObjectKey): readonly T[];
  markCleanedUp(object: T): void;
}

/** What the operator may do with one kind of object: the source of its roles. */
export interface Permission {
  readonly group: string;
  /** Plural, or `plural/subresource`. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Where it is needed. `watched`: in the watched namespaces, or all. `own`: in the operator's own. `cluster`: cluster-scoped. */
  readonly scope: 'watched' | 'own' | 'cluster';
  readonly resourceNames?: readonly string[];
}

/** What a controller is built from. The same for all controllers of the operator. */
export interface Runtime {
  readonly client: KubeClient;
  readonly events: EventRecorder;
  /** For metrics of one's own, beside the runtime's. */
  readonly metrics: Registry;
  readonly log: Logger;
  readonly clock: Clock;
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  /** The cache of a kind; one for all who ask with the same constant. Only while wiring. */
  cache<T extends KubeObject>(kind: ResourceKind<T>): Cache<T>;
  status<T extends KubeObject>(kind: ResourceKind<T>): StatusWriter<T>;
  finalizer<T extends KubeObject>(kind: ResourceKind<T>, name: string): Finalizer<T>;
}
