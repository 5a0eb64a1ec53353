import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  AppsV1Api,
  DiscoveryV1Api,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
} from '@kubernetes/client-node';
import { expect } from 'chai';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
import { type ControlPlane, startControlPlane } from './controlplane.ts';
import { asJson, type Deployment } from './workloads/kinds.ts';
import { startWorkloadRunner, type WorkloadRunner } from './workloads.ts';

/** A program that returns its configuration. It is ready once its volume says so. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const { GREETING, SECRET, KEY_FILE, GUARDRAIL_PORT, GUARDRAIL_HOST } = process.env;
if (GREETING === 'crash') { console.log('cannot start'); process.exit(7); }
createServer((request, response) => {
  const key = readFileSync(KEY_FILE, 'utf8');
  if (request.url === '/readyz') response.statusCode = key === 'not yet' ? 503 : 200;
  response.end(JSON.stringify({ greeting: GREETING, secret: SECRET, key, pid: process.pid, path: request.url }));
}).listen(Number(GUARDRAIL_PORT), GUARDRAIL_HOST);
`;

interface Answer {
  greeting: string;
  secret: string;
  key: string;
  pid: number;
  path: string;
}

describe('workload runner', function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let apps: AppsV1Api;
  let discovery: DiscoveryV1Api;
  let api: KubernetesObjectApi;
  let folder = '';
  let runner: WorkloadRunner;
  let namespace = '';
  let lines: string[] = [];

  // Its own control plane: one test kills it, and objects without an owner are deleted in all namespaces.
  before(async function () {
    this.timeout(300_000);
    plane = await startControlPlane();
    apps = plane.kubeConfig().makeApiClient(AppsV1Api);
    discovery = plane.kubeConfig().makeApiClient(DiscoveryV1Api);
    api = KubernetesObjectApi.makeApiClient(plane.kubeConfig());
    const crd = join(import.meta.dirname, '../../crds/gatewayinstances.gateway.guardrail.dev.yaml');
    await plane.kubectl(['apply', '--server-side', '-f', crd]);
    await plane.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
    folder = mkdtempSync(join(tmpdir(), 'workloads-test-'));
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    runner = startWorkloadRunner({
      kubeConfig: plane.kubeConfig(),
      logFolder: join(folder, 'logs'),
      workingDirectory: folder,
      addressFile: join(folder, 'addresses.json'),
      report: (line) => lines.push(line),
      restartMs: 50,
    });
  });
  after(async () => {
    await runner.stop();
    await plane.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    lines = [];
    namespace = await plane.createNamespace();
  });
  afterEach(() => apps.deleteCollectionNamespacedDeployment({ namespace }));

  const labels = { 'app.kubernetes.io/managed-by': 'gateway-guardrail-operator' };
  async function apply(items: readonly { readonly metadata?: object }[]): Promise<void> {
    const strategy = PatchStrategy.ServerSideApply;
    const applyOne = (item: { readonly metadata?: object }): Promise<object> =>
      api.patch({ ...item, metadata: { ...item.metadata, namespace } }, undefined, undefined, 'test', true, strategy);
    // The runner starts the Deployments that it sees together.
    await Promise.all(items.map(applyOne));
  }
  const service = (name: string, metadata: object = { labels }): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, ...metadata },
    spec: { selector: { app: 'sample' }, ports: [{ port: 8080, targetPort: 'http' }] },
  });
  const secret = (name: string, key: string, metadata: object = { labels }): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, ...metadata },
    stringData: { 'api-key': key, other: 'unseen' },
  });
  function deploymentOf({
    name = 'sample',
    greeting = 'hello',
    replicas = 1,
    strategy = 'RollingUpdate',
    metadata = { labels },
  }: { name?: string; greeting?: string; replicas?: number; strategy?: string; metadata?: object } = {}): object {
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, ...metadata },
      spec: {
        replicas,
        strategy: { type: strategy },
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            volumes: [{ name: 'keys', secret: { secretName: 'keys', items: [{ key: 'api-key', path: 'deep/key' }] } }],
            containers: [
              {
                name: 'main',
                image: 'any',
                command: ['node', 'program.ts'],
                env: [
                  { name: 'GREETING', value: greeting },
                  { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'keys', key: 'api-key' } } },
                  { name: 'KEY_FILE', value: '/etc/keys/deep/key' },
                ],
                ports: [{ name: 'http', containerPort: 8080 }],
                volumeMounts: [{ name: 'keys', mountPath: '/etc/keys', readOnly: true }],
                readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    };
  }
  const objects = (options: Parameters<typeof deploymentOf>[0] & { key?: string } = {}): object[] => [
    secret('keys', options.key ?? 'k1', options.metadata),
    service('sample', options.metadata),
    deploymentOf(options),
  ];
  async function deployment(name = 'sample'): Promise<Deployment> {
    return asJson(await apps.readNamespacedDeployment({ namespace, name }));
  }
  async function ask(): Promise<Answer | undefined> {
    const url = runner.resolve(`http://sample.${namespace}.svc:8080/ask`);
    if (url === undefined) return undefined;
    // The process table may contain an ended process for a moment.
    const response = await fetch(url).catch(() => undefined);
    return (await response?.json()) as Answer | undefined;
  }
  function until<T>(get: () => T | Promise<T>, isExpected: (value: T) => boolean): Promise<T> {
    return eventually(async () => {
      const value = await get();
      if (isExpected(value)) return value;
      throw new Error(`It is still ${JSON.stringify(value)}; reported: ${lines.join(' | ')}`);
    });
  }
  async function answered(isExpected: (answer: Answer) => boolean = () => true): Promise<Answer> {
    const value = await until(ask, (each) => each !== undefined && isExpected(each));
    if (value === undefined) throw new Error('There is no answer.');
    return value;
  }
  const hasEnded = (pid: number): boolean => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  const ended = (pid: number): Promise<boolean> => until(() => hasEnded(pid), Boolean);
  async function endpointsOf(name: string): Promise<string[][]> {
    const labelSelector = `kubernetes.io/service-name=${name}`;
    const { items } = await discovery.listNamespacedEndpointSlice({ namespace, labelSelector });
    return items.map(({ endpoints = [] }) => endpoints.flatMap(({ addresses }) => addresses));
  }

  it('runs a Deployment with its environment and files, and resolves its Service', async () => {
    await apply(objects());
    const answer = await answered();
    expect(answer).to.include({ greeting: 'hello', secret: 'k1', key: 'k1', path: '/ask' });
    for (const url of [
      `http://sample.${namespace}.svc:9`,
      'http://sample.other.svc:8080',
      'http://other.default.svc:8080',
    ]) {
      expect(runner.resolve(url), url).to.equal(undefined);
    }
    expect(runner.resolve(`http://sample.${namespace}.svc.cluster.local:8080`)).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    await apps.deleteNamespacedDeployment({ namespace, name: 'sample' });
    await ended(answer.pid);
    expect(runner.resolve(`http://sample.${namespace}.svc:8080`)).to.equal(undefined);
  });

  it('gives pods addresses in EndpointSlices, which programs with the cluster’s network reach', async () => {
    await apply(objects({ replicas: 2 }));
    await until(deployment, ({ status }) => status?.readyReplicas === 2);
    const [ips = []] = await until(
      () => endpointsOf('sample'),
      ([addresses = []]) => addresses.length === 2,
    );
    const hosts = [...ips, `sample.${namespace}.svc`, `sample.${namespace}.svc.cluster.local`];
    const urls = [
      ...hosts.map((host) => `http://${host}:8080/`),
      'http://10.1.200.200:8080/',
      'http://none.default.svc/',
    ];
    const program = `
      const answers = await Promise.all(${JSON.stringify(urls)}.map((url) =>
        fetch(url).then((response) => response.json()).then(({ pid }) => pid, (error) => error.cause.code)));
      console.log(JSON.stringify(answers));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', join(import.meta.dirname, 'workloads/clusterNetwork.ts'), '--input-type=module', '-e', program],
      { env: { ...process.env, CLUSTER_ADDRESSES: join(folder, 'addresses.json') } },
    );
    const [first, second, byName, byLongName, ...unknown] = JSON.parse(stdout) as (number | string)[];
    expect(first).to.be.a('number').that.is.not.equal(second);
    expect([first, second]).to.include(byName);
    expect(byLongName).to.equal(byName);
    expect(unknown).to.deep.equal(['ECONNREFUSED', 'ECONNREFUSED']);
    await plane.kubectl(['delete', 'service', 'sample', `-n${namespace}`]);
    await until(
      () => endpointsOf('sample'),
      (slices) => slices.length === 0,
    );
    await plane.kubectl(['scale', 'deployment/sample', '--replicas=0', `-n${namespace}`]);
    await until(deployment, ({ status }) => (status?.readyReplicas ?? 0) === 0 && status?.observedGeneration === 2);
    expect([first, second].map((pid) => hasEnded(Number(pid)))).to.deep.equal([true, true]);
  });

  it('reports status like a cluster, so that kubectl can wait for it, and writes it only when it changes', async () => {
    await apply(objects());
    await plane.kubectl(['rollout', 'status', 'deployment/sample', '--timeout=20s', `-n${namespace}`]);
    const { status, metadata } = await deployment();
    expect(status).to.deep.include({ observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1 });
    // The runner writes all statuses before the endpoints of a new Service.
    await apply([service('other')]);
    await until(
      () => endpointsOf('other'),
      (slices) => slices.length === 1,
    );
    expect((await deployment()).metadata?.resourceVersion).to.equal(metadata?.resourceVersion);
  });

  it('is not ready before the readiness probe succeeds, and updates mounted files under the running process', async () => {
    await apply(objects({ key: 'not yet' }));
    const { status } = await until(deployment, (value) => value.status?.observedGeneration === 1);
    expect(status?.conditions?.find(({ type }) => type === 'Available')?.status).to.equal('False');
    expect(await ask()).to.equal(undefined);
    await apply(objects({ key: 'now' }));
    // A variable of a running process does not change; a mounted file does.
    expect(await answered()).to.include({ key: 'now', secret: 'not yet' });
  });

  for (const strategy of ['RollingUpdate', 'Recreate']) {
    it(`replaces the process when the template changes (${strategy})`, async () => {
      await apply(objects({ strategy }));
      const before = await answered();
      await apply(objects({ strategy, greeting: 'good morning' }));
      const after = await answered(({ greeting }) => greeting === 'good morning');
      expect(after.pid).not.to.equal(before.pid);
      await ended(before.pid);
    });
  }

  it('restarts a process that ended, and reports how it ended', async () => {
    await apply(objects());
    const before = await answered();
    process.kill(before.pid, 'SIGKILL');
    const after = await answered(({ pid }) => pid !== before.pid);
    expect(after.greeting).to.equal('hello');
    expect(lines.join('\n')).to.match(/sample-\S+ It ended with signal SIGKILL and is restarting\./);
  });

  it('reports the output of a process that cannot start once', async () => {
    await apply(objects({ greeting: 'crash' }));
    const starts = (): number => {
      const log = join(folder, 'logs', `${namespace}-sample.log`);
      return existsSync(log) ? readFileSync(log, 'utf8').split('cannot start').length - 1 : 0;
    };
    // The second end was handled before the third start.
    await until(starts, (count) => count >= 3);
    expect(lines.filter((line) => line.includes('exit code 7'))).to.have.length(1);
    expect(lines.join('\n')).to.include('cannot start');
  });

  it('waits for a missing Secret, and names it', async () => {
    await apply([service('sample'), deploymentOf()]);
    await until(
      () => lines,
      (all) => all.some((line) => line.endsWith('waits: Secret keys does not exist.')),
    );
    await apply([secret('keys', 'k1')]);
    await answered();
  });

  it('deletes only the objects of an instance that no longer exists', async () => {
    const [apiVersion, kind] = ['gateway.guardrail.dev/v1alpha1', 'GatewayInstance'];
    const spec = { endpoint: 'http://127.0.0.1:1', masterKeySecretRef: { name: 'x', key: 'y' } };
    const instance = { apiVersion, kind, metadata: { name: 'sample', namespace }, spec };
    const { metadata } = await api.create<KubernetesObject>(instance);
    const ownerReferences = [{ apiVersion, kind, name: 'sample', uid: metadata?.uid, controller: true }];
    await apply([...objects({ metadata: { labels, ownerReferences } }), secret('of-nobody', 'k')]);
    const { pid } = await answered();
    await api.delete(instance);
    await ended(pid);
    const remaining = await until(
      () => plane.kubectl(['get', 'deployments,services,secrets', '-oname', `-n${namespace}`]),
      (names) => !names.includes('keys'),
    );
    expect(remaining.trim().split('\n')).to.deep.equal(['secret/of-nobody']);
  });

  it('continues with the same process after the API server was unreachable', async () => {
    await apply(objects());
    const before = await answered();
    await plane.kill();
    await until(
      () => lines,
      (all) => all.some((line) => line.includes('and retries')),
    );
    expect((await ask())?.pid).to.equal(before.pid);
    await plane.restart();
    await apply(objects({ greeting: 'back' }));
    await answered(({ greeting }) => greeting === 'back');
  });

  it('ignores Deployments of others, and leaves no process or file behind', async () => {
    // The runner starts the Deployments that it sees together.
    await apply([deploymentOf({ name: 'foreign', metadata: {} }), ...objects()]);
    const answer = await answered();
    expect((await deployment('foreign')).status?.observedGeneration).to.equal(undefined);
    await runner.stop();
    expect(hasEnded(answer.pid)).to.equal(true);
    expect(existsSync(join(folder, 'logs', `${namespace}-sample.log`))).to.equal(true);
  });
});
