/**
 * Replaces the controller manager, scheduler, kubelet and kube-proxy of a cluster that has none. It runs the operator's
 * guardrail Deployments as local processes, reports their status, resolves their Services to local addresses, and deletes the
 * objects of instances that no longer exist.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppsV1Api, CoreV1Api, type KubeConfig, PatchStrategy, setHeaderOptions, Watch } from '@kubernetes/client-node';
import { removeAtExit } from './processes.ts';
import { type Addresses, addresses, type PodAddress, podIp, podsOf } from './workloads/addresses.ts';
import { writeEndpoints } from './workloads/endpoints.ts';
import { collectGarbage } from './workloads/garbage.ts';
import { asJson, type Deployment, type Service } from './workloads/kinds.ts';
import { LocalPod } from './workloads/pod.ts';
import { PodData } from './workloads/podData.ts';
import { deploymentStatus, sameStatus } from './workloads/status.ts';

/** Selects the operator's objects: Deployments of others do not run. */
const MANAGED_SELECTOR = 'app.kubernetes.io/managed-by=gateway-guardrail-operator';

export interface WorkloadRunnerOptions {
  kubeConfig: KubeConfig;
  /** The folder of the logs: the output of each Deployment is in `<namespace>-<name>.log`. */
  logFolder: string;
  /** Replaces the image's file system: the folder with `guardrail/main.ts`. */
  workingDirectory: string;
  /** Reports in one line failures, and processes that are started or stopped. */
  report?: (line: string) => void;
  /** The folder of the pods' volumes. It is emptied first and removed at the end. Default: a temporary folder. */
  podFolder?: string;
  /** The file with the addresses of Services and pods, for clusterNetwork.ts. Default: none. */
  addressFile?: string;
  /** Called after each read of the cluster, and when a pod becomes ready or unready: {@link WorkloadRunner.resolve} may change. */
  changed?: () => void;
  /** How long an ended process waits for its first restart. Default: 1 s. */
  restartMs?: number;
}

export interface WorkloadRunner {
  /**
   * The local address of a Service: `http://dev-guardrail.default.svc:8080/path` → `http://127.0.0.1:…/path`. Undefined while
   * no pod of it is ready.
   */
  resolve(url: string): string | undefined;
  /** Stops all pods. */
  stop(): Promise<void>;
}

/** A lost watch is reopened after this time, and without watch events everything is read again at this interval. */
const RETRY_MS = 1_000;
const RESYNC_MS = 15_000;
const FIRST_RESTART_MS = 1_000;

/** Runs the existing and future Deployments. Tolerates an unreachable API server. */
export function startWorkloadRunner(options: WorkloadRunnerOptions): WorkloadRunner {
  const runner = new Runner(options);
  return { resolve: (url) => runner.resolve(url), stop: () => runner.stop() };
}

/** The pods of one Deployment. */
interface Workload {
  pods: { pod: LocalPod; template: string }[];
  serial: number;
}

class Runner {
  readonly #options: WorkloadRunnerOptions;
  readonly #core: CoreV1Api;
  readonly #apps: AppsV1Api;
  readonly #folder: string;
  readonly #stopped = new AbortController();
  readonly #workloads = new Map<string, Workload>();
  readonly #data: PodData;
  #deployments: Deployment[] = [];
  #services: Service[] = [];
  #wake = Promise.withResolvers<undefined>();
  readonly #loop: Promise<void>;
  #lastFailure = '';
  #published = '';
  #serial = 0;

  constructor(options: WorkloadRunnerOptions) {
    this.#options = options;
    this.#core = options.kubeConfig.makeApiClient(CoreV1Api);
    this.#apps = options.kubeConfig.makeApiClient(AppsV1Api);
    this.#data = new PodData(this.#core);
    this.#folder = options.podFolder ?? mkdtempSync(join(tmpdir(), 'workloads-'));
    // A killed run may have left keys in the folder.
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    removeAtExit(this.#folder);
    for (const path of ['/apis/apps/v1/deployments', '/api/v1/services', '/api/v1/configmaps', '/api/v1/secrets']) {
      void this.#watch(path, MANAGED_SELECTOR);
    }
    void this.#watch('/apis/gateway.guardrail.dev/v1alpha1/gatewayinstances');
    this.#loop = this.#run();
  }

  resolve(url: string): string | undefined {
    const { hostname, port, pathname, protocol } = new URL(url);
    const local = this.#addresses()[`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`];
    return local === undefined ? undefined : `${protocol}//127.0.0.1:${local}${pathname === '/' ? '' : pathname}`;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wake.resolve(undefined);
    await this.#loop;
    await Promise.all([...this.#workloads.values()].flatMap(({ pods }) => pods.map(({ pod }) => pod.stop())));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Watch events only trigger a read. The state is read from lists, so no change is missed. */
  async #watch(path: string, labelSelector?: string): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const ended = Promise.withResolvers<undefined>();
      const wake = (): void => {
        this.#wake.resolve(undefined);
      };
      try {
        const watch = await new Watch(this.#options.kubeConfig).watch(
          path,
          labelSelector === undefined ? {} : { labelSelector },
          wake,
          () => {
            ended.resolve(undefined);
          },
        );
        const abort = (): void => {
          watch.abort();
        };
        signal.addEventListener('abort', abort, { once: true });
        await ended.promise;
        signal.removeEventListener('abort', abort);
      } catch {
        // The API server is unreachable. The loop reports it once.
      }
      await pause(RETRY_MS, signal);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers();
      try {
        await this.#sync();
        this.#lastFailure = '';
        this.#publish();
      } catch (error) {
        this.#reportOnce(`The workload runner failed to read or write the cluster, and retries: ${sentence(error)}`);
        await pause(RETRY_MS, signal);
        continue;
      }
      await Promise.race([this.#wake.promise, pause(RESYNC_MS, signal)]);
      // Several objects are usually written together.
      await pause(50, signal);
    }
  }

  async #sync(): Promise<void> {
    const selector = { labelSelector: MANAGED_SELECTOR };
    const [deployments, services] = await Promise.all([
      this.#apps.listDeploymentForAllNamespaces(selector),
      this.#core.listServiceForAllNamespaces(selector),
    ]);
    this.#deployments = asJson(deployments.items).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    this.#services = asJson(services.items);
    const present = new Set(this.#deployments.map(keyOf));
    for (const [key, { pods }] of this.#workloads) {
      if (present.has(key)) continue;
      this.#workloads.delete(key);
      await Promise.all(pods.map(({ pod }) => pod.stop()));
      this.#options.report?.(`${key} was deleted. Its processes ended.`);
    }
    for (const deployment of this.#deployments) await this.#reconcile(deployment);
    await writeEndpoints(
      this.#options.kubeConfig,
      this.#services.map((service) => ({
        service,
        pods: podsOf(service, this.#deployments, (deployment) => this.#pods(deployment)),
      })),
    );
    await collectGarbage(this.#options.kubeConfig, MANAGED_SELECTOR);
  }

  /** One step towards the desired pods. A pod that becomes ready triggers the next step. */
  async #reconcile(deployment: Deployment): Promise<void> {
    const key = keyOf(deployment);
    const workload = this.#workloads.get(key) ?? { pods: [], serial: 0 };
    this.#workloads.set(key, workload);
    await this.#data.read(deployment);
    const template = createHash('sha256').update(JSON.stringify(deployment.spec?.template)).digest('hex').slice(0, 10);
    const replicas = deployment.spec?.replicas ?? 1;
    const isCurrent = (entry: { template: string }): boolean => entry.template === template;
    const drop = async (entries: Workload['pods']): Promise<void> => {
      workload.pods = workload.pods.filter((entry) => !entries.includes(entry));
      await Promise.all(entries.map(({ pod }) => pod.stop()));
    };
    const old = workload.pods.filter((entry) => !isCurrent(entry));
    if (deployment.spec?.strategy?.type === 'Recreate') await drop(old);
    for (let count = workload.pods.filter(isCurrent).length; count < replicas; count += 1) {
      workload.serial += 1;
      workload.pods.push({ pod: this.#startPod(deployment, `${template}-${workload.serial}`), template });
    }
    const current = workload.pods.filter(isCurrent);
    await drop(current.slice(replicas));
    // Rolling update: the old pods serve until all new ones are ready.
    if (current.slice(0, replicas).every(({ pod }) => pod.ready)) await drop(old);
    for (const { pod } of workload.pods) pod.refresh();
    await this.#writeStatus(deployment, workload, template);
  }

  #startPod(deployment: Deployment, suffix: string): LocalPod {
    const { namespace = '', name = '' } = deployment.metadata ?? {};
    const podName = `${name}-${suffix}`;
    return new LocalPod({
      pod: {
        metadata: { ...deployment.spec?.template.metadata, name: podName, namespace, uid: podName },
        ...(deployment.spec?.template.spec && { spec: deployment.spec.template.spec }),
      },
      ip: podIp((this.#serial += 1)),
      folder: join(this.#folder, namespace, podName),
      logFile: join(this.#options.logFolder, `${namespace}-${name}.log`),
      workingDirectory: this.#options.workingDirectory,
      restartMs: this.#options.restartMs ?? FIRST_RESTART_MS,
      sources: () => this.#data.sources(namespace),
      report: (line) => this.#options.report?.(line),
      changed: () => {
        this.#wake.resolve(undefined);
        this.#publish();
      },
    });
  }

  #pods(deployment: Deployment): PodAddress[] {
    const pods = this.#workloads.get(keyOf(deployment))?.pods ?? [];
    return pods.flatMap(({ pod }) => pod.address ?? []);
  }

  #addresses(): Addresses {
    return addresses(this.#services, this.#deployments, (deployment) => this.#pods(deployment));
  }

  /** Writes the current addresses for other processes on this machine. */
  #publish(): void {
    const { addressFile, changed } = this.#options;
    if (addressFile !== undefined) {
      const text = JSON.stringify(this.#addresses());
      if (text !== this.#published) {
        // Replaced atomically: a reader never sees a partial file.
        writeFileSync(`${addressFile}.new`, text);
        renameSync(`${addressFile}.new`, addressFile);
        this.#published = text;
      }
    }
    changed?.();
  }

  async #writeStatus(deployment: Deployment, { pods }: Workload, template: string): Promise<void> {
    const status = deploymentStatus(
      deployment,
      pods.map((entry) => ({ ready: entry.pod.ready, updated: entry.template === template })),
      new Date(),
    );
    if (sameStatus(deployment.status, status)) return;
    const { namespace = '', name = '' } = deployment.metadata ?? {};
    await this.#apps.patchNamespacedDeploymentStatus(
      { namespace, name, body: { status } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  }

  #reportOnce(line: string): void {
    if (line === this.#lastFailure || this.#stopped.signal.aborted) return;
    this.#lastFailure = line;
    this.#options.report?.(line);
  }
}

function keyOf({ metadata }: Deployment): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
