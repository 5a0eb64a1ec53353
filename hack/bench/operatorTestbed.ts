/**
 * The testbed of the operator benchmarks: a real API server, a gateway behind a proxy that counts calls, and the operator as
 * a separate process.
 */
import { join } from 'node:path';
import { customers, instances } from '../../operator/api/kinds.ts';
import type { GatewayCustomer, RateLimit } from '../../operator/api/v1alpha1/v1alpha1.ts';
import { type SeenCall, startTestProxy, type TestProxy } from '../../operator/gateway/testing/testProxy.ts';
import { resource, type KubeObject } from '../../operator/runtime/runtime.ts';
import { eventually, transportOptions, RestClient, Transport } from '../../operator/runtime/testing/testing.ts';
import { startControlPlane, type ControlPlane } from '../harness/controlplane.ts';
import { startDevGateway, type DevGateway } from '../harness/gateway/gateway.ts';
import { nodeFlagsOf, operatorContainer } from '../harness/operatorContainer.ts';
import { type ManagedProcess, startProcess, temporaryFolder } from '../harness/processes.ts';
import { processorTime } from './harness.ts';

export const WORKERS = 16;
export const NAMESPACE = 'bench';
export const MASTER_KEY = 'sk-bench';
/** A rate limit that no benchmark reaches. */
export const NO_LIMIT: RateLimit = { qps: 10_000, burst: 10_000, maxConcurrent: 64 };
const core = { group: '', version: 'v1' };
const namespaces = resource<KubeObject>({ ...core, kind: 'Namespace', plural: 'namespaces' }, { namespaced: false });
const secrets = resource<KubeObject>({ ...core, kind: 'Secret', plural: 'secrets' });

export const seconds = (since: number): number => (performance.now() - since) / 1000;
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `work` for each item, with limited concurrency. */
export async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const loop = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: WORKERS }, loop));
}

/** Waits until a process uses less than a tenth of a core for a second. @returns the time at which it came to rest */
export async function atRest(pid: number): Promise<number> {
  for (;;) {
    const [began, busy] = [performance.now(), processorTime(pid)];
    await pause(1_000);
    if (processorTime(pid) - busy < (performance.now() - began) / 10) return began;
  }
}

export const isSynced = ({ status }: GatewayCustomer): boolean => status?.synced === true;

/** A real API server, a gateway behind a counting proxy, and operators as separate processes. */
export class OperatorTestbed {
  readonly plane: ControlPlane;
  readonly client: RestClient;
  readonly proxy: TestProxy;
  readonly #transport: Transport;
  readonly #gateway: DevGateway;
  readonly #folder: string;

  private constructor(plane: ControlPlane, gateway: DevGateway, proxy: TestProxy) {
    this.plane = plane;
    this.#gateway = gateway;
    this.proxy = proxy;
    this.#transport = new Transport(plane.kubeConfig(), transportOptions());
    this.client = new RestClient(this.#transport);
    this.#folder = temporaryFolder('bench-operator-');
  }

  /** @param more additional namespaces besides the one that the operator watches */
  static async start(more: readonly string[] = []): Promise<OperatorTestbed> {
    const plane = await startControlPlane({ report: console.log });
    const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
    const testbed = new OperatorTestbed(plane, gateway, await startTestProxy(gateway.url));
    for (const name of [NAMESPACE, ...more]) await testbed.client.create(namespaces, { metadata: { name } });
    const stringData = { key: MASTER_KEY };
    await testbed.client.create(secrets, { metadata: { namespace: NAMESPACE, name: 'gateway' }, stringData } as object);
    return testbed;
  }

  async stop(): Promise<void> {
    await this.#transport.close();
    await this.proxy.stop();
    await this.#gateway.stop();
    await this.plane.stop();
  }

  /** @param env more environment of the operator */
  startOperator(workers = WORKERS, env: Readonly<Record<string, string>> = {}): Promise<ManagedProcess> {
    return startProcess({
      name: 'operator',
      command: process.execPath,
      args: [
        ...nodeFlagsOf(operatorContainer()),
        join(import.meta.dirname, '../../operator/main.ts'),
        `--watch-namespaces=${NAMESPACE}`,
        `--namespace=${NAMESPACE}`,
        '--leader-elect=false',
        '--http-host=127.0.0.1',
        '--http-port=0',
        '--metrics-port=0',
        `--workers=${workers}`,
      ],
      env: { ...process.env, ...env, KUBECONFIG: this.plane.kubeconfig },
      logFile: join(this.#folder, 'operator.log'),
    });
  }

  async instance(name: string, rateLimit?: RateLimit): Promise<void> {
    const masterKeySecretRef = { name: 'gateway', key: 'key' };
    const spec = {
      endpoint: this.proxy.url,
      proxyName: 'litellm',
      masterKeySecretRef,
      ...(rateLimit && { rateLimit }),
    };
    await this.client.create(instances, { metadata: { namespace: NAMESPACE, name }, spec } as object);
  }

  /** Has an operator install the CRDs, creates an instance without a rate limit, and stops the operator. */
  async prepare(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const first = await this.startOperator(undefined, env);
    await eventually(() => this.instance('fast', NO_LIMIT), 60_000);
    await first.stop();
  }

  async create(instanceName: string, names: readonly string[], namespace = NAMESPACE): Promise<void> {
    await each(names, (name) => {
      const spec = { instanceRef: { name: instanceName }, customerId: name, alias: name, maxBudget: 5 };
      return this.client.create(customers, { metadata: { namespace, name }, spec } as object);
    });
  }

  /** Waits until all customers of an instance are in sync. */
  async allSynced(instanceName: string): Promise<void> {
    for (;;) {
      const all = await this.client.list(customers, { namespace: NAMESPACE });
      if (all.every((one) => one.spec.instanceRef.name !== instanceName || isSynced(one))) return;
      await pause(200);
    }
  }

  /** Waits until the instance's status counts this many customers in sync, which is its last write. */
  async counted(instanceName: string, count: number): Promise<void> {
    const key = { namespace: NAMESPACE, name: instanceName };
    while ((await this.client.get(instances, key)).status?.customers?.synced !== count) await pause(200);
  }

  /**
   * Starts an operator with these customers.
   *
   * @returns the seconds from its first call until all are in sync
   */
  async timeOfAll(instanceName: string, names: readonly string[], workers: number): Promise<number> {
    await this.create(instanceName, names);
    this.proxy.calls.length = 0;
    const operator = await this.startOperator(workers);
    const ours = new Set(names);
    const isOurs = ({ path, body }: SeenCall): boolean =>
      path === '/budget/new' || ours.has(String(body.user_id)) || ours.has(path.replace(/.*end_user_id=/, ''));
    while (!this.proxy.calls.some(isOurs)) await pause(5);
    const began = performance.now();
    // Reading all customers would take the API server's time. The last call for each is this one, and a worker writes the
    // status of its customer before it begins another one.
    const ended = (): SeenCall[] =>
      this.proxy.calls.filter((call) => call.path.startsWith('/customer/info') && isOurs(call));
    while (ended().length < names.length) await pause(20);
    await each(ended().slice(-2 * workers), async ({ path }) => {
      const name = path.replace(/.*end_user_id=/, '');
      while (!isSynced(await this.client.get(customers, { namespace: NAMESPACE, name }))) await pause(10);
    });
    const took = seconds(began);
    await this.allSynced(instanceName);
    await operator.stop();
    return took;
  }
}
