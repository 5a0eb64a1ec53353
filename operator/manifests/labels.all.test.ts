/** The labels of everything that is installed. */
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { buildKustomization } from '../../hack/harness/kustomize.ts';
import packageJson from '../../package.json' with { type: 'json' };

interface Labelled {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
}

interface Manifest extends Labelled {
  readonly kind: string;
  readonly spec?: {
    readonly selector?: Readonly<Record<string, unknown>> & { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: Labelled;
  };
}

const PREFIX = 'app.kubernetes.io/';
const COMPONENTS = 'operator/manifests/components';
const OPERATOR = 'gateway-guardrail-operator';

/** The recommended labels of Kubernetes, by their names without the prefix. */
function recommended({ metadata }: Labelled): Record<string, string> {
  const entries = Object.entries(metadata?.labels ?? {}).filter(([label]) => label.startsWith(PREFIX));
  return Object.fromEntries(entries.map(([label, value]) => [label.slice(PREFIX.length), value]));
}

async function build(resources: readonly string[], components: readonly string[] = []): Promise<Manifest[]> {
  const text = await buildKustomization({ resources, components });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

describe('the labels of the installation', function () {
  this.timeout(60_000);
  const every = { version: packageJson.version, 'part-of': 'gateway-guardrail', 'managed-by': 'kustomize' };
  const operator = { ...every, name: OPERATOR, instance: OPERATOR, component: 'operator' };
  const redis = { ...every, name: 'guardrail-redis', instance: 'guardrail-redis', component: 'mapping-store' };

  for (const [what, resources, components, expected] of [
    ['the operator', ['.'], [], operator],
    ['the component sidecar', ['.'], ['sidecar'], operator],
    ['the component cluster-wide', ['.'], ['cluster-wide'], operator],
    ['the component prometheus', [], ['prometheus'], { ...operator, component: 'monitoring' }],
    ['the component redis', [], ['redis'], redis],
    ['the CRDs', ['crds'], [], { ...operator, component: 'crd', 'managed-by': OPERATOR }],
  ] as const) {
    it(`of ${what} are all that Kubernetes recommends, on each object and on its pods`, async () => {
      const manifests = await build(
        resources,
        components.map((name) => `${COMPONENTS}/${name}`),
      );
      expect(manifests.length).to.be.above(2);
      for (const manifest of manifests) {
        const name = `${manifest.kind} ${manifest.metadata?.name ?? ''}`;
        expect(recommended(manifest), name).to.deep.equal(expected);
        const pods = manifest.spec?.template;
        if (pods === undefined) continue;
        const { version, ...unversioned } = expected;
        // A new version restarts the operator, which has a new image then, and never Redis.
        expect(recommended(pods), name).to.deep.equal(expected === redis ? unversioned : { ...unversioned, version });
      }
    });
  }

  it('leave the selectors as they are, which Kubernetes does not allow to change', async () => {
    const manifests = await build(['.'], [`${COMPONENTS}/redis`]);
    const found = manifests.flatMap(({ kind, metadata, spec }) => {
      const selector = spec?.selector?.matchLabels ?? spec?.selector;
      return selector === undefined ? [] : [[`${kind} ${metadata?.name ?? ''}`, selector]];
    });
    const ofOperator = { 'app.kubernetes.io/name': OPERATOR, 'app.kubernetes.io/component': 'operator' };
    const ofRedis = { 'app.kubernetes.io/name': 'guardrail-redis' };
    expect(Object.fromEntries(found)).to.deep.equal({
      [`Deployment ${OPERATOR}`]: ofOperator,
      [`PodDisruptionBudget ${OPERATOR}`]: ofOperator,
      [`Service ${OPERATOR}-metrics`]: ofOperator,
      'StatefulSet guardrail-redis': ofRedis,
      'Service guardrail-redis': ofRedis,
    });
  });
});
