/** The plugin, started by kubectl, and its commands in this process, with a real API server and a real guardrail. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { ensureBinaries } from '../../hack/harness/controlplane/binaries.ts';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { endWithThisProcess } from '../../hack/harness/processes.ts';
import { listHash, listKey, policyRevision, shardName, writeCustomerList } from '../../guardrail/guardrail.ts';
import { API_VERSION } from '../api/v1alpha1/v1alpha1.ts';
import { namesOf, selectorOf } from '../cluster/cluster.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { type FakeKubelet, startFakeKubelet } from '../runtime/testing/fakeKubelet.ts';
import { eventually } from '../runtime/testing/testing.ts';
import { runKubectlCommand } from './kubectl.ts';

const ROOT = join(import.meta.dirname, '../..');
const EMAIL = 'anna.schmidt.9a935e@example.org';
const TEXT = `Please write to ${EMAIL}, it is urgent.`;

interface End {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the plugin kubectl gcust', function () {
  this.timeout(120_000);
  const cluster = withControlPlane();
  let kubectl: string;
  let namespace: string;

  const apply = (...items: readonly object[]): Promise<string> =>
    cluster().kubectl(['apply', '-n', namespace, '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const patchStatus = (kind: string, name: string, status: object): Promise<string> =>
    cluster().kubectl([
      'patch',
      kind,
      name,
      '-n',
      namespace,
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    ]);

  before(async () => {
    ({ kubectl } = await ensureBinaries(['kubectl']));
    await cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-k', join(ROOT, 'crds')]);
    await cluster().kubectl(['wait', '--for=condition=Established', 'crd', '-l', 'app.kubernetes.io/component=crd']);
  });

  /** Runs a command in this process. @param user default: the user with all permissions */
  async function command(args: readonly string[], input = '', user?: string): Promise<End> {
    const end = { code: 0, stdout: '', stderr: '' };
    const code = await runKubectlCommand(args, {
      stdin: () => Promise.resolve(input),
      stdout: { write: (text) => (end.stdout += text) },
      stderr: { write: (text) => (end.stderr += text) },
      signal: new AbortController().signal,
      kubeConfig: () => cluster().kubeConfig(user),
    });
    return { ...end, code };
  }

  /** Starts the plugin by kubectl. @param input of standard input */
  async function gcust(args: readonly string[], input = ''): Promise<End> {
    const env = {
      HOME: folder,
      PATH: `${join(ROOT, 'bin')}:${process.env.PATH ?? ''}`,
      KUBECONFIG: cluster().kubeconfig,
    };
    return await new Promise((resolve) => {
      const child = execFile(kubectl, ['gcust', ...args], { env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
      child.stdin?.end(input);
    });
  }
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gcust-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  async function instance(status: object = {}, spec: object = {}): Promise<void> {
    const masterKeySecretRef = { name: 'main', key: 'key' };
    const full = { endpoint: 'http://127.0.0.1:9', masterKeySecretRef, ...spec };
    await apply({ apiVersion: API_VERSION, kind: 'GatewayInstance', metadata: { name: 'main' }, spec: full });
    if (Object.keys(status).length > 0) await patchStatus('ginst', 'main', status);
  }

  async function customer(name: string, spec: object, status: object): Promise<void> {
    const full = { instanceRef: { name: 'main' }, customerId: `id-of-${name}`, ...spec };
    await apply({ apiVersion: API_VERSION, kind: 'GatewayCustomer', metadata: { name }, spec: full });
    if (Object.keys(status).length > 0) await patchStatus('gcust', name, status);
  }

  describe('top', () => {
    before(async () => {
      namespace = await cluster().createNamespace('plugin');
      await instance();
      const spec = { instanceRef: { name: 'main' }, maxBudget: 100 };
      await apply({ apiVersion: API_VERSION, kind: 'GatewayBudget', metadata: { name: 'gold' }, spec });
      await customer('acme', { maxBudget: 20 }, { currentSpend: 18.999, blocked: false, synced: true });
      await customer('globex', { budgetRef: { name: 'gold' } }, { currentSpend: 100, budgetId: 'gold', synced: true });
      await customer('initech', {}, { currentSpend: 500 });
      await customer('other', { instanceRef: { name: 'other' } }, {});
    });

    it('lists what customers have spent, the highest share first', async () => {
      const { code, stdout, stderr } = await gcust(['top', '-n', namespace, '--instance=main']);
      expect(stderr).to.equal('');
      expect(code).to.equal(0);
      const lines = stdout.replaceAll(namespace, 'ns').split('\n');
      expect(lines.map((line) => line.replaceAll(/ {2,}/g, ' | '))).to.deep.equal([
        'NAMESPACE | NAME | INSTANCE | SPEND | BUDGET | USED | BLOCKED | SYNCED',
        'ns | globex | ns/main | $100.00 | $100.00 | 100 % | - | true',
        'ns | acme | ns/main | $19.00 | $20.00 | 94 % | false | true',
        'ns | initech | ns/main | $500.00 | - | - | - | false',
        '',
      ]);
    });

    it('lists all namespaces, as JSON', async () => {
      const { code, stdout } = await command(['top', '-A', `--instance=${namespace}/main`, '-o', 'json']);
      expect(code).to.equal(0);
      const rows = JSON.parse(stdout) as { readonly name: string }[];
      expect(rows.map(({ name }) => name)).to.deep.equal(['globex', 'acme', 'initech']);
      expect(rows[1]).to.deep.equal({
        ...{ namespace, name: 'acme', instance: `${namespace}/main`, spendUsd: 18.999, maxBudgetUsd: 20 },
        ...{ usedRatio: 18.999 / 20, blocked: false, synced: true },
      });
    });

    it('works with the permissions of one namespace, and names the missing one of another', async () => {
      const user = `viewer-${namespace}`;
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'viewer' } };
      const rules = [{ apiGroups: ['gateway.guardrail.dev'], resources: ['*'], verbs: ['get', 'list'] }];
      await apply(
        { ...role, kind: 'Role', rules },
        {
          ...role,
          kind: 'RoleBinding',
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'viewer' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        },
      );
      const own = await command(['top', '-n', namespace], '', user);
      expect(own.stderr).to.equal('');
      expect(own.stdout).to.match(/globex .* 100 %/);
      const all = await command(['top', '-A'], '', user);
      expect(all).to.include({ code: 1, stdout: '' });
      expect(all.stderr).to.include('cannot list resource "gatewaycustomers"');
    });

    it('says that there are no customers', async () => {
      const { stdout } = await command(['top', '-n', namespace, '--instance=none']);
      expect(stdout).to.equal('No customers found.\n');
    });
  });

  describe('explain-call', () => {
    const PORT = 8080;
    const API_KEY = 'key-of-the-gateway';
    const SESSION_KEY = 'a session key of more than thirty-two characters';
    const blocking = JSON.stringify({ entities: { EMAIL_ADDRESS: { action: 'block' } } });
    let kubelet: FakeKubelet;
    let guardrail: ChildProcess;
    let port: number;
    const log: string[] = [];

    before(async () => {
      kubelet = await startFakeKubelet(new TestAuthority().server());
      const hashOf = (id: string): ReturnType<typeof listHash> => listHash(listKey(SESSION_KEY), 'customer', id);
      const shards = writeCustomerList(
        [{ customer: hashOf('id-of-acme') }, { customer: hashOf('id-of-strict'), policy: policyRevision(blocking) }],
        { unknownCustomers: 'Block', policies: new Map([[policyRevision(blocking), blocking]]) },
      );
      for (const [shard, text] of shards.entries()) writeFileSync(join(folder, shardName(shard)), text);
      guardrail = spawn(process.execPath, [join(ROOT, 'guardrail/main.ts')], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          PATH: process.env.PATH,
          GUARDRAIL_HOST: '127.0.0.1',
          GUARDRAIL_PORT: '0',
          GUARDRAIL_METRICS_PORT: 'off',
          GUARDRAIL_API_KEYS: `proxy:${API_KEY}`,
          GUARDRAIL_ADMIN_KEYS: 'proxy',
          GUARDRAIL_SESSION_KEY: SESSION_KEY,
          GUARDRAIL_CUSTOMERS: folder,
          GUARDRAIL_LOG_LEVEL: 'debug',
        },
      });
      endWithThisProcess(guardrail);
      port = await new Promise<number>((resolve, reject) => {
        if (guardrail.stdout !== null) {
          createInterface(guardrail.stdout).on('line', (line) => {
            log.push(line);
            const { msg, port: own } = JSON.parse(line) as { readonly msg?: string; readonly port?: number };
            if (msg === 'listening' && own !== undefined) resolve(own);
          });
        }
        guardrail.once('exit', () => {
          reject(new Error(`The guardrail ended: ${log.join('\n')}`));
        });
      });
    });
    after(async () => {
      await kubelet.stop();
      if (guardrail.exitCode !== null) return;
      const ended = once(guardrail, 'exit');
      guardrail.kill('SIGKILL');
      await ended;
    });

    beforeEach(async () => {
      namespace = await cluster().createNamespace('plugin');
    });

    /** Creates the instance, its Secret, and a ready pod of its guardrail. */
    async function deploy(): Promise<void> {
      const made = instanceOf({}, 'main');
      const names = namesOf(made);
      const endpoint = 'http://main-guardrail:8080';
      const guardrailStatus = { mode: 'Deployment', endpoint, apiKeySecretName: names.apiKeySecret };
      await instance({ guardrail: guardrailStatus }, { guardrail: {} });
      await customer('acme', {}, {});
      const metadata = { name: names.apiKeySecret };
      const node = `node-${namespace}`;
      await apply(
        { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { 'api-key': API_KEY } },
        { apiVersion: 'v1', kind: 'Node', metadata: { name: node } },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `guardrail-${namespace}`, labels: selectorOf(made) },
          spec: { nodeName: node, containers: [{ name: 'guardrail', image: 'guardrail' }] },
        },
      );
      const nodeStatus = {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
      };
      await patchStatus('node', node, nodeStatus);
      await patchStatus('pod', `guardrail-${namespace}`, {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
      });
      kubelet.ports.set(`guardrail-${namespace}:${PORT}`, port);
    }
    afterEach(async () => {
      await cluster().kubectl(['delete', 'node', `node-${namespace}`, '--ignore-not-found']);
    });

    it('shows what the policy of the customer hides in a text of standard input, and logs nothing of it', async () => {
      await deploy();
      const { code, stdout, stderr } = await gcust(['explain-call', 'acme', '-n', namespace], TEXT);
      expect(stderr).to.equal('');
      expect(code).to.equal(0);
      expect(stdout).to.match(/^The guardrail hides 1 value in this text\. \(GatewayCustomer \S+\/acme\)\n/);
      expect(stdout).to.match(new RegExp(`^EMAIL_ADDRESS {3}pseudonymize {3}"${EMAIL}" {3}[01]\\.\\d\\d`, 'm'));
      expect(stdout).to.include('The model reads:\nPlease write to <EMAIL_ADDRESS>, it is urgent.\n');
      // The guardrail writes its log lines a few milliseconds after the answer.
      await eventually(() => expect(log.join('\n')).to.include('/explain'));
      expect(log.join('\n')).to.not.include(EMAIL).and.not.include('id-of-acme');
    });

    it('shows the decision of the policy of another customer, and of none', async () => {
      await deploy();
      await customer('strict', {}, {});
      const strict = await command(['explain-call', 'strict', '-n', namespace, '--text', TEXT, '-o', 'json']);
      const explained = JSON.parse(strict.stdout) as { readonly entities: object[]; readonly policies: object };
      expect(explained.entities).to.have.length(1);
      expect(explained.entities[0]).to.include({ type: 'EMAIL_ADDRESS', action: 'block', start: 16 });
      expect(explained.policies).to.deep.equal({ service: null, end_user: policyRevision(blocking) });
      await customer('unlisted', {}, {});
      const { stdout } = await command(['explain-call', 'unlisted', '-n', namespace], 'Nothing here.');
      expect(stdout).to.match(/^The guardrail refuses such a call for \S+ \S+\/unlisted: This customer is not known/);
      expect(stdout).to.include('finds nothing to hide');
    });

    it('says in one sentence why it cannot explain', async () => {
      const unknown = await command(['explain-call', 'nobody', '-n', namespace], TEXT);
      expect(unknown.stderr).to.match(/^GatewayCustomer \S+\/nobody does not exist\. Correct the name, [^\n]+\n$/);
      await instance();
      await customer('acme', {}, {});
      const none = await command(['explain-call', 'acme', '-n', namespace], TEXT);
      expect(none).to.include({ code: 1, stdout: '' });
      expect(none.stderr).to.match(/^No guardrail of GatewayInstance \S+\/main runs\. [^\n]+\n$/);
      await deploy();
      kubelet.ports.clear();
      const unreachable = await command(['explain-call', 'acme', '-n', namespace], TEXT);
      expect(unreachable.code).to.equal(1);
      expect(unreachable.stderr)
        .to.match(/^[^\n]+\n$/)
        .and.not.include(EMAIL);
    });
  });
});
