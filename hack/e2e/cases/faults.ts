import { expect } from 'chai';
import { NODE_NAME } from '../addresses.ts';
import { cluster, ownsNode } from '../environment.ts';
import { CLIENT, GATEWAY } from '../gatewayApp.ts';
import { GuardedGateway } from '../guardedGateway.ts';
import { leader, OPERATOR_NAMESPACE, operatorAvailable, operatorPods } from '../installation.ts';
import { othersEnded } from '../sideBySide.ts';
import { becomes, get, podsOf, POD_MS, soon, Testbed } from '../testbed.ts';

describe('a fault', () => {
  let testbed: Testbed;
  let guarded: GuardedGateway;
  before(async () => {
    testbed = await Testbed.start('faults');
    guarded = new GuardedGateway(testbed);
    await guarded.on({ mode: 'Deployment' });
    await testbed.customer('before', { maxBudget: 1 });
    await becomes('gcust', 'before', testbed.namespace, { type: 'Synced', status: 'True' });
    await othersEnded();
  });
  after(() => testbed.end());

  it('of the leader: the other pod takes over within seconds and completes pending work', async () => {
    const killed = await leader();
    const names = Array.from({ length: 20 }, (_, index) => `during-${index}`);
    const force = ['--grace-period=0', '--force', '--wait=false'];
    await cluster().kubectl(['delete', 'pod', killed, '-n', OPERATOR_NAMESPACE, ...force]);
    await testbed.customers(names, { maxBudget: 2 });
    for (const name of names) {
      await becomes('gcust', name, testbed.namespace, { type: 'Synced', status: 'True' }, POD_MS);
      expect(await testbed.record(name), name).to.include({ user_id: `${testbed.namespace}-${name}` });
    }
    expect(await leader()).not.to.equal(killed);
    await operatorAvailable();
    expect(await operatorPods()).to.have.length(2);
  });

  it('of the whole operator: calls stay guarded, and no work is repeated', async () => {
    const before = await get('gcust', 'before', testbed.namespace);
    const load = await testbed.startLoad();
    await cluster().kubectl(['delete', 'pods', '-n', OPERATOR_NAMESPACE, '--all', '--grace-period=0', '--force']);
    await operatorAvailable();
    await leader();
    await testbed.customer('afterwards');
    await becomes('gcust', 'afterwards', testbed.namespace, { type: 'Synced', status: 'True' }, POD_MS);
    const { calls, failures } = await load.stop();
    expect(failures).to.deep.equal([]);
    expect(calls).to.be.greaterThan(50);
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
    const load = await testbed.startLoad();
    const lastRenewal = await renewed();
    await cluster().restartKubelet();
    await soon(async () => {
      // The node reports Ready for a while, whether or not its kubelet runs.
      expect(await renewed()).to.be.greaterThan(lastRenewal);
      await cluster().kubectl(['exec', '-n', testbed.namespace, CLIENT, '--', 'node', '--version']);
      const node = await get('node', NODE_NAME);
      expect(node?.status?.conditions?.find(({ type }) => type === 'Ready')).to.include({ status: 'True' });
    }, POD_MS);
    const { calls, failures } = await load.stop();
    expect(failures).to.deep.equal([]);
    expect(calls).to.be.greaterThan(50);
    await guarded.call('probe-kubelet');
    expect(await started()).to.deep.equal(before);
    await guarded.ready();
  };
  if (ownsNode) it(kubelet, kubeletRestarts);
});
