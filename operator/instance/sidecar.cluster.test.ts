/** A guardrail that runs as a sidecar in the pods of the gateway, by the operator's part of their Deployment. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { gatewayManifest } from './testing/gatewayManifest.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { failure, Testbed } from './testing/harness.ts';

const guardrail = 'main-guardrail';

describe('an instance that runs a guardrail as a sidecar', function () {
  this.timeout(90_000);
  const plane = withControlPlane();
  let testbed: Testbed;

  before(() => installCrds(plane()));
  beforeEach(async () => {
    testbed = await Testbed.start(plane());
  });
  afterEach(() => testbed.stop());

  const sidecar: Partial<GatewayInstanceSpec> = { workloadRef: { name: 'litellm' }, guardrail: { port: 9090 } };

  async function initContainersOf(): Promise<string[]> {
    const { spec } = await testbed.deployment('litellm');
    return (spec?.template.spec?.initContainers ?? []).map(({ name }) => name);
  }

  /** The fields of a Deployment that a user wrote, without those of the server and of controllers. */
  async function written(): Promise<object> {
    const { metadata, spec } = await testbed.deployment('litellm');
    return { labels: metadata?.labels, annotations: metadata?.annotations, spec };
  }

  it("in the gateway's pods, only by the operator's part of their Deployment", async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut('litellm');
    await testbed.until('GuardrailReady', 'Ready');
    await testbed.until('ProxyConfigured', 'Configured');
    const { spec, metadata } = await testbed.deployment('litellm');
    const [container] = spec?.template.spec?.initContainers ?? [];
    expect(container).to.include({ name: 'gateway-guardrail', restartPolicy: 'Always' });
    expect(container?.env?.find(({ name }) => name === 'GUARDRAIL_HOST')?.value).to.equal('127.0.0.1');
    expect(container?.livenessProbe?.exec?.command?.join(' ')).to.include('http://127.0.0.1:9090/healthz');
    expect((await testbed.read()).status?.guardrail).to.include({
      mode: 'Sidecar',
      endpoint: 'http://127.0.0.1:9090',
    });
    const ours = (metadata?.managedFields ?? []).find(({ manager }) => manager === 'gateway-guardrail-operator');
    expect(JSON.stringify(ours?.fieldsV1)).to.not.include('f:containers');
  });

  it('and reports the exact lines that its owner has to add', async () => {
    await testbed.apply(gatewayManifest());
    await testbed.instance(sidecar);
    const condition = await testbed.until('ProxyConfigured', 'KeyNotMounted');
    expect(condition.message).to.include(
      `to env of its container in Deployment litellm: {name: GUARDRAIL_API_KEY, valueFrom: {secretKeyRef: {name: ${guardrail}-api-key, key: api-key}}}`,
    );
  });

  it("which survives its owner's applies, and is removed completely", async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    const before = await written();
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.apply(gatewayManifest({ hasKey: true }));
    expect(await initContainersOf()).to.deep.equal(['gateway-guardrail']);
    await testbed.patch({ spec: { guardrail: null, workloadRef: { name: 'litellm' } } });
    await testbed.until('GuardrailReady', 'NotRequested');
    expect(await written()).to.deep.equal(before);
  });

  it('which is removed completely together with its instance', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    const before = await written();
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.remove();
    await testbed.untilGone();
    expect(await written()).to.deep.equal(before);
  });

  for (const [when, during] of [
    ['while the operator runs', (act: () => Promise<void>): Promise<void> => act()],
    ['while no operator runs', (act: () => Promise<void>): Promise<void> => testbed.restart(act)],
  ] as const) {
    it(`which is removed when its instance is deleted without finalization, ${when}`, async () => {
      await testbed.apply(gatewayManifest({ hasKey: true }));
      const before = await written();
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await during(() => testbed.vanish());
      await eventually(async () => {
        expect(await written()).to.deep.equal(before);
      });
    });
  }

  it('whose removal is rejected: the deletion of its instance waits, reports it, and can be forced', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.forbidChanges('litellm');
    await testbed.remove();
    const { message } = await testbed.until('Ready', 'Deleting');
    expect(message).to.include('Changes are not allowed.').and.include(annotations.forceDelete);
    await testbed.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
    await testbed.untilGone();
  });

  it('and moves to another Deployment when the spec names that one', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    const before = await written();
    await testbed.apply(gatewayManifest({ name: 'other', hasKey: true }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.patch({ spec: { workloadRef: { name: 'other' } } });
    await eventually(async () => {
      expect(await written()).to.deep.equal(before);
      const { spec } = await testbed.deployment('other');
      expect(spec?.template.spec?.initContainers).to.have.length(1);
    });
  });

  it('and stays in a Deployment that the spec no longer names until the new guardrail runs', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    const before = await written();
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut('litellm');
    await testbed.until('GuardrailReady', 'Ready');
    await testbed.patch({ spec: { workloadRef: null } });
    await testbed.until('GuardrailReady', 'RollingOut');
    expect(await initContainersOf()).to.deep.equal(['gateway-guardrail']);
    await testbed.rollOut(guardrail);
    await testbed.until('GuardrailReady', 'Ready');
    await eventually(async () => {
      expect(await written()).to.deep.equal(before);
    });
  });

  it('whose key stays while the gateway mounts it', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut('litellm');
    await testbed.until('GuardrailReady', 'Ready');
    await testbed.patch({ spec: { guardrail: null } });
    await testbed.until('GuardrailReady', 'NotRequested');
    await testbed.rollOut('litellm');
    await eventually(async () => {
      // Without a garbage collector, an emptied Secret remains.
      expect(await testbed.readSecret(`${guardrail}-keys`)).to.deep.equal({});
    });
    expect(await testbed.readSecret(`${guardrail}-api-key`)).to.have.property('api-key');
    await testbed.apply(gatewayManifest());
    await testbed.rollOut('litellm');
    await testbed.look();
    await eventually(async () => {
      expect(await testbed.readSecret(`${guardrail}-api-key`)).to.deep.equal({});
    });
  });

  for (const mounted of [true, false]) {
    it(`and orphans only what the gateway mounts when its instance is deleted: it ${mounted ? 'mounts all' : 'mounts nothing'}`, async () => {
      await testbed.apply(gatewayManifest({ hasKey: mounted, hasConfig: mounted }));
      const base = '# mine\nmodel_list: []\n';
      const proxyConfig = { base: { inline: base }, configMapName: 'litellm-config' };
      await testbed.instance({ ...sidecar, proxyConfig });
      await testbed.until('GuardrailReady', 'RollingOut');
      /** The owners of all objects but the list of who may call, which another controller writes. */
      const uids = async (): Promise<string[]> => {
        const objects = JSON.parse(
          await plane().kubectl(['get', 'cm,secret', '-n', testbed.namespace, '-o', 'json']),
        ) as { items: { metadata: { name: string; ownerReferences?: { uid: string }[] } }[] };
        return objects.items
          .filter(({ metadata: { name } }) => !name.startsWith(`${guardrail}-customers-`))
          .flatMap(({ metadata: { ownerReferences = [] } }) => ownerReferences.map(({ uid }) => uid));
      };
      const { metadata } = await testbed.read();
      await testbed.remove();
      await testbed.untilGone();
      // No garbage collector runs here. Objects that still have the owner reference would be deleted.
      const mine = (await uids()).filter((uid) => uid === metadata.uid);
      const map = await testbed.core.readNamespacedConfigMap({
        name: 'litellm-config',
        namespace: testbed.namespace,
      });
      expect(mine).to.have.length(mounted ? 1 : 3);
      if (!mounted) return;
      expect(map.data).to.deep.equal({ 'config.yaml': base });
      const { 'api-key': key } = await testbed.readSecret(`${guardrail}-api-key`);
      await testbed.instance({ ...sidecar, proxyConfig });
      await testbed.until('GuardrailReady', 'RollingOut');
      await eventually(async () => {
        expect((await uids()).filter((uid) => uid !== metadata.uid)).to.have.length(3);
      });
      expect(await testbed.readSecret(`${guardrail}-api-key`), 'the same key').to.include({ 'api-key': key });
    });
  }

  it('and adds it again when it is removed, but not endlessly', async () => {
    const initContainers = [{ name: 'migrate', image: 'migrate:1' }];
    await testbed.apply(gatewayManifest({ hasKey: true, initContainers }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    const isContested = async (): Promise<boolean> =>
      (await testbed.read()).status?.conditions?.some(({ reason }) => reason === 'SidecarContested') ?? false;
    let times = 0;
    for (let ended = false; !ended; times += 1) {
      // As kubectl replace does: only the contents of the file.
      await testbed.replace(gatewayManifest({ hasKey: true, initContainers }));
      ended = await eventually(async () => {
        if (await isContested()) return true;
        expect(await initContainersOf()).to.include('gateway-guardrail');
        return false;
      });
    }
    // A removal while the operator writes is not seen, and does not count.
    expect(times).to.be.within(3, 8);
    const condition = await testbed.until('GuardrailReady', 'SidecarContested');
    expect(condition.message).to.include('keep init containers that it does not own');
    await testbed.look();
    await testbed.customer('one');
    await eventually(async () => {
      expect((await testbed.read()).status?.customers?.total).to.equal(1);
    });
    expect(await initContainersOf()).to.deep.equal(['migrate']);
    // A change of the spec is a new attempt.
    await testbed.patch({ spec: { guardrail: { recall: 'Precise' } } });
    await eventually(async () => {
      expect(await initContainersOf()).to.include('gateway-guardrail');
    });
  });

  it('and waits for a Deployment that does not exist yet', async () => {
    await testbed.instance(sidecar);
    const condition = await testbed.until('GuardrailReady', 'WorkloadNotFound');
    expect(condition.message).to.include('Deployment litellm does not exist in namespace');
    await testbed.until('ProxyConfigured', 'WorkloadNotFound');
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.until('GuardrailReady', 'RollingOut');
  });

  it('but not if an older instance already manages the Deployment', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.instance(sidecar, 'second');
    const condition = await testbed.until('GuardrailReady', 'WorkloadTaken', 'second');
    expect(condition.message).to.include('GatewayInstance main already manages Deployment litellm');
  });

  it('then as a Deployment, without a gap in between', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut('litellm');
    await testbed.until('GuardrailReady', 'Ready');
    await testbed.patch({ spec: { guardrail: { mode: 'Deployment' } } });
    await testbed.until('GuardrailReady', 'RollingOut');
    expect(await initContainersOf(), 'the new one does not run yet').to.deep.equal(['gateway-guardrail']);
    await testbed.rollOut(guardrail);
    await testbed.until('GuardrailReady', 'Ready');
    await eventually(async () => {
      expect(await initContainersOf()).to.deep.equal([]);
    });
    expect((await testbed.read()).status?.guardrail).to.include({ mode: 'Deployment' });

    await testbed.patch({ spec: { guardrail: { mode: 'Sidecar' } } });
    await testbed.until('GuardrailReady', 'RollingOut');
    expect(await initContainersOf()).to.deep.equal(['gateway-guardrail']);
    await testbed.deployment(guardrail);
    await testbed.rollOut('litellm');
    await testbed.until('GuardrailReady', 'Ready');
    await eventually(async () => {
      expect(await failure(testbed.deployment(guardrail))).to.include('404');
    });
  });

  it('whose API key rotates with the rollout of the gateway, without a failed call', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await testbed.instance(sidecar);
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut('litellm');
    await testbed.until('GuardrailReady', 'Ready');
    const before = await testbed.readSecret(`${guardrail}-api-key`);
    await testbed.patch({ metadata: { annotations: { [annotations.rotateApiKey]: 'one' } } });
    const during = await eventually(async () => {
      const secret = await testbed.readSecret(`${guardrail}-api-key`);
      expect(secret['api-key']).to.not.equal(before['api-key']);
      return secret;
    });
    expect(during['api-keys'])
      .to.include(`:${before['api-key'] ?? ''}`)
      .and.to.include(`:${during['api-key'] ?? ''}`);
    await testbed.until('GuardrailReady', 'RollingOut');
    expect((await testbed.read()).status?.guardrail?.lastHandledApiKeyRotation).to.equal('one');
    await testbed.rollOut('litellm');
    await testbed.until('GuardrailReady', 'Ready');
    expect((await testbed.readSecret(`${guardrail}-api-key`))['api-keys']).to.include(before['api-key']);
    await eventually(async () => {
      // The grace period begins with the reconcile that sees the end of the rollout, which may be later than this test.
      testbed.advance(60_000);
      await testbed.look();
      const { 'api-keys': keys } = await testbed.readSecret(`${guardrail}-api-key`);
      expect(keys).to.not.include(before['api-key']);
    });
    expect((await testbed.readSecret(`${guardrail}-api-key`))['api-key']).to.equal(during['api-key']);
  });
});
