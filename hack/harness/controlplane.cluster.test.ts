import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api } from '@kubernetes/client-node';
import { expect } from 'chai';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
import { type ControlPlane, startControlPlane, withControlPlane } from './controlplane.ts';

const START_TIMEOUT_MS = 120_000;

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}

describe('control plane', function () {
  this.timeout(START_TIMEOUT_MS);
  const cluster = withControlPlane();

  it('gives its first user all permissions, with kubectl and with a client', async () => {
    const namespace = await cluster().createNamespace('rights');
    expect(await cluster().kubectl(['auth', 'can-i', '*', '*', '--all-namespaces'])).to.equal('yes\n');
    const found = await cluster().kubeConfig().makeApiClient(CoreV1Api).readNamespace({ name: namespace });
    expect(found.metadata?.name).to.equal(namespace);
  });

  it('gives any other user only the permissions that RBAC grants the name or a group', async () => {
    const namespace = await cluster().createNamespace('rbac');
    const nobody = cluster().kubeConfig('nobody').makeApiClient(CoreV1Api);
    const reader = cluster().kubeConfig('reader', ['readers']).makeApiClient(CoreV1Api);
    // The ClusterRole `view` is empty here: only a controller manager fills it.
    await cluster().kubectl([
      'create',
      'role',
      'reading',
      '--verb=get,list',
      '--resource=configmaps',
      `-n${namespace}`,
    ]);
    await cluster().kubectl([
      'create',
      'rolebinding',
      'reading',
      '--role=reading',
      '--group=readers',
      `-n${namespace}`,
    ]);
    // The API server applies a new grant within milliseconds, not immediately.
    await eventually(() => reader.listNamespacedConfigMap({ namespace }));
    expect(await failure(reader.listNamespacedSecret({ namespace }))).to.include('secrets is forbidden');
    expect(await failure(nobody.listNamespacedConfigMap({ namespace }))).to.match(/User .*nobody.* cannot list/);
    const kubeconfig = cluster().kubeconfigFor('reader', ['readers']);
    const answer = await cluster().kubectl(['auth', 'whoami', '-o', 'json', `--kubeconfig=${kubeconfig}`]);
    expect(JSON.parse(answer)).to.have.nested.property('status.userInfo.username', 'reader');
  });

  it('rejects a client without a certificate', async () => {
    const config = cluster().kubeConfig();
    config.users = [{ name: 'admin' }];
    expect(await failure(config.makeApiClient(CoreV1Api).listNamespace())).to.include('system:anonymous');
  });

  describe('of a single test', () => {
    let plane: ControlPlane | undefined;
    let dir = '';
    before(() => {
      dir = mkdtempSync(join(tmpdir(), 'control-plane-test-'));
    });
    after(async () => {
      await plane?.stop();
      rmSync(dir, { recursive: true, force: true });
    });
    const found = (of: ControlPlane, namespace: string): Promise<string> =>
      of.kubectl(['get', 'namespace', namespace, '-o', 'name']);

    it('reuses its folder, keeps its address and its data in restarts, and leaves no folder and no process behind', async () => {
      plane = await startControlPlane({ dir });
      const { url, kubeconfig } = plane;
      const namespace = await plane.createNamespace();
      await plane.restart();
      expect(plane.url).to.equal(url);
      expect(await found(plane, namespace)).to.equal(`namespace/${namespace}\n`);
      await plane.stop();

      const lines: string[] = [];
      const again = await startControlPlane({
        ...{ dir, temporary: true, keepAlive: true },
        report: (line) => lines.push(line),
      });
      plane = again;
      expect([again.url, again.kubeconfig]).to.deep.equal([url, kubeconfig]);
      expect(await found(again, namespace)).to.equal(`namespace/${namespace}\n`);

      // It keeps the API server alive, and reports which other part ended.
      const processOf = (name: string) => again.processes.find((child) => child.name === name);
      const killed = processOf('kube-apiserver')?.pid ?? 0;
      process.kill(killed, 'SIGKILL');
      await eventually(() => expect(processOf('kube-apiserver')?.pid).to.not.be.oneOf([undefined, killed]));
      expect(await found(again, namespace)).to.equal(`namespace/${namespace}\n`);
      expect(lines.join('\n')).to.include('kube-apiserver ended with signal SIGKILL and is restarting.');
      await processOf('etcd')?.kill();
      expect(await again.failed).to.match(/^etcd ended with signal SIGKILL\. The end of its log \(.*etcd\.log\):/);

      await again.stop();
      plane = undefined;
      expect(existsSync(dir)).to.equal(false);
      const error = await fetch(url).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError).with.nested.property('cause.code', 'ECONNREFUSED');
    });

    it('names the port that is in use', async () => {
      const taken = Number(new URL(cluster().url).port);
      expect(await failure(startControlPlane({ dir, ports: { api: taken } }))).to.equal(
        `Port ${taken} of 127.0.0.1 is in use. Choose another port, or end the process that uses it.`,
      );
    });
  });
});
