import { expect } from 'chai';
import { join } from 'node:path';
import { OPERATOR_NAME } from '../../../operator/operatorName.ts';
import { readSamples } from '../../local/start/samples.ts';
import { cluster } from '../environment.ts';
import { GATEWAY_ADMIN, MASTER_KEY, PORT } from '../gatewayApp.ts';
import { OPERATOR_NAMESPACE, operatorPods } from '../installation.ts';
import { NAMESPACES, SAMPLES_NAMESPACE } from '../namespaces.ts';
import { apply, becomes, get, POD_MS, portFrom, soon, Testbed } from '../testbed.ts';

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

describe('the operator, installed by kubectl apply -k', () => {
  it('runs two pods under restricted pod security, one of them the leader', async () => {
    const namespace = await get('namespace', OPERATOR_NAMESPACE);
    expect(namespace?.metadata.labels).to.include({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const pods = await operatorPods();
    expect(pods).to.have.length(2);
    const leading = await Promise.all(
      pods.map(async ({ metadata: { name } }) => {
        // From within the pod, because the NetworkPolicy admits only labelled namespaces.
        const script = "console.log(await (await fetch('http://127.0.0.1:9090/metrics')).text())";
        const node = ['/usr/local/bin/node', '--input-type=module', '--eval', script];
        const metrics = await cluster().kubectl(['exec', '-n', OPERATOR_NAMESPACE, name, '--', ...node]);
        return Number(/^leader_election_master_status\{.*\} (\d)$/m.exec(metrics)?.[1]);
      }),
    );
    expect(leading.sort()).to.deep.equal([0, 1]);
  });

  it('starts from compiled modules in the image', async () => {
    const [pod] = await operatorPods();
    const script = "console.log(fs.readdirSync(require('module').getCompileCacheDir()).length)";
    const node = ['/usr/local/bin/node', '--eval', script];
    const exec = ['exec', '-n', OPERATOR_NAMESPACE, pod?.metadata.name ?? '', '--', ...node];
    expect(Number(await cluster().kubectl(exec))).to.be.greaterThan(500);
  });

  it('installs its CRDs', async () => {
    for (const kind of ['gatewaycustomers', 'gatewayinstances', 'gatewaybudgets', 'guardrailpolicies']) {
      const crd = await get('crd', `${kind}.gateway.guardrail.dev`);
      expect(crd?.status?.conditions?.find(({ type }) => type === 'Established')).to.include({ status: 'True' });
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
      await cluster().kubectl(['delete', 'gcust', '-n', namespace, 'acme', 'globex', 'initech', '--ignore-not-found']);
      await cluster().kubectl(['delete', 'gbud', '-n', namespace, 'team', '--ignore-not-found']);
      await cluster().kubectl(['delete', 'ginst,secret', '-n', namespace, 'dev', 'dev-gateway', '--ignore-not-found']);
      await cluster().kubectl(['delete', 'gpol', '-n', namespace, 'standard', 'strict', '--ignore-not-found']);
      await testbed.end();
    });

    it('shows the right columns in kubectl get gcust,ginst', async () => {
      await becomes('ginst', 'dev', namespace, { type: 'Ready', status: 'True' }, POD_MS);
      await soon(async () => {
        const customers = readTable(await cluster().kubectl(['get', 'gcust', '-n', namespace]));
        for (const [name, columns] of [
          ['acme', { CUSTOMERID: 'acme-001', MAXBUDGET: '100', SPEND: '0', SYNCED: 'true' }],
          ['globex', { CUSTOMERID: 'globex-eu', MAXBUDGET: '', SPEND: '0', SYNCED: 'true' }],
          ['initech', { CUSTOMERID: 'initech-trial', MAXBUDGET: '5', SPEND: '0', SYNCED: 'true' }],
        ] as const) {
          expect(customers.get(name), name).to.include(columns);
        }
        const instances = readTable(await cluster().kubectl(['get', 'ginst', '-n', namespace]));
        expect(instances.get('dev')).to.include({
          ENDPOINT: `http://${GATEWAY_ADMIN}.${testbed.namespace}.svc.cluster.local:${PORT}`,
          READY: 'True',
          CUSTOMERS: '3',
          GUARDRAIL: 'True',
        });
      });
    });

    it('reports the policy as Ready when the pods of the guardrail have it', async () => {
      const enforced = { type: 'Ready', status: 'True', reason: 'Enforced' };
      await becomes('gpol', 'standard', namespace, enforced, 2 * POD_MS);
      const { metadata, status } = (await get('gpol', 'standard', namespace)) ?? {};
      expect(status).to.include({ observedGeneration: metadata?.generation, enforcedGeneration: metadata?.generation });
    });

    it('sets conditions for kubectl wait', async () => {
      await cluster().kubectl(['wait', '--for=condition=Synced', 'gcust', '--all', '-n', namespace, '--timeout=60s']);
    });

    it('lets viewers read, editors write customers, and admins write instances', async () => {
      for (const [role, verb, kind, may] of [
        ['view', 'list', 'gatewaycustomers', 'yes'],
        ['view', 'patch', 'gatewaycustomers', 'no'],
        ['edit', 'patch', 'gatewaycustomers', 'yes'],
        ['edit', 'patch', 'gatewaybudgets', 'yes'],
        ['edit', 'patch', 'gatewayinstances', 'no'],
        ['edit', 'patch', 'guardrailpolicies', 'no'],
        ['admin', 'patch', 'gatewayinstances', 'yes'],
        ['admin', 'patch', 'guardrailpolicies', 'yes'],
      ] as const) {
        const user = `e2e-${role}`;
        const binding = ['rolebinding', user, '-n', testbed.namespace];
        await cluster().kubectl(['delete', ...binding, '--ignore-not-found']);
        await cluster().kubectl(['create', ...binding, `--clusterrole=${role}`, `--user=${user}`]);
        const asked = ['auth', 'can-i', verb, kind, '-n', testbed.namespace, `--as=${user}`];
        // A controller aggregates the roles asynchronously; kubectl exits with 1 for a no.
        await soon(async () => {
          const answer = await cluster()
            .kubectl(asked)
            .catch((error: unknown) => String(error));
          expect(answer.includes('yes') ? 'yes' : 'no', `${role} ${verb} ${kind}`).to.equal(may);
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
      await soon(async () => {
        expect(await portFrom(from, podIP, METRICS_PORT)).to.equal('open');
      });
      expect(await portFrom(from, podIP, PROBES_PORT)).to.equal('closed');
      await label('-');
      await soon(async () => {
        expect(await portFrom(from, podIP, METRICS_PORT)).to.equal('closed');
      });
    });

    it('logs no error about the samples or itself', async () => {
      const logs = await cluster().kubectl([
        'logs',
        '-n',
        OPERATOR_NAMESPACE,
        `deployment/${OPERATOR_NAME}`,
        '--all-pods',
      ]);
      const errors = logs.split('\n').filter((line) => /"level":("error"|50)/.test(line));
      // Other cases run at the same time, and provoke errors in their namespaces.
      const ofOthers = (line: string): boolean => NAMESPACES.some((namespace) => line.includes(`"${namespace}/`));
      expect(errors.filter((line) => !ofOthers(line))).to.deep.equal([]);
    });
  });
});
