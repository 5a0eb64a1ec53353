import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import { Backoff } from '../backoff.ts';
import { DEFAULT_REFLECTOR_OPTIONS, Reflector, type ReflectorOptions } from '../cache/reflector.ts';
import { FIELD_MANAGER, RestClient } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { Transport } from '../client/transport.ts';
import type { Clock } from '../clock.ts';
import { sleep, systemClock } from '../clock.ts';
import type { KubeClient, Lister, Permission, Runtime } from '../contract.ts';
import type { ControllerOptions } from '../controller/controller.ts';
import type { ControllerSpec } from '../controller/controllerSpec.ts';
import { RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { BackgroundEventRecorder } from '../writers/eventRecorder.ts';
import { ABORT_MS, ControllerRunner } from './controllerRunner.ts';
import { CrdInstaller } from './crdInstaller.ts';
import type { CrdManifest } from './crds.ts';
import { FrameworkAdapter } from './frameworkAdapter.ts';
import { HttpServers, type HttpOptions } from './httpServers.ts';
import { DEFAULT_LEASE_TIMES, LeaderLease, LONGEST_RELEASE_MS, type LeaseTimes } from './lease.ts';
import { permissionsOf } from './permissions.ts';
import { RuntimeBuilder } from './runtimeBuilder.ts';

/** Settings of a manager. */
export interface ManagerOptions {
  readonly log: Logger;
  /** The cluster. Default: `KUBECONFIG`, `~/.kube/config`, or the pod's ServiceAccount. */
  readonly kubeConfig?: KubeConfig;
  /** The operator's own namespace, which contains its lease. */
  readonly namespace: string;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  /** Name of the lease; undefined: no leader election, and this process must be the only one. */
  readonly leaseName: string | undefined;
  /** undefined: neither probes nor metrics are served. */
  readonly http: HttpOptions | undefined;
  /** Whether the leader installs the CustomResourceDefinitions, or only checks them. */
  readonly installCrds: boolean;
  /** The annotation that contains a CustomResourceDefinition's revision. */
  readonly crdRevisionAnnotation: string;
  /** The reporting controller of events: `example.com/operator`. */
  readonly eventSource: string;
  /** How long running reconciles may take to end at a shutdown before they are aborted, in milliseconds. */
  readonly drainMs: number;
  readonly controllers?: Partial<ControllerOptions>;
  readonly reflector?: Partial<ReflectorOptions>;
  readonly leaseTimes?: LeaseTimes;
  readonly clock?: Clock;
  readonly metrics?: RuntimeMetrics;
}

/** How long the last events may take to be sent, in milliseconds. */
const LAST_EVENTS_MS = 2_000;
/**
 * The longest duration of a shutdown after the drain time, in milliseconds: aborted reconciles end, a renewal of the lease
 * reaches its deadline, the lease is released, the last events are sent.
 */
export const LONGEST_END_MS = ABORT_MS + DEFAULT_LEASE_TIMES.renewDeadlineMs + LONGEST_RELEASE_MS + LAST_EVENTS_MS;
/** The shortest time between two log lines about an unreachable API server, in milliseconds. */
const LOG_EVERY_MS = 30_000;

/** A process that is not the leader must not write: it would overwrite the leader's changes. */
class NotLeadingError extends Error {
  override readonly name = 'NotLeadingError';
}

/**
 * Runs controllers: starts and stops caches, leader election, probes and metrics. Subclasses implement {@link init}, where they
 * register CustomResourceDefinitions and add controllers.
 */
export abstract class Manager extends FrameworkAdapter {
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #transport: Transport;
  /** For writes that need no leadership: the lease, events. */
  readonly #client: RestClient;
  readonly #lease: LeaderLease | undefined;
  readonly #events: BackgroundEventRecorder;
  readonly #builder: RuntimeBuilder;
  readonly #specs: ControllerSpec[] = [];
  readonly #crds: CrdInstaller;
  readonly #runner: ControllerRunner;
  readonly #servers: HttpServers;
  readonly #stopping = new AbortController();
  /** Stops the reflectors, after everything else has ended. */
  readonly #ended = new AbortController();
  #reflectors: Reflector<KubeObject>[] = [];
  #connected = false;
  #finished: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    super(options.log, options.kubeConfig);
    const { log, clock = systemClock, metrics = new RuntimeMetrics() } = options;
    this.#options = options;
    this.#log = log;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#transport = new Transport(this.kubeConfig, { clock, metrics, userAgent: FIELD_MANAGER });
    this.#client = new RestClient(this.#transport);
    const shared = { client: this.#client, clock, log, metrics };
    const identity = `${hostname()}_${randomUUID()}`;
    const { leaseName, leaseTimes: times = DEFAULT_LEASE_TIMES, namespace } = options;
    if (leaseName !== undefined) {
      this.#lease = new LeaderLease({ ...shared, key: { namespace, name: leaseName }, identity, times });
    }
    this.#events = new BackgroundEventRecorder({
      ...shared,
      controller: options.eventSource,
      instance: identity,
    });
    this.#builder = this.#createBuilder();
    this.#crds = new CrdInstaller({ ...shared, options });
    this.#runner = new ControllerRunner({
      builder: this.#builder,
      clock,
      log,
      metrics,
      options: options.controllers,
      drainMs: options.drainMs,
    });
    this.#servers = new HttpServers(log);
  }

  #createBuilder(): RuntimeBuilder {
    const isLeading = (): boolean => this.#lease?.leading !== false;
    const mayWrite = (): void => {
      if (isLeading()) return;
      throw new NotLeadingError('This process is not the leader and must not write.');
    };
    return new RuntimeBuilder({
      mayWrite,
      client: new RestClient(this.#transport, {
        beforeWrite: mayWrite,
        afterWrite: (kind, object, guardedBy) => {
          this.#builder.applyOwnWrite(kind, object, guardedBy);
        },
      }),
      events: this.#events,
      metrics: this.#metrics.registry,
      log: this.#log,
      clock: this.#clock,
      watchNamespaces: this.#options.watchNamespaces,
      isLeading,
    });
  }

  /** The runtime that controllers are built from. */
  protected get runtime(): Runtime {
    return this.#builder;
  }

  /** Whether the controllers run, and none has an object that waits for a worker, is reconciled, or is due. */
  protected get idle(): boolean {
    return this.#runner.idle;
  }

  /** Adds a controller, which runs while this process leads. Call it in {@link init}. */
  protected override addController(spec: ControllerSpec): void {
    this.#builder.addController(spec);
    this.#specs.push(spec);
  }

  protected override addCrd(crd: CrdManifest): void {
    this.#crds.add(crd);
  }

  protected override get frameworkClient(): KubeClient {
    return this.#builder.client;
  }

  protected override frameworkCache(kind: ResourceKind, namespace: string | undefined): Lister<KubeObject> {
    return this.#builder.informer(kind, namespace).cache;
  }

  /** The address of the API server. */
  override get server(): string {
    return this.#transport.server;
  }

  /** Every permission that this operator needs: the source of its roles. Complete after {@link start}. */
  get permissions(): readonly Permission[] {
    return permissionsOf(this.#builder, {
      leaseName: this.#options.leaseName,
      crds: this.#crds.names,
      installCrds: this.#options.installCrds,
    });
  }

  /** The port of the probes, once started. */
  get httpPort(): number | undefined {
    return this.#servers.httpPort;
  }

  /** The port of the metrics, once started. */
  get metricsPort(): number | undefined {
    return this.#servers.metricsPort;
  }

  /**
   * Starts the manager. Does not wait for the cluster; {@link finished} reports how the run ends.
   * @throws StartError when a port is not available
   */
  override async start(): Promise<void> {
    await this.init();
    await this.#serve();
    this.#builder.close();
    this.#reflectors = this.#createReflectors();
    this.#finished = this.#run();
    // The caller of finished() receives the error. Until then it must not count as unhandled.
    this.#finished.catch(() => undefined);
  }

  /** Resolves after {@link stop}. @throws LeaseLostError if another process took over: this process must exit */
  async finished(): Promise<void> {
    await this.#finished;
  }

  /** Stops gracefully: running reconciles may end, the lease is released, and {@link finished} resolves. */
  override stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#log.info('Shutting down.');
    this.#stopping.abort();
  }

  /** Updates the metrics that depend on the time. */
  observeMetrics(): void {
    this.#runner.observe();
  }

  #createReflectors(): Reflector<KubeObject>[] {
    return this.#builder.informers.flatMap(({ kind, cache, namespaces }) =>
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
            // A controller needs all objects of its own kind, because the first claimant of a name may be in any
            // namespace.
            maySkipNamespace: !this.#specs.some((spec) => spec.kind === kind),
          }),
      ),
    );
  }

  async #run(): Promise<void> {
    const stopping = this.#stopping.signal;
    const running: Promise<void>[] = [];
    try {
      await this.#connect(stopping);
      for (const reflector of this.#reflectors) running.push(reflector.run(this.#ended.signal));
      if (this.#lease === undefined) {
        if (!stopping.aborted) await this.#lead(new AbortController().signal);
      } else {
        await this.#lease.run((term) => this.#lead(term), stopping);
      }
    } finally {
      this.#stopping.abort();
      await this.#events.stop(LAST_EVENTS_MS);
      this.#ended.abort();
      await Promise.all(running);
      await this.#servers.stop();
      await this.#transport.close();
    }
  }

  /** Waits for any response of the API server. */
  async #connect(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#clock, 800, 5_000);
    const stopped = (): boolean => signal.aborted;
    let loggedAt = Number.NEGATIVE_INFINITY;
    while (!stopped()) {
      try {
        await this.#transport.send({ method: 'GET', path: '/version', signal, timeoutMs: 10_000 });
        break;
      } catch (error) {
        if (error instanceof ApiError && !error.isUnreachable) break;
        if (stopped()) return;
        const now = this.#clock.monotonic();
        if (now - loggedAt >= LOG_EVERY_MS) {
          loggedAt = now;
          this.#log.warn({ err: error }, `The API server ${this.server} is unreachable; retrying.`);
        }
        await sleep(this.#clock, backoff.next(), signal);
      }
    }
    if (stopped()) return;
    this.#connected = true;
    this.#log.info(`Connected to the API server ${this.server}.`);
  }

  async #lead(term: AbortSignal): Promise<void> {
    const stopping = this.#stopping.signal;
    await this.#crds.ensure(AbortSignal.any([term, stopping]));
    for (const reflector of this.#reflectors) reflector.retryNow();
    await this.#runner.run(this.#specs, term, stopping);
  }

  async #serve(): Promise<void> {
    if (this.#options.http === undefined) return;
    const ready = {
      stopping: () => (this.#stopping.signal.aborted ? 'shutting down' : undefined),
      cluster: () => (this.#connected ? undefined : `no response from ${this.server} yet`),
      crds: () => (this.#lease?.leading === false ? undefined : this.#crds.problem),
      caches: () => {
        const { unsynced } = this.#runner;
        return unsynced.length === 0 ? undefined : `not synced: ${unsynced.join(', ')}`;
      },
    };
    await this.#servers.start(this.#options.http, {
      ready,
      metrics: this.#metrics.registry,
      observe: () => {
        this.observeMetrics();
      },
    });
  }
}
