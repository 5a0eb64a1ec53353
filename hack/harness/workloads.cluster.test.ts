import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type ControlPlane, startControlPlane } from './controlplane.ts';
import type { Deployment } from './workloads/kinds.ts';
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
  let folder = '';
  let runner: WorkloadRunner | undefined;
  let namespace = '';
  let lines: string[] = [];

  // Its own control plane: one test kills it, and objects without an owner are deleted in all namespaces.
  before(async function () {
    this.timeout(300_000);
    plane = await startControlPlane();
    await plane.kubectl([
      'apply',
      '--server-side',
      '-f',
      join(import.meta.dirname, '../../crds/gatewayinstances.gateway.guardrail.dev.yaml'),
    ]);
    await plane.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
  });
  after(() => plane.stop());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'workloads-test-'));
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    lines = [];
    namespace = await plane.createNamespace();
    runner = startWorkloadRunner({
      kubeConfig: plane.kubeConfig(),
      logFolder: join(folder, 'logs'),
      workingDirectory: folder,
      addressFile: join(folder, 'addresses.json'),
      report: (line) => lines.push(line),
    });
  });
  afterEach(async () => {
    await runner?.stop();
    await plane.kubectl(['delete', 'deployments,services,configmaps,secrets', '--all', `-n${namespace}`]);
    rmSync(folder, { recursive: true });
  });

  const labels = { 'app.kubernetes.io/managed-by': 'gateway-guardrail-operator' };
  async function apply(objects: object[]): Promise<void> {
    const items = objects.map((object) => ({ ...object }));
    await plane.kubectl(
      ['apply', `-n${namespace}`, '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
  }
  function objects({
    greeting = 'hello',
    key = 'k1',
    replicas = 1,
    strategy = 'RollingUpdate',
    owner = {},
  } = {}): object[] {
    const selector = { app: 'sample' };
    return [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', labels, ...owner },
        data: { SECRET: 'overridden', GREETING: greeting },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'keys', labels, ...owner },
        stringData: { 'api-key': key, other: 'unseen' },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'sample', labels, ...owner },
        spec: { selector, ports: [{ port: 8080, targetPort: 'http' }] },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'sample', labels, ...owner },
        spec: {
          replicas,
          strategy: { type: strategy },
          selector: { matchLabels: selector },
          template: {
            metadata: { labels: selector, annotations: { greeting } },
            spec: {
              volumes: [
                { name: 'keys', secret: { secretName: 'keys', items: [{ key: 'api-key', path: 'deep/key' }] } },
              ],
              containers: [
                {
                  name: 'sample',
                  image: 'any',
                  args: ['program.ts'],
                  envFrom: [{ configMapRef: { name: 'settings' } }],
                  env: [
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
      },
    ];
  }
  async function deployment(): Promise<Deployment> {
    return JSON.parse(await plane.kubectl(['get', 'deployment', 'sample', '-ojson', `-n${namespace}`])) as Deployment;
  }
  async function ask(): Promise<Answer | undefined> {
    const url = runner?.resolve(`http://sample.${namespace}.svc:8080/ask`);
    if (url === undefined) return undefined;
    // The process table may contain an ended process for a moment.
    const response = await fetch(url).catch(() => undefined);
    return (await response?.json()) as Answer | undefined;
  }
  async function eventually<T>(get: () => Promise<T>, isExpected: (value: T) => boolean): Promise<T> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const value = await get();
      if (isExpected(value)) return value;
      if (performance.now() > deadline)
        throw new Error(`It is still ${JSON.stringify(value)}; reported: ${lines.join(' | ')}`);
      await delay(50);
    }
  }
  const hasEnded = (pid: number): boolean => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };

  it('runs a Deployment with its environment and files, and resolves its Service', async () => {
    await apply(objects());
    const answer = await eventually(ask, (value) => value !== undefined);
    expect(answer).to.include({ greeting: 'hello', secret: 'k1', key: 'k1', path: '/ask' });
    for (const url of [
      `http://sample.${namespace}.svc:9`,
      'http://sample.other.svc:8080',
      'http://other.default.svc:8080',
    ]) {
      expect(runner?.resolve(url), url).to.equal(undefined);
    }
    expect(runner?.resolve(`http://sample.${namespace}.svc.cluster.local:8080`)).to.match(
      /^http:\/\/127\.0\.0\.1:\d+$/,
    );
  });

  it('gives pods addresses in EndpointSlices, which programs with the cluster’s network reach', async () => {
    await apply(objects({ replicas: 2 }));
    await eventually(deployment, ({ status }) => status?.readyReplicas === 2);
    const slices = async (): Promise<{
      items: { endpoints?: { addresses: string[] }[]; ports: { port: number }[] }[];
    }> =>
      JSON.parse(
        await plane.kubectl([
          'get',
          'endpointslices',
          '-lkubernetes.io/service-name=sample',
          '-ojson',
          `-n${namespace}`,
        ]),
      ) as Awaited<ReturnType<typeof slices>>;
    const { items } = await eventually(slices, (list) => list.items[0]?.endpoints?.length === 2);
    const ips = items[0]?.endpoints?.flatMap(({ addresses }) => addresses) ?? [];
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
    await eventually(slices, (list) => list.items.length === 0);
  });

  it('reports status like a cluster, so that kubectl can wait for it', async () => {
    await apply(objects());
    await plane.kubectl(['rollout', 'status', 'deployment/sample', '--timeout=20s', `-n${namespace}`]);
    const { status } = await deployment();
    expect(status).to.deep.include({ observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1 });
    const before = (await deployment()).metadata?.resourceVersion;
    await delay(1_500);
    expect((await deployment()).metadata?.resourceVersion).to.equal(before);
  });

  it('is not ready before the readiness probe succeeds, and updates mounted files under the running process', async () => {
    await apply(objects({ key: 'not yet' }));
    const { status } = await eventually(deployment, (value) => value.status?.observedGeneration === 1);
    expect(status?.conditions?.find(({ type }) => type === 'Available')?.status).to.equal('False');
    expect(await ask()).to.equal(undefined);
    await apply(objects({ key: 'now' }));
    const answer = await eventually(ask, (value) => value !== undefined);
    // A variable of a running process does not change; a mounted file does.
    expect(answer).to.include({ key: 'now', secret: 'not yet' });
  });

  for (const strategy of ['RollingUpdate', 'Recreate']) {
    it(`replaces the process when the template changes (${strategy})`, async () => {
      await apply(objects({ strategy }));
      const before = await eventually(ask, (value) => value !== undefined);
      await apply(objects({ strategy, greeting: 'good morning' }));
      const after = await eventually(ask, (value) => value?.greeting === 'good morning');
      expect(after?.pid).not.to.equal(before?.pid);
      await eventually(() => Promise.resolve(hasEnded(before?.pid ?? 0)), Boolean);
      await plane.kubectl(['rollout', 'status', 'deployment/sample', '--timeout=20s', `-n${namespace}`]);
    });
  }

  it('runs as many processes as replicas', async () => {
    await apply(objects({ replicas: 2 }));
    await eventually(deployment, ({ status }) => status?.readyReplicas === 2);
    await plane.kubectl(['scale', 'deployment/sample', '--replicas=0', `-n${namespace}`]);
    await eventually(
      deployment,
      ({ status }) => (status?.readyReplicas ?? 0) === 0 && status?.observedGeneration === 2,
    );
    expect(await ask()).to.equal(undefined);
  });

  it('restarts a process that ended, and reports how it ended', async () => {
    await apply(objects());
    const before = await eventually(ask, (value) => value !== undefined);
    process.kill(before?.pid ?? 0, 'SIGKILL');
    const after = await eventually(ask, (value) => value !== undefined && value.pid !== before?.pid).catch(
      () => undefined,
    );
    expect(after?.greeting).to.equal('hello');
    expect(lines.join('\n')).to.match(/sample-\S+ It ended with signal SIGKILL and is restarting\./);
  });

  it('reports the output of a process that cannot start once', async () => {
    await apply(objects({ greeting: 'crash' }));
    await eventually(
      () => Promise.resolve(lines.join('\n')),
      (text) => text.includes('cannot start'),
    );
    await delay(2_500);
    expect(lines.filter((line) => line.includes('exit code 7'))).to.have.length(1);
    expect(
      readFileSync(join(folder, 'logs', `${namespace}-sample.log`), 'utf8').split('cannot start').length,
    ).to.be.above(2);
  });

  it('waits for a missing Secret, and names it', async () => {
    await apply(objects().filter((object) => (object as { kind: string }).kind !== 'Secret'));
    await eventually(
      () => Promise.resolve(lines),
      (all) => all.some((line) => line.endsWith('waits: Secret keys does not exist.')),
    );
    await apply(objects());
    await eventually(ask, (value) => value !== undefined);
  });

  it('stops the processes of a deleted Deployment, and removes their files', async () => {
    await apply(objects());
    const answer = await eventually(ask, (value) => value !== undefined);
    await plane.kubectl(['delete', 'deployment', 'sample', `-n${namespace}`]);
    await eventually(() => Promise.resolve(hasEnded(answer?.pid ?? 0)), Boolean);
    expect(runner?.resolve(`http://sample.${namespace}.svc:8080`)).to.equal(undefined);
  });

  it('deletes only the objects of an instance that no longer exists', async () => {
    const instance = {
      apiVersion: 'gateway.guardrail.dev/v1alpha1',
      kind: 'GatewayInstance',
      metadata: { name: 'sample' },
      spec: { endpoint: 'http://127.0.0.1:1', masterKeySecretRef: { name: 'x', key: 'y' } },
    };
    await apply([instance]);
    const uid = await plane.kubectl(['get', 'ginst', 'sample', '-ojsonpath={.metadata.uid}', `-n${namespace}`]);
    const ownerReferences = [
      { apiVersion: instance.apiVersion, kind: instance.kind, name: 'sample', uid, controller: true },
    ];
    await apply([
      ...objects({ owner: { ownerReferences } }),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'of-nobody', labels } },
    ]);
    const answer = await eventually(ask, (value) => value !== undefined);
    await plane.kubectl(['delete', 'ginst', 'sample', `-n${namespace}`]);
    await eventually(() => Promise.resolve(hasEnded(answer?.pid ?? 0)), Boolean);
    const remaining = await eventually(
      () => plane.kubectl(['get', 'deployments,services,configmaps,secrets', '-oname', `-n${namespace}`]),
      (names) => !names.includes('keys'),
    );
    expect(remaining.trim().split('\n')).to.deep.equal(['secret/of-nobody']);
  });

  it('continues with the same process after the API server was unreachable', async () => {
    await apply(objects());
    const before = await eventually(ask, (value) => value !== undefined);
    await plane.kill();
    await eventually(
      () => Promise.resolve(lines),
      (all) => all.some((line) => line.includes('and retries')),
    );
    expect((await ask())?.pid).to.equal(before?.pid);
    await plane.restart();
    await apply(objects({ greeting: 'back' }));
    await eventually(ask, (value) => value?.greeting === 'back');
  });

  it('ignores Deployments of others, and leaves no process or file behind', async () => {
    const foreign = objects().map((object) => {
      const { metadata } = object as { metadata: object };
      return { ...object, metadata: { ...metadata, labels: {} } };
    });
    await apply(foreign);
    await delay(1_000);
    expect((await deployment()).status?.observedGeneration).to.equal(undefined);
    await apply(objects());
    const answer = await eventually(ask, (value) => value !== undefined);
    await runner?.stop();
    expect(hasEnded(answer?.pid ?? 0)).to.equal(true);
    expect(existsSync(join(folder, 'logs', `${namespace}-sample.log`))).to.equal(true);
  });
});
