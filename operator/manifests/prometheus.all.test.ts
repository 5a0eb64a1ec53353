import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { startControlPlane, type ControlPlane } from '../../hack/harness/controlplane.ts';
import { buildKustomization } from '../../hack/harness/kustomize.ts';
import { ensurePromrules, firingAlerts } from '../../hack/harness/promrules.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { API_VERSION, gatewayInstanceNames } from '../api/v1alpha1/v1alpha1.ts';
import { guardrailWorkload } from '../guardrail/workload.ts';

const ROOT = join(import.meta.dirname, '../..');
const MODULE = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';

/**
 * The folder of the Prometheus operator's CustomResourceDefinitions, from its Go module. Go verifies the module's checksum.
 */
async function definitions(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', MODULE], { cwd: tmpdir() });
    return join((JSON.parse(stdout) as { Dir: string }).Dir, 'example/prometheus-operator-crd');
  } catch (error) {
    throw new Error(`Install Go and allow access to its module proxy: this test needs ${MODULE}.`, { cause: error });
  }
}

describe('objects of the Prometheus operator, validated by its definitions', function () {
  this.timeout(120_000);
  let plane: ControlPlane;
  before(async () => {
    const folder = await definitions();
    // A separate control plane, because the definitions apply to a whole cluster.
    plane = await startControlPlane();
    for (const kind of ['servicemonitors', 'prometheusrules']) {
      await plane.kubectl(['create', '-f', join(folder, `monitoring.coreos.com_${kind}.yaml`)]);
      await plane.kubectl(['wait', '--for=condition=Established', `crd/${kind}.monitoring.coreos.com`]);
    }
    await plane.kubectl(['apply', '--server-side', '-f', join(ROOT, 'operator/manifests/namespace.yaml')]);
  });
  after(() => plane.stop());

  const trial = (text: string): Promise<string> =>
    plane.kubectl(['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'], text);

  it('accepts the component: ServiceMonitor, alerts, and a dashboard that Grafana finds', async () => {
    const components = ['operator/manifests/components/prometheus'];
    const text = await buildKustomization({ resources: ['.'], components });
    const output = await trial(text);
    expect(output).to.match(/servicemonitor\S+ serverside-applied/);
    expect(output).to.match(/prometheusrule\S+ serverside-applied/);
    const dashboard = parseAllDocuments(text)
      .map(
        (document) => document.toJS() as { kind: string; metadata: { labels: object }; data: Record<string, string> },
      )
      .find(({ kind }) => kind === 'ConfigMap');
    expect(dashboard?.metadata.labels).to.include({ grafana_dashboard: '1' });
    expect(JSON.parse(dashboard?.data['gateway-guardrail.json'] ?? '')).to.have.property('panels');
  });

  it('accepts the ServiceMonitor that the operator creates for a guardrail', async () => {
    const instance = {
      apiVersion: API_VERSION,
      kind: gatewayInstanceNames.kind,
      metadata: { name: 'main', namespace: 'default', uid: 'u' },
      spec: {},
    } as GatewayInstance;
    const inputs = { defaultImage: 'image', policy: undefined, keyRevision: '0.0', configHash: 'h' };
    const monitor = guardrailWorkload(instance, {}, inputs).find(({ kind }) => kind.kind === 'ServiceMonitor');
    expect(await trial(JSON.stringify(monitor?.object))).to.match(/servicemonitor\S+ serverside-applied/);
  });
});

describe('alerts on customers, evaluated by Prometheus', function () {
  this.timeout(60_000);
  const PREFIX = 'gateway_guardrail_operator_customer_';
  const NAMES = 'customer_namespace="shop",customer="acme",gateway_namespace="ai",gateway="main"';

  before(async function () {
    // The first run on a new machine builds the program.
    this.timeout(20 * 60_000);
    await ensurePromrules(console.log);
  });

  const rules = (): string => {
    const file = join(import.meta.dirname, 'components/prometheus/prometheusrule.yaml');
    return stringify((parse(readFileSync(file, 'utf8')) as { readonly spec: object }).spec);
  };
  /** The summaries of the alerts on customers that fire at each of the minutes. */
  async function summaries(series: readonly string[], at: readonly number[]): Promise<string[][]> {
    const all = await firingAlerts({ rules: rules(), series, at });
    return all.map((alerts) =>
      alerts.filter(({ name }) => name.includes('Customer')).map(({ annotations }) => annotations.summary ?? ''),
    );
  }
  const of = (metric: string, values: string, more = ''): string => `${PREFIX}${metric}{${NAMES}${more}} ${values}`;

  it('refuse rules that are not valid', async () => {
    const broken = rules().replace('>= 0.9', '>== 0.9');
    const outcome = await firingAlerts({ rules: broken, series: [], at: [0] }).catch((error: unknown) => String(error));
    expect(outcome).to.match(/parse error/);
  });

  it('tell at 90 % and at 100 % of a budget, once each, with the name of the customer', async () => {
    const found = await summaries([of('budget_used_ratio', '0.89 0.9 0.95 0.9999 1 1.25 0')], [0, 1, 2, 3, 4, 5, 6]);
    expect(found).to.deep.equal([
      [],
      ['acme has used 90% of its budget.'],
      ['acme has used 95% of its budget.'],
      ['acme has used 99.99% of its budget.'],
      ['acme has used up its budget: 100%.'],
      ['acme has used up its budget: 125%.'],
      [],
    ]);
  });

  it('tell of a customer that is not synced for 15 minutes, whatever the reason is meanwhile', async () => {
    const condition = (status: string, reason: string, values: string): string =>
      of('condition', values, `,type="Synced",status="${status}",reason="${reason}"`);
    const found = await summaries(
      [
        condition('True', 'UpToDate', '1x4 _x15 1x5'),
        condition('False', 'GatewayUnreachable', '_x5 1x7 _x12'),
        condition('Unknown', 'NotSynced', '_x13 1x6 _x6'),
      ],
      [4, 5, 19, 20, 25],
    );
    const text = 'acme has not been synced with its gateway for 15 minutes.';
    expect(found).to.deep.equal([[], [], [], [text], []]);
  });

  it('say nothing of a paused customer, and of one whose fields are not all applied', async () => {
    const found = await summaries(
      [
        of('condition', '1x30', ',type="Synced",status="False",reason="Paused"'),
        of('condition', '1x30', ',type="FullyApplied",status="False",reason="FieldsNotEnforced"'),
      ],
      [30],
    );
    expect(found).to.deep.equal([[]]);
  });

  it('go on while another pod becomes the leader', async () => {
    const at = (pod: string, values: string): string =>
      of('condition', values, `,type="Synced",status="False",reason="Conflict",pod="${pod}"`);
    const found = await summaries([at('one', '1x9 _x20'), at('two', '_x10 1x19')], [14, 15, 25]);
    expect(found.map((alerts) => alerts.length)).to.deep.equal([0, 1, 1]);
  });

  it('tell of a blocked customer', async () => {
    expect(await summaries([of('blocked', '0 1 1 0')], [0, 1, 3])).to.deep.equal([[], ['acme is blocked.'], []]);
  });
});
