import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments, stringify } from 'yaml';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { buildKustomization, type ProjectKustomization } from '../../hack/harness/kustomize.ts';
import { loadConfig } from '../config.ts';
import { METRICS_LABEL } from '../cluster/kinds.ts';
import { LONGEST_END_MS } from '../runtime/runtime.ts';
import { FLUSH_MS } from '../telemetry/telemetry.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMESPACE = 'gateway-guardrail-system';

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string };
  roleRef?: { kind: string; name: string };
  rules?: object[];
  spec?: {
    ports?: object[];
    ingress?: object[];
    template?: {
      spec: {
        terminationGracePeriodSeconds: number;
        containers: {
          image: string;
          env?: { name: string; value?: string; valueFrom?: object }[];
          ports?: object[];
          livenessProbe?: object;
          readinessProbe?: object;
        }[];
      };
    };
  };
}

function parsed(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

describe('manifests', () => {
  const plane = withControlPlane();

  async function build(folder: string): Promise<Manifest[]> {
    return parsed(await plane().kubectl(['kustomize', folder]));
  }

  /** Builds a kustomization that includes the project and one of its components. */
  async function withComponent(component: string, more: ProjectKustomization = {}): Promise<Manifest[]> {
    const components = [`operator/manifests/components/${component}`];
    return parsed(await buildKustomization({ resources: ['.'], components, ...more }));
  }

  const named = (manifests: readonly Manifest[]): string[] =>
    manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);

  it('are accepted by the API server, under the restricted pod security of their namespace', async () => {
    // A server-side dry run requires an existing namespace, so the namespace is created.
    await plane().kubectl(['apply', '--server-side', '-f', join(ROOT, 'operator/manifests/namespace.yaml')]);
    const output = await plane().kubectl(['apply', '-k', ROOT, '--server-side', '--dry-run=server']);
    expect(output).to.include('deployment.apps/gateway-guardrail-operator serverside-applied');
    expect(output).not.to.match(/warning/i);
    const pod = (await build(ROOT)).find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec;
    const trial = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'trial', namespace: NAMESPACE }, spec: pod };
    await plane().kubectl(['create', 'serviceaccount', '-n', NAMESPACE, 'gateway-guardrail-operator']);
    await plane().kubectl(['create', '--dry-run=server', '-f', '-'], stringify(trial));
  });

  it('set a grace period longer than the longest shutdown, so that the operator releases its lease', async () => {
    const pod = (await build(ROOT)).find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec;
    const { help } = loadConfig(['--help'], {}) as { help: string };
    const drainSeconds = Number(/--drain-timeout[^]*?Default: (\d+)\./.exec(help)?.[1]);
    expect(pod?.terminationGracePeriodSeconds).to.be.above(drainSeconds + (LONGEST_END_MS + FLUSH_MS) / 1000);
  });

  it('serve probes and metrics on separate ports, and admit labelled namespaces to metrics only', async () => {
    const manifests = await build(ROOT);
    const of = (kind: string): Manifest => {
      const found = manifests.find((manifest) => manifest.kind === kind);
      if (found === undefined) throw new Error(`There is no ${kind}.`);
      return found;
    };
    const { help } = loadConfig(['--help'], {}) as { help: string };
    const port = (flag: string): number => Number(new RegExp(`--${flag}=[^]*?Default: (\\d+)\\.`).exec(help)?.[1]);
    const [container] = of('Deployment').spec?.template?.spec.containers ?? [];
    expect(container?.ports).to.deep.equal([
      { name: 'probes', containerPort: port('http-port') },
      { name: 'metrics', containerPort: port('metrics-port') },
    ]);
    for (const probe of [container?.livenessProbe, container?.readinessProbe]) {
      expect(probe).to.have.nested.property('httpGet.port', 'probes');
    }
    expect(of('Service').spec?.ports).to.deep.equal([
      { name: 'metrics', port: port('metrics-port'), targetPort: 'metrics' },
    ]);
    expect(of('NetworkPolicy').spec?.ingress).to.deep.equal([
      {
        from: [{ namespaceSelector: { matchLabels: { [METRICS_LABEL]: 'true' } } }],
        ports: [{ protocol: 'TCP', port: 'metrics' }],
      },
    ]);
  });

  it('use the image name of the including kustomization', async () => {
    const images = [{ name: 'gateway-guardrail-operator', newName: 'registry.example.com/ggo', newTag: '9.9.9' }];
    const pod = (await withComponent('cluster-wide', { images })).find(({ kind }) => kind === 'Deployment')?.spec
      ?.template;
    expect(pod?.spec.containers[0]).to.deep.include({ name: 'operator', image: 'registry.example.com/ggo:9.9.9' });
  });

  it('with a Redis in a separate namespace, under restricted pod security', async () => {
    const namespace = await plane().createNamespace();
    const labels = ['pod-security.kubernetes.io/enforce=restricted', 'pod-security.kubernetes.io/warn=restricted'];
    await plane().kubectl(['label', 'namespace', namespace, ...labels]);
    const manifests = await withComponent('redis', { namespace, resources: [] });
    expect(named(manifests)).to.have.members(
      ['NetworkPolicy', 'Service', 'ServiceAccount', 'StatefulSet'].map(
        (kind) => `${kind} ${namespace}/guardrail-redis`,
      ),
    );
    const text = manifests.map((manifest) => stringify(manifest)).join('---\n');
    const output = await plane().kubectl(['apply', '--server-side', '--dry-run=server', '-f', '-'], text);
    expect(output).not.to.match(/warning/i);
    const pod = manifests.find(({ kind }) => kind === 'StatefulSet')?.spec?.template?.spec;
    const trial = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'trial', namespace }, spec: pod };
    await plane().kubectl(['create', 'serviceaccount', '-n', namespace, 'guardrail-redis']);
    const volumes = [{ name: 'data', emptyDir: {} }];
    await plane().kubectl(
      ['create', '--dry-run=server', '-f', '-'],
      stringify({ ...trial, spec: { ...pod, volumes } }),
    );
  });

  /** The operator's rules by the namespace of the binding, for one kind of binding. */
  function granted(manifests: readonly Manifest[], kind: 'RoleBinding' | 'ClusterRoleBinding'): Map<string, string> {
    const bindings = manifests.filter((manifest) => manifest.kind === kind);
    const rules = new Map<string, string>();
    for (const { metadata, roleRef } of bindings) {
      const role = manifests.find(
        (manifest) => manifest.kind === roleRef?.kind && manifest.metadata.name === roleRef.name,
      );
      const namespace = metadata.namespace ?? '';
      rules.set(namespace, `${rules.get(namespace) ?? ''}${JSON.stringify(role?.rules)}`);
    }
    return rules;
  }
  const watched = (manifests: readonly Manifest[]): unknown =>
    manifests
      .find(({ kind }) => kind === 'Deployment')
      ?.spec?.template?.spec.containers[0]?.env?.find(({ name }) => name === 'OPERATOR_WATCH_NAMESPACES');
  const trial = (manifests: readonly Manifest[]): Promise<string> => {
    const text = manifests.map((manifest) => stringify(manifest)).join('---\n');
    return plane().kubectl(['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'], text);
  };

  it("grant permissions for Secrets and workloads only in the operator's own namespace, and watch only that namespace", async () => {
    const manifests = await build(ROOT);
    expect(granted(manifests, 'ClusterRoleBinding').get('')).not.to.match(/secrets|deployments|configmaps|pods/);
    const inNamespaces = granted(manifests, 'RoleBinding');
    expect([...inNamespaces.keys()]).to.deep.equal([NAMESPACE]);
    expect(inNamespaces.get(NAMESPACE)).to.include('secrets');
    expect(watched(manifests)).to.have.nested.property('valueFrom.fieldRef.fieldPath', 'metadata.namespace');
  });

  it('of the sample add two watched namespaces with the same permissions in each', async () => {
    for (const name of ['ai', 'shop']) await plane().kubectl(['create', 'namespace', name]);
    const manifests = await build(join(ROOT, 'hack/samples/installation'));
    expect(granted(manifests, 'ClusterRoleBinding').get('')).not.to.include('secrets');
    const inNamespaces = granted(manifests, 'RoleBinding');
    expect([...inNamespaces.keys()].sort()).to.deep.equal(['ai', NAMESPACE, 'shop']);
    for (const name of ['ai', 'shop']) expect(inNamespaces.get(name)).to.include('secrets');
    expect(watched(manifests)).to.deep.equal({ name: 'OPERATOR_WATCH_NAMESPACES', value: `${NAMESPACE},ai,shop` });
    await trial(manifests);
  });

  it('with the component cluster-wide grant the same permissions in all namespaces, and watch all namespaces', async () => {
    const manifests = await withComponent('cluster-wide');
    expect(granted(manifests, 'ClusterRoleBinding').get('')).to.include('secrets').and.not.match(/pods/);
    expect(watched(manifests)).to.deep.equal({ name: 'OPERATOR_WATCH_NAMESPACES', value: '' });
    await trial(manifests);
  });

  it("grant port forwarding to pods only with the component sidecar, and only in the operator's namespace", async () => {
    const rights = (manifests: readonly Manifest[]): string =>
      JSON.stringify(manifests.filter(({ kind }) => kind.endsWith('Role')));
    expect(rights(await build(ROOT))).not.to.match(/pods\/|exec/);
    const manifests = await withComponent('sidecar');
    expect(rights(manifests))
      .to.include('pods/portforward')
      .and.not.match(/exec|pods\/(?!portforward)/);
    expect(granted(manifests, 'RoleBinding').get(NAMESPACE)).to.include('pods/portforward');
    expect(granted(manifests, 'ClusterRoleBinding').get('')).not.to.include('pods');
    await trial(manifests);
  });
});
