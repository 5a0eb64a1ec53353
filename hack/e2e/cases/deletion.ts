import { expect } from 'chai';
import { cluster } from '../environment.ts';
import { CONFIG, GATEWAY } from '../gatewayApp.ts';
import { GuardedGateway } from '../guardedGateway.ts';
import {
  becomes,
  becomesEqual,
  conditionOf,
  deleteIn,
  get,
  kubectlIn,
  listNames,
  POD_MS,
  rolledOut,
  soon,
  Testbed,
} from '../testbed.ts';

const FORCE = 'gateway.guardrail.dev/force-delete';

describe('deletion', () => {
  describe('one by one', () => {
    let testbed: Testbed;
    const purposes = (['deletion-1', 'deletion-2', 'deletion-3'] as const).values();
    beforeEach(async () => {
      testbed = await Testbed.start(purposes.next().value ?? 'deletion-1', 1);
    });
    afterEach(() => testbed.end());

    const remove = (what: string): Promise<string> => deleteIn(testbed.namespace, what);
    const gone = (kind: string, name: string): Promise<void> =>
      becomesEqual(() => get(kind, name, testbed.namespace), undefined, POD_MS);

    it('of customers first removes records and sessions, then the instance with exactly its owned objects', async () => {
      const before = await listNames(testbed.namespace);
      await testbed.instance({
        guardrail: { mode: 'Deployment', policy: { inline: 'entities: {PERSON: pseudonymize}\n' } },
      });
      await testbed.ready();
      for (const name of ['one', 'two']) {
        await testbed.customer(name, { maxBudget: 3 });
        await testbed.synced(name);
        expect(await testbed.record(name)).not.to.equal(undefined);
      }
      await remove('gcust/one');
      await gone('gcust', 'one');
      expect(await testbed.record('one')).to.equal(undefined);
      expect(await testbed.record('two')).not.to.equal(undefined);
      await remove('gcust/two');
      await gone('gcust', 'two');
      await remove('ginst/main');
      await gone('ginst', 'main');
      await becomesEqual(() => listNames(testbed.namespace), before, POD_MS);
    });

    it('of the instance first waits for its customers, reports it, and completes with the last of them', async () => {
      await testbed.instance({});
      await testbed.customer('one');
      await testbed.synced('one');
      await remove('ginst/main');
      const expected = { type: 'Ready', status: 'False', reason: 'CustomersRemain' };
      const { message } = await becomes('ginst', 'main', testbed.namespace, expected);
      expect(message).to.include('1 GatewayCustomer refers');
      await remove('gcust/one');
      await gone('gcust', 'one');
      expect(await testbed.record('one')).to.equal(undefined);
      await gone('ginst', 'main');
    });

    it('of an instance with mounted objects orphans them, and the gateway continues without a guardrail', async () => {
      const guarded = new GuardedGateway(testbed);
      await guarded.on({});
      await guarded.call('probe-guarded');
      await remove('ginst/main');
      await gone('ginst', 'main');
      await rolledOut(GATEWAY, testbed.namespace);
      await deleteIn(testbed.namespace, 'pods', '-l', `app=${GATEWAY}`);
      await rolledOut(GATEWAY, testbed.namespace);
      expect((await testbed.chat('probe-after: hello')).status).to.equal(200);
      const names = await listNames(testbed.namespace);
      expect(names).to.include.members([`configmap ${CONFIG}`, 'secret main-guardrail-api-key']);
      expect(names).not.to.include('secret main-guardrail-keys');
      const { spec } = (await get('deployment', GATEWAY, testbed.namespace)) ?? {};
      expect(spec).to.deep.equal({
        ...((await testbed.asOwnerWroteIt(guarded.additions)) as object),
        replicas: spec?.replicas,
      });
    });
  });

  // Mocha runs a suite's own tests before nested suites, so the other cases have a suite too.
  describe('at once', () => {
    it('of the namespace removes everything in it; customers without a key wait for the step that they name', async () => {
      const testbed = await Testbed.start('deleted', 1);
      const { namespace } = testbed;
      await new GuardedGateway(testbed).on({});
      await testbed.customer('one', { maxBudget: 1 });
      await testbed.synced('one');
      await cluster().kubectl(['delete', 'namespace', namespace, '--wait=false']);
      const waits = await soon(async () => {
        const customer = await get('gcust', 'one', namespace);
        // It is gone if the operator has come before the deletion of the key.
        if (customer !== undefined) expect(conditionOf(customer, 'Synced')?.message).to.include(FORCE);
        return customer !== undefined;
      }, POD_MS);
      if (waits) await kubectlIn(namespace, 'annotate', 'gcust', '--all', `${FORCE}=true`);
      await becomesEqual(() => get('namespace', namespace), undefined, POD_MS);
    });
  });
});
