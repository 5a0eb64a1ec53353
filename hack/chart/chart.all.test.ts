import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { startControlPlane, type ControlPlane } from '../harness/controlplane.ts';
import { ensureHelm, type Helm } from '../harness/helm.ts';
import { buildKustomization, type ProjectKustomization } from '../harness/kustomize.ts';
import { pageBlocks } from '../project/pages.ts';
import { CHART_FOLDER } from './chart.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHART = join(ROOT, CHART_FOLDER);
const NAME = 'gateway-guardrail-operator';
const NAMESPACE = 'gateway-guardrail-system';
const COMPONENTS = 'operator/manifests/components';

interface Labelled {
  readonly labels?: Record<string, string>;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: Labelled & { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly template?: {
      readonly metadata?: Labelled;
      readonly spec?: { readonly containers?: readonly { readonly env?: { name: string }[] }[] };
    };
  };
}

/** Checks the labels that only a release of Helm has, and replaces them by those of kustomize. */
function withLabelsOfKustomize(objects: Record<string, Manifest>): Record<string, Manifest> {
  for (const [name, { metadata, spec }] of Object.entries(objects)) {
    expect(metadata.labels?.['helm.sh/chart'], name).to.equal(`${NAME}-${packageJson.version}`);
    delete metadata.labels?.['helm.sh/chart'];
    for (const { labels } of [metadata, spec?.template?.metadata ?? {}]) {
      if (labels === undefined) continue;
      expect(labels['app.kubernetes.io/managed-by'], name).to.equal('Helm');
      labels['app.kubernetes.io/managed-by'] = 'kustomize';
    }
  }
  return objects;
}

/** The objects by kind and name: Helm and kustomize have orders of their own. */
function objectsOf(text: string): Record<string, Manifest> {
  const objects = parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);
  for (const { spec } of objects) {
    // A patch of kustomize moves what it changes to the front.
    for (const { env } of spec?.template?.spec?.containers ?? [])
      env?.sort((a, b) => a.name.localeCompare(b.name, 'en'));
  }
  const entries = objects.map((object): [string, Manifest] => {
    const { kind, metadata } = object;
    return [`${kind} ${metadata.namespace ?? ''}/${metadata.name}`, object];
  });
  const byName = Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, 'en')));
  expect(Object.keys(byName)).to.have.length(objects.length);
  return byName;
}

describe('the Helm chart', function () {
  this.timeout(60_000);
  let helm: Helm;
  before(async function () {
    // The first run on a new machine builds Helm.
    this.timeout(20 * 60_000);
    helm = await ensureHelm(console.log);
  });

  async function render(values: Readonly<Record<string, unknown>> = {}): Promise<Record<string, Manifest>> {
    const flags = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
    return withLabelsOfKustomize(objectsOf(await helm(['template', NAME, CHART, '--namespace', NAMESPACE, ...flags])));
  }
  async function kustomize(more: ProjectKustomization = {}): Promise<Record<string, Manifest>> {
    return objectsOf(await buildKustomization({ resources: ['.'], ...more }));
  }
  const withoutNamespace = (objects: Record<string, Manifest>): Record<string, Manifest> =>
    Object.fromEntries(Object.entries(objects).filter(([, { kind }]) => kind !== 'Namespace'));

  it('renders the objects of kubectl apply -k . by default, except the namespace, which Helm creates', async () => {
    expect(await render()).to.deep.equal(withoutNamespace(await kustomize()));
  });

  it('with namespace.create renders exactly the objects of kubectl apply -k .', async () => {
    expect(await render({ 'namespace.create': true })).to.deep.equal(await kustomize());
  });

  for (const [value, component] of [
    ['clusterWide', 'cluster-wide'],
    ['prometheus', 'prometheus'],
    ['redis', 'redis'],
    ['sidecar', 'sidecar'],
  ] as const) {
    it(`with components.${value} renders the objects of the component ${component}`, async () => {
      // Objects of the component redis have no namespace of their own.
      const more = component === 'redis' ? { namespace: NAMESPACE } : {};
      const expected = withoutNamespace(await kustomize({ components: [`${COMPONENTS}/${component}`], ...more }));
      const rendered = await render({ [`components.${value}`]: true });
      expect(rendered).to.deep.equal(expected);
      expect(rendered).not.to.deep.equal(await render());
    });
  }

  it('with all components but clusterWide and with watched namespaces renders the objects of both', async () => {
    const components = ['prometheus', 'redis', 'sidecar'].map((name) => `${COMPONENTS}/${name}`);
    const resources = ['hack/samples/installation'];
    const expected = withoutNamespace(await kustomize({ resources, components }));
    const rendered = await render({
      watchNamespaces: ['ai', 'shop'],
      'components.prometheus': true,
      'components.redis': true,
      'components.sidecar': true,
    });
    expect(Object.keys(rendered)).to.deep.equal(
      // The objects of the component redis get the release's namespace.
      Object.keys(expected)
        .map((name) => name.replace(' /guardrail-redis', ` ${NAMESPACE}/guardrail-redis`))
        .sort((a, b) => a.localeCompare(b, 'en')),
    );
  });

  it('with watchNamespaces renders the objects of the sample installation', async () => {
    const rendered = await render({ watchNamespaces: ['ai', 'shop'] });
    const expected = withoutNamespace(await kustomize({ resources: ['hack/samples/installation'] }));
    // The sample's RoleBindings have no labels.
    const withoutLabels = ({ metadata: { labels: _labels, ...metadata }, ...object }: Manifest): object => ({
      ...object,
      metadata,
    });
    const bindings = ['ai', 'shop'].map((name) => `RoleBinding ${name}/${NAME}-namespace`);
    expect(Object.keys(rendered)).to.deep.equal(Object.keys(expected)).and.to.include.members(bindings);
    for (const [name, object] of Object.entries(expected)) {
      if (!bindings.includes(name)) expect(rendered[name], name).to.deep.equal(object);
      else expect(withoutLabels(rendered[name] ?? object), name).to.deep.equal(object);
    }
  });

  const digest = `sha256:${'0'.repeat(64)}`;
  const repository = 'registry.example.com/ggo';
  for (const [image, override] of [
    [
      { repository, tag: '9.9.9' },
      { newName: repository, newTag: '9.9.9' },
    ],
    [
      { repository, digest },
      { newName: repository, digest },
    ],
  ] as const) {
    it(`with image ${JSON.stringify(Object.keys(image))} renders what kustomize sets as image`, async () => {
      const expected = withoutNamespace(await kustomize({ images: [{ name: NAME, ...override }] }));
      expect(await render({ image })).to.deep.equal(expected);
    });
  }

  it('with replicas, resources and scheduling renders what a patch of the Deployment sets', async () => {
    const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } };
    const scheduling = {
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { pool: 'system' },
      tolerations: [{ key: 'system', operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
    };
    const env = [{ name: 'OPERATOR_LOG_LEVEL', value: 'debug' }];
    const add = (path: string, value: unknown): object => ({ op: 'add', path: `/spec/${path}`, value });
    const pod = 'template/spec';
    const patch = [
      add('replicas', 3),
      add(`${pod}/containers/0/resources`, resources),
      add(`${pod}/containers/0/env/-`, env[0]),
      ...Object.entries(scheduling).map(([field, value]) => add(`${pod}/${field}`, value)),
    ];
    const patches = [{ target: { kind: 'Deployment' }, patch: JSON.stringify(patch) }];
    const rendered = await render({ replicas: 3, resources, env, ...scheduling });
    expect(rendered).to.deep.equal(withoutNamespace(await kustomize({ patches })));
  });

  it('has NODE_OPTIONS once, also if the values set it', async () => {
    const NODE_OPTIONS = { name: 'NODE_OPTIONS', value: '--max-old-space-size=300' };
    const optionsOf = (objects: Record<string, Manifest>): unknown =>
      Object.values(objects)
        .flatMap(({ kind, spec }) => (kind === 'Deployment' ? (spec?.template?.spec?.containers ?? []) : []))
        .flatMap(({ env = [] }) => env.filter(({ name }) => name === NODE_OPTIONS.name));
    expect(optionsOf(await render())).to.have.length(1);
    expect(optionsOf(await render({ env: [NODE_OPTIONS] }))).to.deep.equal([NODE_OPTIONS]);
  });

  for (const [values, message] of [
    [{ replicas: 'two' }, /at '\/replicas': got string, want integer/],
    [{ replica: 2 }, /additional properties 'replica' not allowed/],
    [{ 'components.cluster-wide': true }, /additional properties 'cluster-wide' not allowed/],
    [{ 'image.digest': 'latest' }, /at '\/image\/digest': 'latest' does not match pattern/],
    [{ watchNamespaces: ['ai', 'ai'] }, /at '\/watchNamespaces': items at 0 and 1 are equal/],
    [{ instances: [{ spec: {} }] }, /at '\/instances\/0': missing property 'metadata'/],
    [{ watchNamespaces: ['ai'], 'components.clusterWide': true }, /clusterWide or watchNamespaces, not both/],
  ] as const) {
    it(`refuses ${JSON.stringify(values)} with a clear message`, async () => {
      const outcome = await render(values).then(
        () => 'rendered',
        (error: unknown) => String(error),
      );
      expect(outcome).to.match(message);
    });
  }

  it('installs with the documented command', async () => {
    const documented = pageBlocks().flatMap(({ text }) => /^helm (install [^]*?[^\\])\n/m.exec(text)?.[1] ?? []);
    expect(documented).to.have.length(1);
    const [command = ''] = documented;
    const args = command.replaceAll('\\\n', ' ').split(/ +/);
    const output = await helm([
      ...args.map((arg) => arg.replace(/^operator\//, `${ROOT}/operator/`)),
      '--dry-run=client',
    ]);
    expect(output).to.include(`image: "registry.example.com/gateway-guardrail-operator:${packageJson.version}"`);
  });

  describe('on a cluster', () => {
    let plane: ControlPlane;
    before(async () => {
      // A separate control plane, because the chart has objects of the whole cluster.
      plane = await startControlPlane();
    });
    after(() => plane.stop());

    it('installs CRDs and instances, upgrades, and leaves both when it is uninstalled', async () => {
      const namespace = await plane.createNamespace('helm');
      const spec = { endpoint: 'http://gateway:4000', masterKeySecretRef: { name: 'gateway', key: 'master-key' } };
      const instances = [{ metadata: { name: 'main' }, spec }];
      const flags = ['--namespace', namespace, '--set-json', `instances=${JSON.stringify(instances)}`];
      const kubectl = (...args: string[]): Promise<string> => plane.kubectl([...args, '--namespace', namespace]);
      const lint = await helm(['lint', CHART, '--strict']);
      expect(lint).to.include('0 chart(s) failed');
      const output = await helm(['install', NAME, CHART, ...flags], plane.kubeconfig);
      expect(output).to.include(`The operator runs in the namespace ${namespace}`);
      expect(await kubectl('get', 'deployment,ginst', '-oname')).to.equal(
        'deployment.apps/gateway-guardrail-operator\ngatewayinstance.gateway.guardrail.dev/main\n',
      );
      await helm(['upgrade', NAME, CHART, '--namespace', namespace, '--set', 'replicas=1'], plane.kubeconfig);
      expect(await kubectl('get', 'deployment', '-ojsonpath={..replicas}')).to.equal('1');
      // The instance is no longer in the list of values, and remains.
      await helm(['uninstall', NAME, '--namespace', namespace], plane.kubeconfig);
      expect(await kubectl('get', 'deployment,sa,ginst', '-oname'))
        .to.include('gatewayinstance')
        .and.not.include(NAME);
      await kubectl('wait', '--for=condition=Established', 'crd/gatewayinstances.gateway.guardrail.dev');
    });
  });
});
