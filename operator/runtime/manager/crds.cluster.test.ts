import { expect } from 'chai';
import { RestClient } from '../client/client.ts';
import { systemClock } from '../clock.ts';
import { CrdError, customResourceDefinitions, ensureCrd, readCrd, type Crd, type CrdManifest } from './crds.ts';
import { isNotFound } from '../client/errors.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { eventually } from '../testing/eventually.ts';
import {
  REVISION_ANNOTATION,
  transportOptions,
  silentLog,
  uninstall,
  widget,
  widgetCrd,
  widgetKind,
} from '../testing/widgets.ts';
import { Transport } from '../client/transport.ts';

const KIND = 'Gizmo';

describe('ensureCrd', function () {
  this.timeout(60_000);
  const cluster = withTestCluster();
  const ensure = (crd: CrdManifest, options: { client?: RestClient; install?: boolean } = {}): Promise<void> =>
    ensureCrd(crd, {
      client: options.client ?? cluster().client,
      clock: systemClock,
      log: silentLog,
      revisionAnnotation: REVISION_ANNOTATION,
      install: options.install ?? true,
    });
  const there = (): Promise<Crd> =>
    cluster().direct.get(customResourceDefinitions, { namespace: '', name: widgetCrd(KIND).metadata.name });
  const sentence = async (work: Promise<void>): Promise<string> => {
    const error: unknown = await work.catch((reason: unknown) => reason);
    if (!(error instanceof CrdError)) throw new Error('Expected a CrdError.', { cause: error });
    return error.message;
  };

  afterEach(async () => {
    await uninstall(cluster().direct, widgetCrd(KIND));
    await eventually(async () => {
      expect(isNotFound(await there().catch((error: unknown) => error))).to.equal(true);
    });
  });

  it('returns when the kind is served', async () => {
    await ensure(widgetCrd(KIND));
    expect(await cluster().direct.list(widgetKind(KIND), { namespace: cluster().namespace })).to.deep.equal([]);
  });

  it('updates an older definition, and writes nothing when it is up to date', async () => {
    await cluster().direct.create(customResourceDefinitions, widgetCrd(KIND, 1));
    await ensure(widgetCrd(KIND, 2));
    const after = await there();
    expect(after.metadata.annotations).to.include({ [REVISION_ANNOTATION]: '2' });
    await ensure(widgetCrd(KIND, 2));
    expect((await there()).metadata.resourceVersion).to.equal(after.metadata.resourceVersion);
  });

  it('waits until a deletion is complete, and then creates the definition', async () => {
    await ensure(widgetCrd(KIND));
    const crd = { namespace: '', name: widgetCrd(KIND).metadata.name };
    const kind = widgetKind(KIND);
    await cluster().direct.create(kind, widget(cluster().namespace, 'a'));
    const { metadata } = await there();
    const finalizers = [...(metadata.finalizers ?? []), 'example.com/holds'];
    await cluster().direct.patch(customResourceDefinitions, crd, { metadata: { finalizers } });
    await uninstall(cluster().direct, widgetCrd(KIND));
    const before = cluster().proxy.requests.length;
    const ensured = ensure(widgetCrd(KIND));
    await eventually(() => {
      expect(cluster().proxy.requests.length, 'it looks again').to.be.above(before + 1);
    });
    await eventually(async () => {
      expect((await there()).metadata.finalizers).to.deep.equal(['example.com/holds']);
    });
    await cluster().direct.patch(customResourceDefinitions, crd, { metadata: { finalizers: null } });
    await ensured;
    expect((await there()).metadata.uid).to.not.equal(metadata.uid);
    expect(await cluster().direct.list(kind, { namespace: cluster().namespace })).to.deep.equal([]);
  });

  it('never replaces a newer definition', async () => {
    await ensure(widgetCrd(KIND, 3));
    await ensure(widgetCrd(KIND, 2));
    expect((await there()).metadata.annotations).to.include({ [REVISION_ANNOTATION]: '3' });
  });

  it('reports a newer definition that does not serve a required version', async () => {
    const newer = JSON.parse(
      JSON.stringify(widgetCrd(KIND, 3)).replaceAll('"name":"v1"', '"name":"v2"'),
    ) as CrdManifest;
    await ensure(newer);
    expect(await sentence(ensure(widgetCrd(KIND, 2)))).to.match(
      /does not serve v1, which this operator requires: apply/,
    );
  });

  it('reports a conflict of names with another definition', async () => {
    await ensure(widgetCrd(KIND));
    const other = JSON.parse(JSON.stringify(widgetCrd('Other')).replaceAll('"Other"', `"${KIND}"`)) as CrdManifest;
    try {
      expect(await sentence(ensure(other))).to.match(/conflict with another definition: .*Gizmo/);
    } finally {
      await uninstall(cluster().direct, other);
    }
  });

  describe('without the permission to install', () => {
    let limited: RestClient;
    let transport: Transport;

    beforeEach(async () => {
      const user = `limited-${cluster().namespace}`;
      await cluster().plane.kubectl(['apply', '-f', '-'], JSON.stringify(readOnly(user)));
      transport = new Transport(cluster().plane.kubeConfig(user), transportOptions());
      limited = new RestClient(transport);
    });
    afterEach(() => transport.close());

    it('accepts a definition of the same or a newer revision', async () => {
      await ensure(widgetCrd(KIND, 2));
      await ensure(widgetCrd(KIND, 2), { client: limited });
      await ensure(widgetCrd(KIND, 1), { client: limited });
    });

    it('reports a missing definition', async () => {
      expect(await sentence(ensure(widgetCrd(KIND), { client: limited }))).to.equal(
        'The CustomResourceDefinition gizmos.test.guardrail.dev is missing: apply the crds folder of this release as a cluster admin, or permit the operator to install CRDs.',
      );
    });

    it('reports an outdated definition', async () => {
      await ensure(widgetCrd(KIND, 1));
      expect(await sentence(ensure(widgetCrd(KIND, 2), { client: limited }))).to.match(
        /has revision 1, but this operator requires 2: apply/,
      );
    });
  });

  it('only verifies when installation is turned off', async () => {
    expect(await sentence(ensure(widgetCrd(KIND), { install: false }))).to.match(/is missing/);
  });

  it('rejects files without a definition', async () => {
    const error: unknown = await readCrd(new URL('../../../package.json', import.meta.url).pathname).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(CrdError);
  });
});

function readOnly(user: string): object {
  const metadata = { name: `crd-reader-${user}` };
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: `${apiGroup}/v1`,
        kind: 'ClusterRole',
        metadata,
        rules: [{ apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] }],
      },
      {
        apiVersion: `${apiGroup}/v1`,
        kind: 'ClusterRoleBinding',
        metadata,
        roleRef: { apiGroup, kind: 'ClusterRole', name: metadata.name },
        subjects: [{ apiGroup, kind: 'User', name: user }],
      },
    ],
  };
}
