import { expect } from 'chai';
import { cluster } from '../environment.ts';
import { BASE_CONFIG, CONFIG, GATEWAY } from '../gatewayApp.ts';
import { GuardedGateway } from '../guardedGateway.ts';
import { withSidecarAccess } from '../installation.ts';
import { conditionOf, deleteIn, get, podsOf, POD_MS, rolledOut, soon, Testbed, type Resource } from '../testbed.ts';

const SIDECAR = 'gateway-guardrail';

interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
}

/** @returns all containers of a pod. */
function containersOf(pod: Resource | undefined): ContainerStatus[] {
  const of = (field: string): ContainerStatus[] => (pod?.status?.[field] ?? []) as ContainerStatus[];
  return [...of('initContainerStatuses'), ...of('containerStatuses')];
}

describe("a guardrail as a sidecar in the pods of the owner's Deployment", () => {
  let testbed: Testbed;
  let guarded: GuardedGateway;
  before(async () => {
    testbed = await Testbed.start('sidecar');
    guarded = new GuardedGateway(testbed);
  });
  after(() => testbed.end());

  const deployment = async (): Promise<Resource> => {
    const found = await get('deployment', GATEWAY, testbed.namespace);
    if (found === undefined) throw new Error("The gateway's Deployment is missing.");
    return found;
  };

  it('is off at first: the model sees what the client sends', async () => {
    const { status } = await testbed.chat('probe-none: write to none@example.com.');
    expect(status).to.equal(200);
    expect((await testbed.modelSaw('probe-none'))[0]).to.include('none@example.com');
  });

  it('is ready once the owner has added the lines that the conditions name', async () => {
    await guarded.on({});
  });

  it("runs in each pod as one ready container more than the owner's", async () => {
    const pods = await podsOf(GATEWAY, testbed.namespace);
    expect(pods).to.have.length(2);
    for (const pod of pods) {
      const containers = containersOf(pod);
      expect(containers.map(({ name }) => name).sort()).to.deep.equal(['gateway', SIDECAR]);
      expect(containers.every(({ ready }) => ready)).to.equal(true);
    }
  });

  it('guards a call from the client to the model and back, whole and streamed', async () => {
    await guarded.call('probe-whole');
    await guarded.stream('probe-stream');
  });

  it("erases a deleted customer's sessions in every pod, once the operator has access", async () => {
    const mapped = await guarded.mapsFor('forgotten');
    await withSidecarAccess(async (granted) => {
      await guarded.deletes('forgotten');
      await soon(async () => {
        const customer = await get('gcust', 'forgotten', testbed.namespace);
        const { message } = conditionOf(customer, 'Synced') ?? {};
        expect(message).to.include('Add the component operator/manifests/components/sidecar');
      });
      await granted(() => guarded.forgotten('forgotten', mapped));
    });
  });

  it("keeps the owner's configuration in the rendered one", async () => {
    const written = (await get('configmap', CONFIG, testbed.namespace))?.data?.['config.yaml'] ?? '';
    const base = (await get('configmap', BASE_CONFIG, testbed.namespace))?.data?.['config.yaml'] ?? '';
    expect(base).not.to.equal('');
    expect(written.startsWith(base), written).to.equal(true);
  });

  it('stays when the owner applies the manifest repeatedly, and when the owner changes it', async () => {
    const { additions } = guarded;
    const before = await deployment();
    for (let time = 0; time < 5; time++) await testbed.ownerApplies(additions);
    const after = await deployment();
    expect(after.metadata.generation).to.equal(before.metadata.generation);
    expect(after.spec).to.deep.equal(before.spec);
    await testbed.ownerApplies({ ...additions, env: [...(additions.env ?? []), { name: 'OWNERS_OWN', value: 'yes' }] });
    await rolledOut(GATEWAY, testbed.namespace);
    const pods = await podsOf(GATEWAY, testbed.namespace);
    expect(pods.map((pod) => containersOf(pod).length)).to.deep.equal([2, 2]);
    await guarded.call('probe-changed');
    await testbed.ownerApplies(additions);
    await rolledOut(GATEWAY, testbed.namespace);
  });

  it('has its key rotated under load without a call that fails', async () => {
    await guarded.rotateKeyUnderLoad();
  });

  it('restarts when it is killed, while the gateway keeps running', async () => {
    const [pod] = await podsOf(GATEWAY, testbed.namespace);
    const name = pod?.metadata.name ?? '';
    const of = (containers: ContainerStatus[], container: string): ContainerStatus | undefined =>
      containers.find((each) => each.name === container);
    const before = of(containersOf(pod), SIDECAR)?.restartCount ?? 0;
    await cluster().killContainer({ namespace: testbed.namespace, pod: name, container: SIDECAR });
    await soon(async () => {
      const after = containersOf(await get('pod', name, testbed.namespace));
      expect(of(after, SIDECAR)).to.include({ restartCount: before + 1, ready: true });
      expect(of(after, 'gateway')).to.include({ restartCount: 0, ready: true });
    }, POD_MS);
    for (const mark of ['probe-back-a', 'probe-back-b', 'probe-back-c', 'probe-back-d']) await guarded.call(mark);
    await guarded.ready();
  });

  it('is switched off: one container fewer, calls succeed, and new pods start', async () => {
    await guarded.off();
    const pods = await podsOf(GATEWAY, testbed.namespace);
    expect(pods.map((pod) => containersOf(pod).map(({ name }) => name))).to.deep.equal([['gateway'], ['gateway']]);
    await deleteIn(testbed.namespace, 'pods', '-l', `app=${GATEWAY}`);
    await rolledOut(GATEWAY, testbed.namespace);
  });

  it("restores the owner's Deployment exactly, once the instance no longer names it", async () => {
    await guarded.patch({ workloadRef: null });
    const expected = await testbed.asOwnerWroteIt(guarded.additions);
    await soon(async () => {
      const { spec, metadata } = await deployment();
      expect(spec).to.deep.equal(expected);
      expect(metadata.labels).to.deep.equal({ app: GATEWAY });
    });
  });
});
