import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { ObjectCache } from '../cache/cache.ts';
import type { Clock } from '../clock.ts';
import type {
  Cache,
  EventRecorder,
  Finalizer,
  KubeClient,
  Permission,
  Runtime,
  StatusFields,
  StatusWriter,
} from '../contract.ts';
import type { ControllerSpec } from '../controller/controllerSpec.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { FinalizerRaceTracker, GuardedFinalizer, GuardedStatusWriter } from '../writers/guardedWriters.ts';

/** A cache and the reflectors that fill it. */
export interface Informer {
  readonly kind: ResourceKind;
  readonly cache: ObjectCache<KubeObject>;
  /** The namespaces, with one reflector each; undefined: one reflector for all namespaces. */
  readonly namespaces: readonly (string | undefined)[];
}

/** Builds the runtime of the controllers: creates caches and writers, and collects their permissions. */
export class RuntimeBuilder implements Runtime {
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly clock: Clock;
  readonly watchNamespaces: readonly string[];
  readonly isLeading: () => boolean;
  readonly #informers = new Map<ResourceKind, Informer>();
  readonly #permissions: Permission[] = [];
  readonly #mayWrite: () => void;
  #closed = false;

  constructor(
    dependencies: Omit<Runtime, 'cache' | 'status' | 'finalizer'> & {
      /** Throws if this process must not write. */
      readonly mayWrite: () => void;
    },
  ) {
    this.client = dependencies.client;
    this.#mayWrite = dependencies.mayWrite;
    this.events = dependencies.events;
    this.metrics = dependencies.metrics;
    this.log = dependencies.log;
    this.clock = dependencies.clock;
    this.watchNamespaces = dependencies.watchNamespaces;
    this.isLeading = dependencies.isLeading;
  }

  cache<T extends KubeObject>(kind: ResourceKind<T>): Cache<T> {
    return this.informer(kind).cache as unknown as ObjectCache<T>;
  }

  /** The informer of a kind. @param namespace the only namespace to watch; undefined: all watched namespaces */
  informer(kind: ResourceKind, namespace?: string): Informer {
    let informer = this.#informers.get(kind);
    if (informer === undefined) {
      if (this.#closed)
        throw new Error(`The cache of ${kind.plural} was requested after the start: request it in init().`);
      const scopes = namespace === undefined ? this.watchNamespaces : [namespace];
      const namespaces = kind.namespaced && scopes.length > 0 ? scopes : [undefined];
      const cache = new ObjectCache<KubeObject>(namespaces.length, (error) => {
        this.log.error({ err: error, kind: kind.kind }, 'The handler of a change failed (bug).');
      });
      informer = { kind, cache, namespaces };
      this.#informers.set(kind, informer);
      this.addPermissions(permission(kind, kind.plural, ['get', 'list', 'watch']));
    }
    return informer;
  }

  status<T extends KubeObject>(kind: ResourceKind<T>, fields?: StatusFields): StatusWriter<T> {
    this.addPermissions(permission(kind, kind.plural, ['get']), permission(kind, `${kind.plural}/status`, ['update']));
    return new GuardedStatusWriter(this.client, kind, fields);
  }

  finalizer<T extends KubeObject>(kind: ResourceKind<T>, name: string): Finalizer<T> {
    this.addPermissions(permission(kind, kind.plural, ['get', 'patch']));
    const raceTracker = new FinalizerRaceTracker(this.cache(kind), this.clock);
    return new GuardedFinalizer(this.client, kind, name, { raceTracker, mayWrite: this.#mayWrite });
  }

  /** Creates the caches of all kinds that a controller watches, and adds its permissions. */
  addController(controller: ControllerSpec): void {
    this.informer(controller.kind);
    for (const watch of controller.watches) this.informer(watch.kind);
    this.addPermissions(...controller.permissions);
  }

  addPermissions(...permissions: readonly Permission[]): void {
    this.#permissions.push(...permissions);
  }

  /** Records the response to a write of this process in the caches of its kind. */
  applyOwnWrite(kind: ResourceKind, object: KubeObject, guardedBy: string | undefined): void {
    for (const informer of this.#informers.values()) {
      const same = informer.kind.group === kind.group && informer.kind.plural === kind.plural;
      if (same) informer.cache.applyOwnWrite(object, guardedBy);
    }
  }

  /** Rejects requests for new caches from now on. */
  close(): void {
    this.#closed = true;
  }

  get informers(): readonly Informer[] {
    return [...this.#informers.values()];
  }

  /** All permissions, each resource once. */
  get permissions(): readonly Permission[] {
    return mergePermissions(this.#permissions);
  }
}

function permission(kind: ResourceKind, resource: string, verbs: readonly string[]): Permission {
  return { group: kind.group, resource, verbs, scope: kind.namespaced ? 'watched' : 'cluster' };
}

/** Merges permissions: each resource, scope and set of names once, in a fixed order. */
export function mergePermissions(permissions: readonly Permission[]): readonly Permission[] {
  const merged = new Map<string, Permission>();
  for (const one of permissions) {
    const identity = JSON.stringify([one.group, one.resource, one.scope, one.resourceNames ?? null]);
    const verbs = new Set([...(merged.get(identity)?.verbs ?? []), ...one.verbs]);
    merged.set(identity, { ...one, verbs: [...verbs].sort() });
  }
  return [...merged.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
