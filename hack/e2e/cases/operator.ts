import { expect } from 'chai';
import { join } from 'node:path';
import { OPERATOR_NAME } from '../../../operator/operatorName.ts';
import { readSamples } from '../../local/start/samples.ts';
import { cluster } from '../environment.ts';
import { GATEWAY_ADMIN, MASTER_KEY, PORT } from '../gatewayApp.ts';
import { CRDS, OPERATOR_NAMESPACE, operatorPods } from '../installation.ts';
import { NAMESPACES, SAMPLES_NAMESPACE } from '../namespaces.ts';
import {
  apply,
  becomes,
  becomesEqual,
  conditionOf,
  get,
  kubectlIn,
  mayDo,
  POD_MS,
  portFrom,
  soon,
  Testbed,
  type Resource,
} from '../testbed.ts';

const METRICS_PORT = 9090;
/** The port of /healthz and /readyz, which only the kubelet calls. */
const PROBES_PORT = 8080;
const SAMPLES = join(import.meta.dirname, '../../samples');

/** Parses a table from kubectl: the rows by their first column, each by column names. */
function readTable(text: string): Map<string, Record<string, string>> {
  const [head = '', ...rows] = text.trim().split('\n');
  const columns = head.split(/\s{2,}/).map((name) => ({ name, at: head.indexOf(name) }));
  return new Map(
    rows.map((row) => {
      const cells = columns.map(({ name, at }, index) => [name, row.slice(at, columns[index + 1]?.at).trim()] as const);
      return [cells[0]?.[1] ?? '', Object.fromEntries(cells)];
    }),
  );
}

/** Runs a program in a pod of the operator. @returns what it prints */
function evaluateIn(pod: Resource | undefined, script: string, ...options: string[]): Promise<string> {
  const node = ['/usr/local/bin/node', ...options, '--eval', script];
  return cluster().kubectl(['exec', '-n', OPERATOR_NAMESPACE, pod?.metadata.name ?? '', '--', ...node]);
}

describe('the operator, installed by kubectl apply -k', () => {
  it('runs two pods under restricted pod security, one of them the leader', async () => {
    const namespace = await get('namespace', OPERATOR_NAMESPACE);
    expect(namespace?.metadata.labels).to.include({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const pods = await operatorPods();
    expect(pods).to.have.length(2);
    const leading: number[] = [];
    for (const pod of pods) {
      // From within the pod, because the NetworkPolicy admits only labelled namespaces.
      const script = "console.log(await (await fetch('http://127.0.0.1:9090/metrics')).text())";
      const metrics = await evaluateIn(pod, script, '--input-type=module');
      leading.push(Number(/^leader_election_master_status\{.*\} (\d)$/m.exec(metrics)?.[1]));
    }
    expect(leading.sort()).to.deep.equal([0, 1]);
  });

  it('starts from compiled modules in the image', async () => {
    const [pod] = await operatorPods();
    const script = "console.log(fs.readdirSync(require('module').getCompileCacheDir()).length)";
    expect(Number(await evaluateIn(pod, script))).to.be.greaterThan(500);
  });

  it('installs its CRDs', async () => {
    for (const name of CRDS) {
      const crd = await get('crd', name);
      expect(conditionOf(crd, 'Established')).to.include({ status: 'True' });
    }
  });

  describe('with the samples applied', () => {
    const namespace = SAMPLES_NAMESPACE;
    let testbed: Testbed;
    before(async () => {
      testbed = await Testbed.start('samples', 1);
      const url = `http://${GATEWAY_ADMIN}.${testbed.namespace}.svc.cluster.local:${PORT}`;
      await apply(readSamples(SAMPLES, { url, masterKey: MASTER_KEY }));
    });
    after(async () => {
      for (const [kinds = '', ...names] of [
        ['gcust', 'acme', 'globex', 'initech'],
        ['gbud', 'team'],
        ['gkey', 'app'],
        ['ginst,secret', 'dev', 'dev-gateway'],
        ['gpol', 'standard', 'strict'],
      ]) {
        await kubectlIn(namespace, 'delete', kinds, ...names, '--ignore-not-found');
      }
      await testbed.end();
    });

    it('shows the right columns in kubectl get gcust,ginst', async () => {
      await becomes('ginst', 'dev', namespace, { type: 'Ready', status: 'True' }, POD_MS);
      await soon(async () => {
        const customers = readTable(await kubectlIn(namespace, 'get', 'gcust'));
        for (const [name, columns] of [
          ['acme', { CUSTOMERID: 'acme-001', MAXBUDGET: '100', SPEND: '0', SYNCED: 'true' }],
          ['globex', { CUSTOMERID: 'globex-eu', MAXBUDGET: '', SPEND: '0', SYNCED: 'true' }],
          ['initech', { CUSTOMERID: 'initech-trial', MAXBUDGET: '5', SPEND: '0', SYNCED: 'true' }],
        ] as const) {
          expect(customers.get(name), name).to.include(columns);
        }
        const instances = readTable(await kubectlIn(namespace, 'get', 'ginst'));
        expect(instances.get('dev')).to.include({
          ENDPOINT: `http://${GATEWAY_ADMIN}.${testbed.namespace}.svc.cluster.local:${PORT}`,
          READY: 'True',
          CUSTOMERS: '3',
          GUARDRAIL: 'True',
        });
      });
    });

    it('writes a key into a Secret that belongs to it, and deletes the Secret with it', async () => {
      await becomes('gkey', 'app', namespace, { type: 'Ready', status: 'True' });
      const keys = readTable(await kubectlIn(namespace, 'get', 'gkey'));
      expect(keys.get('app')).to.include({ SECRET: 'app-gateway', INSTANCE: 'dev', MAXBUDGET: '50', READY: 'True' });
      const secret = (await get('secret', 'app-gateway', namespace)) as { data?: Record<string, string> } | undefined;
      expect(Buffer.from(secret?.data?.['api-key'] ?? '', 'base64').toString()).to.match(/^sk-/);
      await kubectlIn(namespace, 'delete', 'gkey', 'app');
      await becomesEqual(() => get('secret', 'app-gateway', namespace), undefined);
    });

    it('reports the policy as Ready when the pods of the guardrail have it', async () => {
      const enforced = { type: 'Ready', status: 'True', reason: 'Enforced' };
      await becomes('gpol', 'standard', namespace, enforced, 2 * POD_MS);
      const { metadata, status } = (await get('gpol', 'standard', namespace)) ?? {};
      expect(status).to.include({ observedGeneration: metadata?.generation, enforcedGeneration: metadata?.generation });
    });

    it('sets conditions for kubectl wait', async () => {
      await kubectlIn(namespace, 'wait', '--for=condition=Synced', 'gcust', '--all', '--timeout=60s');
    });

    it('lets viewers read, editors write customers, and admins write instances', async () => {
      for (const [role, verb, kind, may] of [
        ['view', 'list', 'gatewaycustomers', 'yes'],
        ['view', 'patch', 'gatewaycustomers', 'no'],
        ['edit', 'patch', 'gatewaycustomers', 'yes'],
        ['edit', 'patch', 'gatewaybudgets', 'yes'],
        ['edit', 'patch', 'gatewaykeys', 'yes'],
        ['edit', 'patch', 'gatewayinstances', 'no'],
        ['edit', 'patch', 'guardrailpolicies', 'no'],
        ['admin', 'patch', 'gatewayinstances', 'yes'],
        ['admin', 'patch', 'guardrailpolicies', 'yes'],
      ] as const) {
        const user = `e2e-${role}`;
        await kubectlIn(testbed.namespace, 'delete', 'rolebinding', user, '--ignore-not-found');
        await kubectlIn(testbed.namespace, 'create', 'rolebinding', user, `--clusterrole=${role}`, `--user=${user}`);
        // A controller aggregates the roles asynchronously.
        await soon(async () => {
          expect(await mayDo(user, verb, kind, testbed.namespace), `${role} ${verb} ${kind}`).to.equal(may === 'yes');
        });
      }
    });

    it('serves metrics to the namespaces that an admin has labelled, and nothing to others', async () => {
      const from = testbed.namespace;
      const [pod] = await operatorPods();
      const { podIP = '' } = (pod?.status ?? {}) as { readonly podIP?: string };
      const label = (value: string): Promise<string> =>
        cluster().kubectl(['label', 'namespace', from, `gateway.guardrail.dev/metrics${value}`, '--overwrite']);
      expect(await portFrom(from, podIP, METRICS_PORT)).to.equal('closed');
      await label('=true');
      await becomesEqual(() => portFrom(from, podIP, METRICS_PORT), 'open');
      expect(await portFrom(from, podIP, PROBES_PORT)).to.equal('closed');
      await label('-');
      await becomesEqual(() => portFrom(from, podIP, METRICS_PORT), 'closed');
    });

    it('logs no error about the samples or itself', async () => {
      const logs = await kubectlIn(OPERATOR_NAMESPACE, 'logs', `deployment/${OPERATOR_NAME}`, '--all-pods');
      const errors = logs.split('\n').filter((line) => /"level":("error"|50)/.test(line));
      // Other cases run at the same time, and provoke errors in their namespaces.
      const ofOthers = (line: string): boolean => NAMESPACES.some((namespace) => line.includes(`"${namespace}/`));
      expect(errors.filter((line) => !ofOthers(line))).to.deep.equal([]);
    });
  });
});
