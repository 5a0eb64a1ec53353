import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { startControlPlane, type ControlPlane } from '../../hack/testing/controlplane.ts';
import { buildKustomization } from '../../hack/testing/kustomize.ts';
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
