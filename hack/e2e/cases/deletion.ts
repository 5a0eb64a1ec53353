import { expect } from 'chai';
import { cluster } from '../environment.ts';
import { CONFIG, GATEWAY } from '../gatewayApp.ts';
import { doomedNamespace } from '../namespaceDeletion.ts';
import { Guarded } from '../guarded.ts';
import { becomes, get, listNames, POD_MS, rolledOut, soon, Stand } from '../testbed.ts';

const KINDS = 'deployment,service,serviceaccount,configmap,secret,pdb,hpa,networkpolicy';

describe('what is deleted', () => {
  before(() => {
    void doomedNamespace();
  });

  describe('one by one', () => {
    let stand: Stand;
    const purposes = (['deletion-1', 'deletion-2', 'deletion-3'] as const).values();
    beforeEach(async () => {
      stand = await Stand.start(purposes.next().value ?? 'deletion-1', 1);
    });
    afterEach(() => stand.end());

    const remove = (what: string): Promise<string> =>
      cluster().kubectl(['delete', what, '-n', stand.namespace, '--wait=false']);
    const gone = (kind: string, name: string): Promise<void> =>
      soon(async () => {
        expect(await get(kind, name, stand.namespace), `${kind} ${name}`).to.equal(undefined);
      }, POD_MS);

    it('customers first: their records and sessions go, then the instance with all that it owned, and nothing else', async () => {
      const before = await listNames(KINDS, stand.namespace);
      await stand.instance({
        guardrail: { mode: 'Deployment', policy: { inline: 'entities: {PERSON: pseudonymize}\n' } },
      });
      await becomes('ginst', 'main', stand.namespace, { type: 'Ready', status: 'True' }, POD_MS);
      for (const name of ['one', 'two']) {
        await stand.customer(name, { maxBudget: 3 });
        await becomes('gcust', name, stand.namespace, { type: 'Synced', status: 'True' });
        expect(await stand.record(name)).not.to.equal(undefined);
      }
      await remove('gcust/one');
      await gone('gcust', 'one');
      expect(await stand.record('one')).to.equal(undefined);
      expect(await stand.record('two')).not.to.equal(undefined);
      await remove('gcust/two');
      await gone('gcust', 'two');
      await remove('ginst/main');
      await gone('ginst', 'main');
      await soon(async () => {
        expect(await listNames(KINDS, stand.namespace)).to.deep.equal(before);
      }, POD_MS);
    });

    it('the instance first: it waits for its customers and says so, and goes with the last of them', async () => {
      await stand.instance({});
      await stand.customer('one');
      await becomes('gcust', 'one', stand.namespace, { type: 'Synced', status: 'True' });
      await remove('ginst/main');
      const wanted = { type: 'Ready', status: 'False', reason: 'CustomersRemain' };
      const { message } = await becomes('ginst', 'main', stand.namespace, wanted);
      expect(message).to.include('1 GatewayCustomer refers');
      await remove('gcust/one');
      await gone('gcust', 'one');
      expect(await stand.record('one')).to.equal(undefined);
      await gone('ginst', 'main');
    });

    it('the instance beside a gateway that mounts what it owned: that stays, and the gateway goes on without a guardrail', async () => {
      const guarded = new Guarded(stand);
      await guarded.on({});
      await guarded.call('probe-guarded');
      await remove('ginst/main');
      await gone('ginst', 'main');
      await rolledOut(GATEWAY, stand.namespace);
      await cluster().kubectl(['delete', 'pods', '-n', stand.namespace, '-l', `app=${GATEWAY}`, '--wait=false']);
      await rolledOut(GATEWAY, stand.namespace);
      expect((await stand.chat('probe-after: hello')).status).to.equal(200);
      const names = await listNames(KINDS, stand.namespace);
      expect(names).to.include.members([`ConfigMap ${CONFIG}`, 'Secret main-guardrail-api-key']);
      expect(names).not.to.include('Secret main-guardrail-keys');
      const { spec } = (await get('deployment', GATEWAY, stand.namespace)) ?? {};
      expect(spec).to.deep.equal({
        ...((await stand.asOwnerWroteIt(guarded.additions)) as object),
        replicas: spec?.replicas,
      });
    });
  });

  // A suite's own tests run before the suites in it, so this has one too.
  describe('at once', () => {
    it('the namespace with everything in it', async () => {
      const namespace = await doomedNamespace();
      await soon(async () => {
        expect(await get('namespace', namespace)).to.equal(undefined);
      }, 7 * 60_000);
    }).timeout(8 * 60_000);
  });
});
