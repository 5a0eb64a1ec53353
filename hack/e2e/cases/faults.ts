import { expect } from 'chai';
import { NODE_NAME } from '../addresses.ts';
import { cluster, ownsNode } from '../environment.ts';
import { CLIENT, GATEWAY } from '../gatewayApp.ts';
import { GuardedGateway } from '../guardedGateway.ts';
import { leader, OPERATOR_NAMESPACE, operatorAvailable, operatorPods } from '../installation.ts';
import { othersEnded } from '../sideBySide.ts';
import { conditionOf, get, killPods, podsOf, POD_MS, soon, Testbed } from '../testbed.ts';

describe('a fault', () => {
  let testbed: Testbed;
  let guarded: GuardedGateway;
  before(async () => {
    testbed = await Testbed.start('faults');
    guarded = new GuardedGateway(testbed);
    await guarded.on({ mode: 'Deployment' });
    await testbed.customer('before', { maxBudget: 1 });
    await testbed.synced('before');
    await othersEnded('faults');
  });
  after(() => testbed.end());

  it('of the leader: the other pod takes over within seconds and completes pending work', async () => {
    const killed = await leader();
    const names = Array.from({ length: 20 }, (_, index) => `during-${index}`);
    await killPods(OPERATOR_NAMESPACE, killed);
    await testbed.customers(names, { maxBudget: 2 });
    for (const name of names) {
      await testbed.synced(name, POD_MS);
      expect(await testbed.record(name), name).to.include({ user_id: `${testbed.namespace}-${name}` });
    }
    expect(await leader()).not.to.equal(killed);
    await operatorAvailable();
    expect(await operatorPods()).to.have.length(2);
  });

  it('of the whole operator: calls stay guarded, and no work is repeated', async () => {
    const before = await get('gcust', 'before', testbed.namespace);
    await testbed.underLoad(async () => {
      await killPods(OPERATOR_NAMESPACE, '--all');
      await operatorAvailable();
      await leader();
      await testbed.customer('afterwards');
      await testbed.synced('afterwards', POD_MS);
    });
    expect((await get('gcust', 'before', testbed.namespace))?.status).to.deep.equal(before?.status);
  });

  const kubelet = "of the node's kubelet: the pods keep running, and nothing changes";
  const kubeletRestarts = async (): Promise<void> => {
    const started = async (): Promise<unknown[]> =>
      [...(await podsOf(GATEWAY, testbed.namespace)), await get('pod', CLIENT, testbed.namespace)].map((pod) =>
        [pod?.status?.initContainerStatuses, pod?.status?.containerStatuses].map((statuses) =>
          ((statuses ?? []) as { containerID: string; restartCount: number }[]).map(
            ({ containerID, restartCount }) => `${containerID} ${restartCount}`,
          ),
        ),
      );
    const renewed = async (): Promise<number> => {
      const lease = await get('lease', NODE_NAME, 'kube-node-lease');
      return Date.parse(String(lease?.spec?.renewTime));
    };
    const before = await started();
    await testbed.underLoad(async () => {
      const lastRenewal = await renewed();
      await cluster().restartKubelet();
      await soon(async () => {
        // The node reports Ready for a while, whether or not its kubelet runs.
        expect(await renewed()).to.be.greaterThan(lastRenewal);
        await cluster().kubectl(['exec', '-n', testbed.namespace, CLIENT, '--', 'node', '--version']);
        expect(conditionOf(await get('node', NODE_NAME), 'Ready')).to.include({ status: 'True' });
      }, POD_MS);
    });
    await guarded.call('probe-kubelet');
    expect(await started()).to.deep.equal(before);
    await guarded.ready();
  };
  if (ownsNode) it(kubelet, kubeletRestarts);
});
