import { expect } from 'chai';
import { cluster } from '../environment.ts';
import { GATEWAY } from '../gatewayApp.ts';
import { GuardedGateway } from '../guardedGateway.ts';
import { withSidecarAccess } from '../installation.ts';
import { installRedis, redisHasWritten, redisKeys } from '../redis.ts';
import {
  apply,
  becomes,
  becomesEqual,
  get,
  killPods,
  listNames,
  POD_MS,
  portFrom,
  resourceIn,
  rolledOut,
  soon,
  startStranger,
  Testbed,
} from '../testbed.ts';

const GUARDRAIL = 'main-guardrail';

describe('a guardrail as a Deployment, with the Redis of the component', () => {
  let testbed: Testbed;
  let guarded: GuardedGateway;
  let without: string[];
  before(async () => {
    testbed = await Testbed.start('deployment');
    await installRedis(testbed.namespace);
    guarded = new GuardedGateway(testbed);
  });
  after(() => testbed.end());

  it('runs as two pods that the gateway calls', async () => {
    without = await listNames(testbed.namespace);
    await guarded.on({
      mode: 'Deployment',
      redis: { urlSecretRef: { name: 'guardrail-redis', key: 'url' } },
      policy: { inline: 'entities:\n  PERSON: pseudonymize\n' },
    });
    const deployment = await get('deployment', GUARDRAIL, testbed.namespace);
    expect(deployment?.status).to.include({ replicas: 2, availableReplicas: 2 });
    await guarded.call('probe-on');
  });

  it('admits the namespaces that the instance names; Redis admits its own namespace only', async () => {
    const { namespace } = testbed;
    const stranger = await startStranger();
    const ports = (from: string): Promise<string[]> => {
      const host = (name: string): string => `${name}.${namespace}.svc.cluster.local`;
      return Promise.all([portFrom(from, host(GUARDRAIL), 8080), portFrom(from, host('guardrail-redis'), 6379)]);
    };
    expect(await ports(namespace)).to.deep.equal(['open', 'open']);
    expect(await ports(stranger)).to.deep.equal(['closed', 'closed']);
    await guarded.patch({ guardrail: { networkPolicy: { fromNamespaces: [stranger] } } });
    await becomesEqual(() => ports(stranger), ['open', 'closed']);
  });

  it('reports when both pods have a changed policy', async () => {
    const policy = { inline: 'entities:\n  PERSON: pseudonymize\n  COORDINATE: ignore\n' };
    const has = async (other: unknown): Promise<unknown> => {
      const { guardrail, policy: loaded } = (await get('ginst', 'main', testbed.namespace))?.status ?? {};
      const { revision } = (loaded ?? {}) as { revision?: string };
      expect(revision).to.be.a('string').and.not.equal(other);
      expect(guardrail).to.include({ policyRevision: revision });
      return revision;
    };
    const before = await soon(() => has(undefined), 2 * POD_MS);
    await guarded.patch({ guardrail: { policy } });
    // A kubelet needs up to two minutes, and the operator asks less and less often.
    await soon(() => has(before), 3 * POD_MS);
  });

  it('keeps every mapping when both its pods are killed', async () => {
    const before = await redisKeys(testbed.namespace);
    expect(before).not.to.deep.equal([]);
    await killPods(testbed.namespace, '-l', 'app.kubernetes.io/instance=main,app.kubernetes.io/name=guardrail');
    await rolledOut(GUARDRAIL, testbed.namespace);
    expect(await redisKeys(testbed.namespace)).to.include.members(before);
    // The Deployment still counts the killed pods for a moment, and the node learns of the new ones after they are ready.
    await soon(() => guarded.call('probe-anew-a'), POD_MS);
    for (const mark of ['probe-anew-b', 'probe-anew-c']) await guarded.call(mark);
  });

  it('has its key rotated under load without a call that fails', async () => {
    await guarded.rotateKeyUnderLoad();
  });

  it('keeps every mapping when Redis is killed', async () => {
    const before = await redisKeys(testbed.namespace);
    await redisHasWritten(testbed.namespace);
    await cluster().killContainer({ namespace: testbed.namespace, pod: 'guardrail-redis-0', container: 'redis' });
    await soon(() => guarded.call('probe-redis'), POD_MS);
    expect(await redisKeys(testbed.namespace)).to.include.members(before);
  });

  it('refuses the calls of a blocked customer before the model, and of nobody else', async () => {
    const { namespace } = testbed;
    const asks = (user: string, mark: string): ReturnType<Testbed['chat']> =>
      testbed.chat(`${mark}: hello`, { user: `${namespace}-${user}` });
    await testbed.customer('blocked', { blocked: true });
    await testbed.customer('paying');
    await soon(async () => {
      expect((await get('gcust', 'blocked', namespace))?.status).to.have.property('enforcedAt');
    }, 2 * POD_MS);
    await becomes('gcust', 'blocked', namespace, { type: 'FullyApplied', status: 'True' });
    for (const mark of ['refused-a', 'refused-b', 'refused-c']) {
      const { status, text } = await asks('blocked', mark);
      expect(text).to.include('This customer is blocked.');
      expect(status).to.be.within(400, 499);
      expect((await testbed.modelLog()).filter((line) => line.includes(mark))).to.deep.equal([]);
    }
    expect(await asks('paying', 'paying-customer')).to.include({ status: 200 });
    await testbed.customer('blocked', { blocked: false });
    await soon(async () => {
      expect(await asks('blocked', 'unblocked')).to.include({ status: 200 });
    }, 2 * POD_MS);
  });

  it('applies the policies of two customers to the same prompt, and its own to that of a third one', async () => {
    const { namespace } = testbed;
    await apply([
      resourceIn(namespace, 'GuardrailPolicy', 'blocking', { entities: { EMAIL_ADDRESS: { action: 'Block' } } }),
      resourceIn(namespace, 'GuardrailPolicy', 'hiding', { deny: [{ value: 'Blueprint', type: 'PROJECT' }] }),
    ]);
    for (const name of ['blocking', 'hiding']) await testbed.customer(name, { guardrailPolicyRef: { name } });
    await testbed.customer('third');
    for (const name of ['blocking', 'hiding']) {
      await soon(async () => {
        expect((await get('gcust', name, namespace))?.status).to.have.property('guardrailPolicy');
      }, 2 * POD_MS);
      await becomes('gpol', name, namespace, { type: 'Ready', status: 'True' }, 2 * POD_MS);
    }
    /** What the model receives of a prompt; undefined: it is not called. */
    const received = async (user: string): Promise<string | undefined> => {
      const mark = `prompt-${user}`;
      await testbed.chat(`${mark}: Blueprint, anna.schmidt@example.org`, { user: `${namespace}-${user}` });
      return (await testbed.modelLog()).find((line) => line.includes(mark));
    };
    expect(await received('blocking')).to.equal(undefined);
    expect(await received('hiding')).to.match(/<PROJECT_\w+>, <EMAIL_ADDRESS_\w+>/);
    expect(await received('third')).to.match(/Blueprint, <EMAIL_ADDRESS_\w+>/);
  });

  it('becomes a sidecar and a Deployment again, with calls guarded throughout', async () => {
    await withSidecarAccess((granted) =>
      testbed.underLoad(() =>
        granted(async () => {
          for (const mode of ['Sidecar', 'Deployment'] as const) {
            await guarded.patch({ guardrail: { mode } });
            await testbed.ready();
            await soon(async () => {
              const status = (await get('ginst', 'main', testbed.namespace))?.status;
              expect((status?.guardrail as { mode?: string } | undefined)?.mode).to.equal(mode);
            });
            await rolledOut(GATEWAY, testbed.namespace);
            // Of sidecars with a shared store, the operator asks one; of a Deployment, any pod.
            await guarded.forgets(`forgotten-by-${mode.toLowerCase()}`);
          }
        }),
      ),
    );
  });

  it("is switched off: its objects are deleted, and the owner's Deployment is as before", async () => {
    await guarded.off();
    await guarded.ownerTakesLinesOut();
    // The instance still writes the gateway's configuration.
    const names = async (): Promise<string[]> =>
      (await listNames(testbed.namespace)).filter((name) => name !== 'configmap gateway-config');
    await becomesEqual(names, without, 2 * POD_MS);
  });
});
