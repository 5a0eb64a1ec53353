import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import operatorFramework, { type ResourceEvent } from '@dot-i/k8s-operator';
import type { KubeConfig, V1CustomResourceDefinitionVersion } from '@kubernetes/client-node';
import { CoreV1Api } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import { Backoff } from '../backoff.ts';
import { FIELD_MANAGER, RestClient, collectionPath } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { sleep, systemClock } from '../clock.ts';
import type { Permission, Runtime } from '../contract.ts';
import { Controller, DEFAULT_CONTROLLER_OPTIONS, type ControllerOptions } from '../controller/controller.ts';
import { CrdError, ensureCrd, readCrd, type CrdManifest } from './crds.ts';
import { ApiError } from '../client/errors.ts';
import { BackgroundEventRecorder } from '../writers/eventRecorder.ts';
import { GuardedFinalizer } from '../writers/finalizer.ts';
import { eventReconciler, metaOf } from './frameworkEvents.ts';
import { DEFAULT_LEASE_TIMES, LeaderLease, LeaseLostError, LONGEST_RELEASE_MS, type LeaseTimes } from './lease.ts';
import { monitorEventLoop } from '../controller/eventLoopMonitor.ts';
import { RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { resource } from '../objects.ts';
import { permissionsOf } from './permissions.ts';
import { exposition, PlainServer, probe, type PlainServerOptions } from './probes.ts';
import { DEFAULT_REFLECTOR_OPTIONS, Reflector, type ReflectorOptions } from '../cache/reflector.ts';
import { MergingStatusWriter } from '../writers/statusWriter.ts';
import { Transport } from '../client/transport.ts';
import { RuntimeBuilder } from './runtimeBuilder.ts';
import { when, type ControllerSpec } from '../controller/controllerSpec.ts';

/** Settings of an operator, whatever it operates. */
export interface ManagerOptions {
  readonly log: Logger;
  /** The cluster. Default: `KUBECONFIG`, `~/.kube/config`, or the pod's ServiceAccount. */
  readonly kubeConfig?: KubeConfig;
  /** The operator's own namespace: where its lease is. */
  readonly namespace: string;
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  /** Name of the lease; undefined: this process leads without asking, and must be the only one. */
  readonly leaseName: string | undefined;
  /**
   * Where `/healthz` and `/readyz` are served, and on which other port `/metrics`; undefined: nowhere. Port 0: any free
   * one.
   */
  readonly http: { readonly host: string; readonly port: number; readonly metricsPort?: number } | undefined;
  /** Whether the leader installs the CustomResourceDefinitions, or only checks them. */
  readonly installCrds: boolean;
  /** The annotation that carries a CustomResourceDefinition's revision. */
  readonly crdRevisionAnnotation: string;
  /** Who reports events: `example.com/operator`. */
  readonly eventSource: string;
  /** How long running reconciles may take to end at a shutdown before they are given up, in milliseconds. */
  readonly drainMs: number;
  readonly controllers?: Partial<ControllerOptions>;
  readonly reflector?: Partial<ReflectorOptions>;
  readonly leaseTimes?: LeaseTimes;
  readonly clock?: Clock;
  readonly metrics?: RuntimeMetrics;
}

/** How long reconciles have to end after they have been told to give up, in milliseconds. */
const GIVE_UP_MS = 5_000;
/** How long events that wait may take to be sent at the end. */
const LAST_EVENTS_MS = 2_000;
/**
 * How long the end takes at most after the time to drain: what was given up ends, a renewal of the lease that is under way
 * comes to its deadline, the lease is released, the last events go out.
 */
export const LONGEST_END_MS = GIVE_UP_MS + DEFAULT_LEASE_TIMES.renewDeadlineMs + LONGEST_RELEASE_MS + LAST_EVENTS_MS;

/** Writing without leading would undo what the leader does. */
class NotLeadingError extends Error {
  override readonly name = 'NotLeadingError';
}

/**
 * The framework's operator on a runtime that survives. Subclasses wire in {@link init}: they register their
 * CustomResourceDefinitions and add controllers. What the framework offers besides (`watchResource`,
 * `handleResourceFinalizer`, …) works as documented there, on the same machinery.
 */
export abstract class Manager extends operatorFramework.default {
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #transport: Transport;
  /** Writes at any time: the lease, events. */
  readonly #client: RestClient;
  readonly #lease: LeaderLease | undefined;
  readonly #events: BackgroundEventRecorder;
  readonly #wiring: RuntimeBuilder;
  readonly #controllers: ControllerSpec[] = [];
  readonly #crds: CrdManifest[] = [];
  readonly #stopping = new AbortController();
  /** Ends what goes on until the very end: reflectors. */
  readonly #ended = new AbortController();
  readonly #background: Promise<void>[] = [];
  readonly #servers: PlainServer[] = [];
  #reflectors: Reflector<KubeObject>[] = [];
  #loops: Controller[] = [];
  #reached = false;
  #crdProblem: string | undefined = 'The CustomResourceDefinitions have not been checked yet.';
  #finished: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    super(frameworkLogger(options.log));
    if (options.kubeConfig !== undefined) {
      this.kubeConfig = options.kubeConfig;
      this.k8sApi = options.kubeConfig.makeApiClient(CoreV1Api);
    }
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log;
    this.#metrics = options.metrics ?? new RuntimeMetrics();
    const clock = this.#clock;
    const log = this.#log;
    const metrics = this.#metrics;
    this.#transport = new Transport(this.kubeConfig, { clock, metrics, userAgent: FIELD_MANAGER });
    this.#client = new RestClient(this.#transport);
    const identity = `${hostname()}_${randomUUID()}`;
    this.#lease =
      options.leaseName === undefined
        ? undefined
        : new LeaderLease({
            client: this.#client,
            key: { namespace: options.namespace, name: options.leaseName },
            identity,
            clock,
            log,
            metrics,
            times: options.leaseTimes ?? DEFAULT_LEASE_TIMES,
          });
    this.#events = new BackgroundEventRecorder({
      client: this.#client,
      clock,
      log,
      metrics,
      controller: options.eventSource,
      instance: identity,
    });
    const mayWrite = (): void => {
      if (this.#lease?.leading !== false) return;
      throw new NotLeadingError('This process does not lead (any more), so it must not write.');
    };
    this.#wiring = new RuntimeBuilder({
      mayWrite,
      client: new RestClient(this.#transport, {
        beforeWrite: mayWrite,
        afterWrite: (kind, object, guardedBy) => {
          this.#wrote(kind, object, guardedBy);
        },
      }),
      events: this.#events,
      metrics: metrics.registry,
      log,
      clock,
      watchNamespaces: options.watchNamespaces,
    });
  }

  /** What controllers are built from. */
  protected get runtime(): Runtime {
    return this.#wiring;
  }

  /** Has a controller run while this process leads. To be called in {@link init}. */
  protected addController(controller: ControllerSpec): void {
    this.#wiring.addController(controller);
    this.#controllers.push(controller);
  }

  /** The address of the API server. */
  get server(): string {
    return this.#transport.server;
  }

  /** Every right that this operator needs, as wired: the source of its roles. Known once {@link start} was called. */
  get permissions(): readonly Permission[] {
    return permissionsOf(this.#wiring, {
      leaseName: this.#options.leaseName,
      crds: this.#crds.map((crd) => crd.metadata.name),
      installCrds: this.#options.installCrds,
    });
  }

  /**
   * Starts. Does not wait for the cluster: that may take its time, and {@link finished} tells how it ends.
   * @throws StartError when a port cannot be had
   */
  override async start(): Promise<void> {
    await this.init();
    await this.#serve();
    this.#wiring.close();
    this.#reflectors = this.#wiring.informers.flatMap(({ kind, cache, namespaces }) =>
      namespaces.map(
        (namespace) =>
          new Reflector({
            client: this.#client,
            kind,
            namespace,
            cache,
            clock: this.#clock,
            log: this.#log,
            metrics: this.#metrics,
            options: { ...DEFAULT_REFLECTOR_OPTIONS, ...this.#options.reflector },
            // What the controllers are about is seen whole: who is first to a name may be in any namespace.
            mayPassOver: !this.#controllers.some((controller) => controller.kind === kind),
          }),
      ),
    );
    this.#finished = this.#run();
    // Whoever waits for the end hears of it; until then nobody does, and that is no fault.
    this.#finished.catch(() => undefined);
  }

  /** Resolves after {@link stop}. @throws LeaseLostError when another process took over: this one is to end */
  async finished(): Promise<void> {
    await this.#finished;
  }

  /** The port of the probes, once started. */
  get httpPort(): number | undefined {
    return this.#httpPort;
  }
  #httpPort: number | undefined;

  /** The port of the metrics. */
  get metricsPort(): number | undefined {
    return this.#metricsPort;
  }
  #metricsPort: number | undefined;

  /**
   * Begins to end in good order: no new reconcile; those that run may end; then the lease is released, and
   * {@link finished} resolves.
   */
  override stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#log.info('Stopping.');
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const stopping = this.#stopping.signal;
    try {
      await this.#reachServer(stopping);
      for (const reflector of this.#reflectors) this.#background.push(reflector.run(this.#ended.signal));
      if (this.#lease === undefined) {
        if (!stopping.aborted) await this.#lead(new AbortController().signal);
      } else {
        await this.#lease.run((term) => this.#lead(term), stopping);
      }
    } finally {
      this.#stopping.abort();
      await this.#events.stop(LAST_EVENTS_MS);
      this.#ended.abort();
      await Promise.all(this.#background);
      await Promise.all(this.#servers.map((server) => server.stop()));
      await this.#transport.close();
    }
  }

  /** Waits until the API server answers at all, whatever it answers. */
  async #reachServer(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#clock, 800, 5_000);
    const stopped = (): boolean => signal.aborted;
    let complained = Number.NEGATIVE_INFINITY;
    while (!stopped()) {
      try {
        await this.#transport.send({ method: 'GET', path: '/version', signal, timeoutMs: 10_000 });
        break;
      } catch (error) {
        if (error instanceof ApiError && !error.isUnreachable) break;
        if (stopped()) return;
        const now = this.#clock.monotonic();
        if (now - complained >= 30_000) {
          complained = now;
          this.#log.warn({ err: error }, `The cluster at ${this.server} does not answer: waiting for it.`);
        }
        await sleep(this.#clock, backoff.next(), signal);
      }
    }
    if (stopped()) return;
    this.#reached = true;
    this.#log.info(`Connected to the cluster at ${this.server}.`);
  }

  /** Leads until told to stop, or the term ends. */
  async #lead(term: AbortSignal): Promise<void> {
    const until = AbortSignal.any([term, this.#stopping.signal]);
    await this.#ensureCrds(until);
    for (const reflector of this.#reflectors) reflector.retryNow();
    await this.#synced(until);
    if (until.aborted) return;

    const giveUp = new AbortController();
    const abort = (): void => {
      giveUp.abort(term.reason);
    };
    term.addEventListener('abort', abort, { once: true });
    this.#loops = this.#controllers.map(
      (controller) =>
        new Controller({
          controller,
          caches: (kind) => this.#wiring.informer(kind).cache,
          clock: this.#clock,
          log: this.#log,
          metrics: this.#metrics,
          options: { ...DEFAULT_CONTROLLER_OPTIONS, ...this.#options.controllers },
        }),
    );
    const endWatch = monitorEventLoop({
      running: () => this.#loops.map((loop) => loop.running),
      metrics: this.#metrics,
      log: this.#log,
    });
    for (const loop of this.#loops) loop.start(giveUp.signal);
    await aborted(until);
    endWatch();

    const stopped = Promise.all(this.#loops.map((loop) => loop.stop()));
    if (!(await this.#within(stopped, term.aborted ? 0 : this.#options.drainMs, term))) {
      giveUp.abort(new Error('The operator stops.'));
      if (!(await this.#within(stopped, GIVE_UP_MS))) {
        this.#log.error('Some reconciles do not end although they were told to.');
        if (!this.#stopping.signal.aborted) {
          throw new LeaseLostError('Reconciles of a lost leadership do not end: this process has to.');
        }
      }
    }
    this.#loops = [];
  }

  /** @returns whether the work ended in time */
  async #within(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
    const done = new AbortController();
    const timeUp = sleep(this.#clock, ms, signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]));
    try {
      return await Promise.race([work.then(() => true), timeUp.then(() => false)]);
    } finally {
      done.abort();
    }
  }

  async #ensureCrds(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#clock, 800, 30_000);
    const stopped = (): boolean => signal.aborted;
    while (!stopped()) {
      try {
        for (const crd of this.#crds) {
          await ensureCrd(crd, {
            client: this.#client,
            clock: this.#clock,
            log: this.#log,
            revisionAnnotation: this.#options.crdRevisionAnnotation,
            install: this.#options.installCrds,
            signal,
          });
        }
        this.#crdProblem = undefined;
        return;
      } catch (error) {
        this.#crdProblem = error instanceof Error ? error.message : String(error);
        if (stopped()) return;
        if (error instanceof CrdError) this.#log.error(error.message);
        else this.#log.warn({ err: error }, 'The CustomResourceDefinitions cannot be checked at the moment.');
        await sleep(this.#clock, backoff.next(), signal);
      }
    }
  }

  /** Waits for the first list of each cache. */
  async #synced(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#unsynced().length > 0) await sleep(this.#clock, 20, signal);
  }

  #unsynced(): string[] {
    return this.#wiring.informers.filter(({ cache }) => !cache.synced).map(({ kind }) => kind.plural);
  }

  #wrote(kind: ResourceKind, object: KubeObject, guardedBy: string | undefined): void {
    for (const feed of this.#wiring.informers) {
      if (feed.kind.group === kind.group && feed.kind.plural === kind.plural)
        feed.cache.applyOwnWrite(object, guardedBy);
    }
  }

  async #serve(): Promise<void> {
    const { http } = this.#options;
    if (http === undefined) return;
    const notStopping = (): string | undefined => (this.#stopping.signal.aborted ? 'stopping' : undefined);
    const ready = {
      stopping: notStopping,
      cluster: () => (this.#reached ? undefined : `${this.server} has not answered yet`),
      crds: () => (this.#lease?.leading === false ? undefined : this.#crdProblem),
      caches: () => {
        const missing = this.#unsynced();
        return missing.length === 0 ? undefined : `not yet listed: ${missing.join(', ')}`;
      },
    };
    const { host } = http;
    this.#httpPort = await this.#listen({
      host,
      port: http.port,
      flag: 'http-port',
      routes: { '/healthz': probe({ ping: () => undefined }), '/readyz': probe(ready) },
    });
    this.#log.info(`Serving /healthz and /readyz on ${host}:${this.#httpPort}.`);
    if (http.metricsPort === undefined) return;
    const observe = (): void => {
      for (const loop of this.#loops) loop.observe();
    };
    this.#metricsPort = await this.#listen({
      host,
      port: http.metricsPort,
      flag: 'metrics-port',
      routes: { '/metrics': exposition(this.#metrics.registry, observe) },
    });
    this.#log.info(`Serving /metrics on ${host}:${this.#metricsPort}.`);
  }

  async #listen(options: PlainServerOptions): Promise<number> {
    const server = new PlainServer(options);
    const port = await server.start();
    this.#servers.push(server);
    return port;
  }

  // What the framework offers to subclasses, on this runtime instead of its own.

  /**
   * Has the leader install a CustomResourceDefinition, or bring it up to date, before any controller runs.
   * @param crdFile a YAML file
   */
  protected override async registerCustomResourceDefinition(
    crdFile: string,
  ): Promise<{ group: string; versions: V1CustomResourceDefinitionVersion[]; plural: string }> {
    const crd = await readCrd(crdFile);
    this.#crds.push(crd);
    return { group: crd.spec.group, versions: crd.spec.versions, plural: crd.spec.names.plural };
  }

  protected override getCustomResourceApiUri(group: string, version: string, plural: string, namespace = ''): string {
    return `${this.server}${collectionPath(resource({ group, version, kind: '', plural }), namespace)}`;
  }

  /** Events of one object come one at a time and in order, those of different objects side by side. */
  protected override watchResource(
    group: string,
    version: string,
    plural: string,
    onEvent: (event: ResourceEvent) => Promise<void>,
    namespace?: string,
  ): Promise<void> {
    const kind = resource({ group, version, kind: '', plural });
    const { cache } = this.#wiring.informer(kind, namespace);
    const controller = when(kind).reconcile(eventReconciler(kind, cache, onEvent));
    // Callbacks of the framework expect to hear of everything, of what they did themselves too.
    this.addController({ ...controller, name: plural, changed: () => true, reactsToItself: true });
    return Promise.resolve();
  }

  /** @throws ApiError instead of returning null */
  protected override async setResourceStatus(
    meta: ResourceEvent['meta'],
    status: unknown,
  ): Promise<ResourceEvent['meta']> {
    const { kind, key } = whereabouts(meta);
    const object = await this.#wiring.client.get(kind, key);
    const written = await new MergingStatusWriter(this.#wiring.client, kind).write(object, asObject(status));
    return metaOf(kind.plural, written);
  }

  /** @throws ApiError instead of returning null */
  protected override async patchResourceStatus(
    meta: ResourceEvent['meta'],
    status: unknown,
  ): Promise<ResourceEvent['meta']> {
    const { kind, key } = whereabouts(meta);
    const patch = { status: asObject(status) };
    return metaOf(kind.plural, await this.#wiring.client.patch(kind, key, patch, { subresource: 'status' }));
  }

  /** @throws ApiError: 409 when the object has changed since */
  protected override async setResourceFinalizers(meta: ResourceEvent['meta'], finalizers: string[]): Promise<void> {
    const { kind, key } = whereabouts(meta);
    const { resourceVersion } = meta;
    await this.#wiring.client.patch(kind, key, { metadata: { finalizers, resourceVersion } });
  }

  protected override async handleResourceFinalizer(
    event: ResourceEvent,
    name: string,
    deleteAction: (event: ResourceEvent) => Promise<void>,
  ): Promise<boolean> {
    if (event.type === operatorFramework.ResourceEventType.Deleted) return false;
    const finalizer = new GuardedFinalizer(this.#wiring.client, whereabouts(event.meta).kind, name);
    // Of our own cache: see eventReconciler.
    const object = event.object as unknown as KubeObject;
    if (object.metadata.deletionTimestamp === undefined) {
      if (finalizer.isSet(object)) return false;
      await finalizer.add(object);
      return true;
    }
    if (finalizer.isSet(object)) {
      await deleteAction(event);
      await finalizer.remove(object);
    }
    return true;
  }
}

/** The framework's id is `plural.group/version`, or `plural.version` in the core group. */
function whereabouts(meta: ResourceEvent['meta']): { kind: ResourceKind; key: { namespace: string; name: string } } {
  const dot = meta.id.indexOf('.');
  const [group = '', version = ''] = meta.apiVersion.includes('/') ? meta.apiVersion.split('/') : ['', meta.apiVersion];
  return {
    kind: resource(
      { group, version, kind: meta.kind, plural: meta.id.slice(0, dot) },
      { namespaced: meta.namespace !== undefined },
    ),
    key: { namespace: meta.namespace ?? '', name: meta.name },
  };
}

function asObject(status: unknown): object {
  if (typeof status !== 'object' || status === null) throw new TypeError('A status is an object.');
  return status;
}

function frameworkLogger(log: Logger): ConstructorParameters<typeof operatorFramework.default>[0] & object {
  return {
    debug: (message) => {
      log.debug(message);
    },
    info: (message) => {
      log.info(message);
    },
    warn: (message) => {
      log.warn(message);
    },
    error: (message) => {
      log.error(message);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else {
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    }
  });
}
