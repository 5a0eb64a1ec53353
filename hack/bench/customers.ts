/**
 * What the operator, as a process of its own, makes of many customers, at a gateway that takes 10 ms for each call. Each
 * figure is a ratio to a reference measured in the same run:
 *
 * - customers created, against the two writes that each of them costs at the API server, made by as many loops with
 *   nothing around them; and against one customer after the other, as an operator with one worker does it;
 * - after a restart with many customers: one that is applied in that moment, against one that is applied at rest. The
 *   gateway's limit is the default there, so that looking at all of them takes minutes.
 *
 * node hack/bench/customers.ts [customers] [customers at the restart]
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customers, instances } from '../../operator/api/kinds.ts';
import { FINALIZER, type GatewayCustomer, type RateLimit } from '../../operator/api/v1alpha1/v1alpha1.ts';
import { startTestProxy } from '../../operator/gateway/testProxy.ts';
import { keyOf, resource, type KubeObject } from '../../operator/runtime/runtime.ts';
import { parts, RestClient, Transport } from '../../operator/runtime/testing/testing.ts';
import { startControlPlane } from '../local/controlplane.ts';
import { startDevGateway } from '../local/gateway/gateway.ts';
import { type ManagedProcess, removeAtExit, startProcess } from '../local/processes.ts';

const CREATED = Number(process.argv[2] ?? 1_000);
const RESTARTED = Number(process.argv[3] ?? 10_000);
const ONE_BY_ONE = Math.ceil(CREATED / 10);
const WORKERS = 16;
const CALL_MS = 10;
const MASTER_KEY = 'sk-bench';
const NAMESPACE = 'bench';
const core = { group: '', version: 'v1' };
const namespaces = resource<KubeObject>({ ...core, kind: 'Namespace', plural: 'namespaces' }, { namespaced: false });
const secrets = resource<KubeObject>({ ...core, kind: 'Secret', plural: 'secrets' });

const seconds = (since: number): number => (performance.now() - since) / 1000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `work` for each item, a fixed number at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
    }),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'bench-customers-'));
removeAtExit(folder);
const plane = await startControlPlane({ report: console.log });
const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
const proxy = await startTestProxy(gateway.url);
proxy.fault = async () => {
  await pause(CALL_MS);
  return undefined;
};
const transport = new Transport(plane.kubeConfig(), parts());
const client = new RestClient(transport);

const startOperator = (workers = WORKERS): Promise<ManagedProcess> =>
  startProcess({
    name: 'operator',
    command: process.execPath,
    args: [
      join(import.meta.dirname, '..', '..', 'operator', 'main.ts'),
      `--watch-namespaces=${NAMESPACE}`,
      `--namespace=${NAMESPACE}`,
      '--leader-elect=false',
      '--http-host=127.0.0.1',
      '--http-port=0',
      `--workers=${workers}`,
    ],
    env: { ...process.env, KUBECONFIG: plane.kubeconfig },
    logFile: join(folder, 'operator.log'),
  });

async function instance(name: string, rateLimit?: RateLimit): Promise<void> {
  const masterKeySecretRef = { name: 'gateway', key: 'key' };
  const spec = { endpoint: proxy.url, proxyName: 'litellm', masterKeySecretRef, ...(rateLimit && { rateLimit }) };
  await client.create(instances, { metadata: { namespace: NAMESPACE, name }, spec } as object);
}

async function create(instanceName: string, names: readonly string[], namespace = NAMESPACE): Promise<void> {
  await each(names, (name) => {
    const spec = { instanceRef: { name: instanceName }, customerId: name, alias: name, maxBudget: 5 };
    return client.create(customers, { metadata: { namespace, name }, spec } as object);
  });
}

const isSynced = ({ status }: GatewayCustomer): boolean => status?.synced === true;

/** Resolves when all customers of an instance are in sync. */
async function allSynced(instanceName: string): Promise<void> {
  for (;;) {
    const all = await client.list(customers, { namespace: NAMESPACE });
    if (all.every((one) => one.spec.instanceRef.name !== instanceName || isSynced(one))) return;
    await pause(200);
  }
}

/** Seconds from its creation until a customer is in sync. */
async function timeOfOne(instanceName: string, name: string): Promise<number> {
  const began = performance.now();
  await create(instanceName, [name]);
  while (!isSynced(await client.get(customers, { namespace: NAMESPACE, name }))) await pause(5);
  return seconds(began);
}

/** Starts an operator that finds these customers. @returns seconds from its first call until all are in sync */
async function timeOfAll(instanceName: string, names: readonly string[], workers: number): Promise<number> {
  await create(instanceName, names);
  proxy.calls.length = 0;
  const operator = await startOperator(workers);
  const ours = new Set(names);
  const isOurs = (path: string): boolean => ours.has(path.replace(/.*end_user_id=/, ''));
  while (!proxy.calls.some(({ path }) => isOurs(path))) await pause(5);
  const began = performance.now();
  await allSynced(instanceName);
  const took = seconds(began);
  await operator.stop();
  return took;
}

try {
  for (const name of [NAMESPACE, 'reference']) await client.create(namespaces, { metadata: { name } });
  const stringData = { key: MASTER_KEY };
  await client.create(secrets, { metadata: { namespace: NAMESPACE, name: 'gateway' }, stringData } as object);
  // An operator installs the CustomResourceDefinitions, and ends again.
  const first = await startOperator();
  for (;;) {
    const there = await instance('fast', { qps: 10_000, burst: 10_000, maxConcurrent: 64 }).then(
      () => true,
      () => false,
    );
    if (there) break;
    await pause(100);
  }
  await instance('usual');
  await first.stop();

  // Reference 1: the two writes alone.
  const names = Array.from({ length: CREATED }, (_, at) => `c${at}`);
  await create('fast', names, 'reference');
  const references = await client.list(customers, { namespace: 'reference' });
  let began = performance.now();
  await each(references, async (object) => {
    await client.patch(customers, keyOf(object), { metadata: { finalizers: [FINALIZER] } });
    await client.patch(customers, keyOf(object), { status: { synced: true } }, { subresource: 'status' });
  });
  const writes = seconds(began);
  console.log(`the two writes alone: ${CREATED} customers in ${writes.toFixed(1)} s`);

  // Reference 2: one after the other.
  const single = Array.from({ length: ONE_BY_ONE }, (_, at) => `s${at}`);
  const oneByOne = ((await timeOfAll('fast', single, 1)) * CREATED) / ONE_BY_ONE;
  console.log(`one worker: ${CREATED} customers would take ${oneByOne.toFixed(1)} s`);

  const took = await timeOfAll('fast', names, WORKERS);
  console.log(
    `${CREATED} customers created: ${took.toFixed(1)} s, ${(took / writes).toFixed(2)} × the two writes alone, ` +
      `${(took / oneByOne).toFixed(3)} × one worker`,
  );

  proxy.calls.length = 0;
  const quiet = await startOperator();
  // Until the last of them has been looked at.
  for (let calls = -1; calls !== proxy.calls.length || calls < CREATED;) {
    calls = proxy.calls.length;
    await pause(2_000);
  }
  const atRest = await timeOfOne('usual', 'at-rest');
  await quiet.stop();

  // Many that are in sync already, at a gateway with the usual limit.
  const many = Array.from({ length: RESTARTED }, (_, at) => `m${at}`);
  proxy.fault = () => undefined;
  await timeOfAll('fast', many, WORKERS);
  console.log(`${RESTARTED} customers are there`);
  const fast = { namespace: NAMESPACE, name: 'fast' };
  await client.patch(instances, fast, { spec: { rateLimit: { qps: 50, burst: 100, maxConcurrent: 16 } } });
  proxy.calls.length = 0;
  const operator = await startOperator();
  // In the middle of it: the burst is used up.
  while (proxy.calls.length < 150) await pause(5);
  const during = await timeOfOne('fast', 'during');
  const total = RESTARTED + CREATED + ONE_BY_ONE;
  const looked = proxy.calls.filter(({ path }) => path.startsWith('/customer/info') && !path.endsWith('during'));
  console.log(
    `applied at a restart with ${total}: in sync after ${during.toFixed(2)} s, ${(during / atRest).toFixed(1)} × one at rest ` +
      `(${atRest.toFixed(2)} s), when ${looked.length} of the others had been looked at`,
  );
  began = performance.now();
  await operator.stop();
  console.log(`stopped in the middle of that in ${seconds(began).toFixed(1)} s`);
} finally {
  await transport.close();
  await proxy.stop();
  await gateway.stop();
  await plane.stop();
}
