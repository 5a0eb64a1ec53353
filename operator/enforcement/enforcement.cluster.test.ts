/** The list of who may call, on a real API server: written by the operator, read by the guardrail's own code. */
import type { V1ConfigMap } from '@kubernetes/client-node';
import { expect } from 'chai';
import { type Access, createAccess, keyHashOf } from '../../guardrail/customers/customers.ts';
import { listKey } from '../../guardrail/guardrail.ts';
import { startDevGateway } from '../../hack/harness/gateway/gateway.ts';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { MANAGED_BY } from '../cluster/cluster.ts';
import { conditionOf } from '../customer/status.ts';
import { eventually } from '../customer/testing/testOperator.ts';
import { withTestbed } from '../customer/testing/testbed.ts';
import type { LoadedPart, Revisions } from './pods.ts';
import { SESSION_KEY } from './testing/enforcementBed.ts';
import { PACE, StoredList } from './testing/storedList.ts';

const BLOCKED = 'This customer is blocked.';
const UNKNOWN = 'This customer is not known here.';
const CALLER = 'This caller may not call for this customer.';
const KEY_HASH = keyHashOf('sk-1');

describe('the list of who may call', function () {
  this.timeout(120_000);
  const bed = withTestbed(PACE);
  const list = new StoredList(bed);

  const configMaps = async (): Promise<V1ConfigMap[]> =>
    (await list.configMaps()).filter(({ metadata }) => metadata?.name?.startsWith('main-guardrail-customers-'));
  /** The decisions of a guardrail with the stored list. */
  const access = async (): Promise<Access> => createAccess(listKey(SESSION_KEY), { current: await list.read() });
  /** Why the guardrail refuses the call of a customer; undefined: it does not. */
  const refusal = async (name: string, caller: { team?: string; key?: string } = {}): Promise<string | undefined> =>
    (await access()).decide({
      customers: [bed.idOf(name)],
      team: caller.team,
      keyHashes: caller.key === undefined ? [] : [caller.key],
    }).refusal;
  const kubectl = (...args: string[]): Promise<string> => bed.cluster().kubectl([...args, '-n', bed.user.namespace]);

  /** Makes the status say that a policy is written for the guardrail. */
  const writePolicy = async (policyRevision: string): Promise<void> => {
    const guardrail = { mode: 'Deployment', endpoint: 'http://g.invalid', apiKeySecretName: 'k', policyRevision };
    await bed.user.patchStatus('main', { guardrail });
  };

  /** Writes the EndpointSlice of the guardrail's Service, as its controller does. */
  const writeSlice = async (pods: readonly string[]): Promise<void> => {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: 'main-guardrail-1',
        labels: { 'kubernetes.io/service-name': 'main-guardrail', 'app.kubernetes.io/managed-by': MANAGED_BY },
      },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: pods.map((name, at) => ({
        addresses: [`10.0.0.${at + 1}`],
        targetRef: { kind: 'Pod', name, uid: name },
      })),
    };
    const args = ['apply', '--server-side', '-f', '-', '-n', bed.user.namespace];
    await bed.cluster().kubectl(args, JSON.stringify(slice));
  };

  it('is written with the guardrail, and says who is blocked', async () => {
    await bed.user.customer('free', {});
    await bed.user.customer('blocked', { blocked: true });
    await bed.user.untilReason('blocked', 'Created');
    expect(await configMaps()).to.deep.equal([]);
    await list.deploy();
    await eventually(async () => {
      expect(await refusal('blocked')).to.equal(BLOCKED);
    });
    expect(await refusal('free')).to.equal(undefined);
    expect(await refusal('stranger')).to.equal(undefined);
    expect((await list.read()).size).to.equal(1);
    expect(JSON.stringify(await configMaps())).not.to.include(bed.idOf('blocked'));

    await bed.user.patch('blocked', { spec: { blocked: false } });
    await bed.user.patch('free', { spec: { blocked: true } });
    await eventually(async () => {
      expect([await refusal('blocked'), await refusal('free')]).to.deep.equal([undefined, BLOCKED]);
    });
    await bed.user.delete('free');
    await bed.user.untilGone('free');
    await eventually(async () => {
      expect((await list.read()).size).to.equal(0);
    });
  });

  it('says who may call for a customer, and refuses unknown customers if the instance says so', async () => {
    await list.deploy({}, { unknownCustomers: 'Block' });
    await bed.user.customer('team', { allowedCallers: { teamIds: ['sales'] } });
    await bed.user.customer('key', { allowedCallers: { keyHashes: [KEY_HASH] } });
    await bed.user.customer('open', {});
    await eventually(async () => {
      expect((await list.read()).size).to.equal(3);
    });
    expect(await refusal('open')).to.equal(undefined);
    expect(await refusal('stranger')).to.equal(UNKNOWN);
    expect(await refusal('team')).to.equal(CALLER);
    expect(await refusal('team', { team: 'sales' })).to.equal(undefined);
    expect(await refusal('key', { key: KEY_HASH })).to.equal(undefined);
    expect(await refusal('key', { team: 'sales' })).to.equal(CALLER);
  });

  it('contains no customer of another instance, whatever gateway that instance names', async () => {
    const other = await bed.watchSecondNamespace();
    await list.deploy();
    await bed.user.customer('acme', {});
    await bed.user.untilReason('acme', 'Created');
    const theirs = await startDevGateway({ port: 0, masterKey: 'sk-theirs', proxyName: 'litellm' });
    try {
      await other.secret('mine', 'sk-theirs');
      await other.instance('mine', { endpoint: theirs.url });
      await other.customer('acme', { instanceRef: { name: 'mine' }, customerId: bed.idOf('acme') });
      await other.untilReason('acme', 'Created');
      await other.annotate('acme', 'paused', 'true');
      await other.untilReason('acme', 'Paused');
      await other.patch('mine', { spec: { endpoint: bed.proxy.url } }, 'gatewayinstances');
      await other.patch('acme', { spec: { blocked: true } });
      // This list is compiled after the changes of the others.
      await bed.user.customer('marker', { blocked: true });
      await eventually(async () => {
        expect(await refusal('marker')).to.equal(BLOCKED);
      });
      expect(await refusal('acme')).to.equal(undefined);
    } finally {
      await theirs.stop();
    }
  });

  it('contains only customers of the gateway that the instance names now', async () => {
    await list.deploy({}, { unknownCustomers: 'Block' });
    await bed.user.customer('open', {});
    await eventually(async () => {
      expect(await refusal('open')).to.equal(undefined);
    });
    await bed.user.annotate('open', 'paused', 'true');
    await bed.user.untilReason('open', 'Paused');
    const url = bed.proxy.url.replace('127.0.0.1', 'localhost');
    await bed.user.patch('main', { spec: { endpoint: url } }, 'gatewayinstances');
    await eventually(async () => {
      expect(await refusal('open')).to.equal(UNKNOWN);
    });
    await bed.user.annotate('open', 'paused', null);
    await eventually(async () => {
      expect(await refusal('open')).to.equal(undefined);
    });
  });

  it('ignores resources that own no record, or that the instance does not admit', async () => {
    await list.deploy({}, { unknownCustomers: 'Block' });
    await bed.user.customer('owner', { customerId: 'shared' });
    await bed.user.untilReason('owner', 'Created');
    await bed.user.customer('late', { customerId: 'shared', blocked: true });
    await bed.user.untilReason('late', 'Conflict');
    await bed.user.patch(
      'main',
      { spec: { customerIdPrefixes: [{ namespace: bed.user.namespace, prefixes: ['sh'] }] } },
      'gatewayinstances',
    );
    await bed.user.customer('seen', { customerId: 'sh-seen', managementPolicy: 'Observe', blocked: true });
    await bed.user.customer('outside', { blocked: true });
    await bed.user.untilReason('outside', 'CustomerIdNotAllowed');
    await eventually(async () => {
      expect((await list.read()).size).to.equal(2);
    });
    const rules = await access();
    expect(rules.decide({ customers: ['shared'], team: undefined, keyHashes: [] }).refusal).to.equal(undefined);
    // A resource that only observes makes its customer known, and sets no rules.
    expect(rules.decide({ customers: ['sh-seen'], team: undefined, keyHashes: [] }).refusal).to.equal(undefined);
  });

  it('reports since when it is enforced, and by whom', async () => {
    let loaded = false;
    bed.operator.pods = { count: 1, has: (stored) => (loaded ? stored : {}) };
    await bed.user.customer('a', { blocked: true, allowedCallers: { teamIds: ['sales'] } });
    const before = await bed.user.untilReason('a', 'Created');
    expect(conditionOf(before, 'FullyApplied')?.message).to.include(
      'No guardrail enforces allowedCallers. Remedy: set spec.guardrail of GatewayInstance main.',
    );
    await list.deploy();
    await eventually(async () => {
      expect(await refusal('a')).to.equal(BLOCKED);
    });
    expect((await list.instance()).status?.customerList).to.equal(undefined);
    expect((await bed.user.get('a'))?.status?.enforcedAt).to.equal(undefined);
    loaded = true;
    const enforced = await bed.user.until('a', ({ status }) => status?.enforcedAt !== undefined);
    const { customerList } = (await list.instance()).status ?? {};
    expect(customerList).to.include({ revision: (await list.read()).revision, customers: 1 });
    const applied = await bed.user.until('a', (one) => conditionOf(one, 'FullyApplied')?.status === 'True');
    expect(conditionOf(applied, 'FullyApplied')?.message).to.include(
      'The guardrail of GatewayInstance main enforces blocked and allowedCallers.',
    );

    await bed.user.patch('a', { spec: { maxBudget: 5 } });
    const other = await bed.user.untilReason('a', 'Updated');
    expect(other.status?.enforcedAt).to.equal(enforced.status?.enforcedAt);
    loaded = false;
    await bed.user.patch('a', { spec: { blocked: false } });
    await bed.user.until('a', ({ status }) => status?.enforcedAt === undefined);
    loaded = true;
    await bed.user.until('a', ({ status }) => status?.enforcedAt !== undefined);
    await bed.user.patch('a', { spec: { allowedCallers: null } });
    await bed.user.until('a', ({ status }) => status?.enforcedAt === undefined);

    await bed.user.patch('main', { spec: { guardrail: { enforcement: 'Monitor' } } }, 'gatewayinstances');
    await bed.user.patch('a', { spec: { allowedCallers: { teamIds: ['sales'] } } });
    const watched = await bed.user.until('a', (one) => conditionOf(one, 'FullyApplied')?.status === 'False');
    expect(conditionOf(watched, 'FullyApplied')?.message).to.include(
      'enforcement of GatewayInstance main, or enforcement of its policy, to Enforce',
    );
  });

  it('is reported as applied only when every pod has the rules of the spec, and no longer with a pod that lacks them', async () => {
    let lags = false;
    let older: Revisions = {};
    bed.operator.pods = { count: 1, has: (stored) => (lags ? older : stored) };
    const isApplied = (customer: GatewayCustomer, status: 'True' | 'False'): boolean => {
      const { metadata } = customer;
      const condition = conditionOf(customer, 'FullyApplied');
      return condition?.status === status && condition.observedGeneration === metadata.generation;
    };
    await list.deploy();
    await bed.user.customer('a', { allowedCallers: { teamIds: ['sales'] } });
    await bed.user.until('a', (customer) => isApplied(customer, 'True'));
    older = { customerList: (await list.read()).revision };
    lags = true;
    await bed.user.patch('a', { spec: { blocked: true } });
    // One controller writes the condition, another one takes back what the status says about the list before.
    const waiting = await bed.user.until(
      'a',
      (customer) => isApplied(customer, 'False') && customer.status?.enforcedAccess === undefined,
    );
    expect(conditionOf(waiting, 'FullyApplied')?.message).to.include(
      'wait until every pod of the guardrail has the list',
    );
    lags = false;
    const applied = await bed.user.until('a', (customer) => isApplied(customer, 'True'));

    // The second pod becomes ready, and has the list of before.
    bed.operator.pods = { count: 2, has: (stored, pod) => (pod === 1 && lags ? older : stored) };
    lags = true;
    await writeSlice(['pod-0', 'pod-1']);
    await bed.user.until('a', (customer) => isApplied(customer, 'False'));
    expect((await list.instance()).status?.customerList?.revision).to.equal(older.customerList);
    lags = false;
    const again = await bed.user.until('a', (customer) => isApplied(customer, 'True'));
    expect(Date.parse(again.status?.enforcedAt ?? '')).to.be.above(Date.parse(applied.status?.enforcedAt ?? ''));
  });

  it('is asked about again if it returns after another one, which pods may have read', async () => {
    let loaded = true;
    bed.operator.pods = { count: 1, has: (stored) => (loaded ? stored : {}) };
    await bed.user.customer('a', { blocked: true });
    await list.deploy();
    const before = await bed.user.until('a', ({ status }) => status?.enforcedAt !== undefined);
    const { revision } = await list.read();
    loaded = false;
    await bed.user.patch('a', { spec: { blocked: false } });
    await eventually(async () => {
      expect(await refusal('a')).to.equal(undefined);
    });
    await bed.user.patch('a', { spec: { blocked: true } });
    await eventually(async () => {
      expect((await list.read()).revision).to.equal(revision);
      expect((await list.instance()).status?.customerList).to.equal(undefined);
    });
    expect((await bed.user.get('a'))?.status?.enforcedAt).to.equal(undefined);
    loaded = true;
    const after = await bed.user.until('a', ({ status }) => status?.enforcedAt !== undefined);
    expect(Date.parse(after.status?.enforcedAt ?? '')).to.be.above(Date.parse(before.status?.enforcedAt ?? ''));
  });

  it('is confirmed although it changes all the time, and pods are always one list behind', async () => {
    let ofPods = '';
    bed.operator.pods = { count: 1, has: (stored) => ({ ...stored, customerList: ofPods }) };
    await list.deploy();
    await bed.user.customer('a', { blocked: true });
    await bed.user.customer('changing', {});
    await eventually(async () => {
      expect(await refusal('a')).to.equal(BLOCKED);
    });
    let isEnforced = false;
    for (let change = 1; change <= 10 && !isEnforced; change += 1) {
      const { revision } = await list.read();
      await bed.user.patch('changing', { spec: { allowedCallers: { teamIds: [`team-${change}`] } } });
      await eventually(async () => {
        expect((await list.read()).revision).not.to.equal(revision);
      });
      ofPods = revision;
      isEnforced = (await bed.user.get('a'))?.status?.enforcedAt !== undefined;
    }
    expect(isEnforced).to.equal(true);
    expect((await bed.user.get('changing'))?.status?.enforcedAt).to.equal(undefined);
    ofPods = (await list.read()).revision;
    await bed.user.until('changing', ({ status }) => status?.enforcedAt !== undefined);
  });

  it('and the policy do not wait for each other, and are asked about together', async () => {
    let asked = 0;
    let loaded: readonly LoadedPart[] = ['policy'];
    const has = (stored: Revisions): Revisions => {
      asked += 1;
      return Object.fromEntries(Object.entries(stored).filter(([part]) => loaded.includes(part as LoadedPart)));
    };
    bed.operator.pods = { count: 1, has };
    await writePolicy('first');
    await bed.user.customer('a', { blocked: true });
    await list.deploy();
    await eventually(async () => {
      const { policy, customerList } = (await list.instance()).status ?? {};
      expect([policy?.revision, customerList]).to.deep.equal(['first', undefined]);
    });

    loaded = ['customerList'];
    await writePolicy('second');
    await bed.user.until('a', ({ status }) => status?.enforcedAt !== undefined);
    expect((await list.instance()).status)
      .to.have.property('customerList')
      .and.not.have.property('policy');
    loaded = ['customerList', 'policy'];
    await eventually(async () => {
      expect((await list.instance()).status?.policy?.revision).to.equal('second');
    });

    asked = 0;
    await bed.user.annotate('main', 'syncRequested', 'now', 'gatewayinstances');
    await bed.user.customer('b', {});
    await bed.user.untilReason('b', 'Created');
    await bed.operator.untilIdle();
    expect(asked).to.equal(0);
  });

  it('is written again if somebody deletes or changes it, and the same after a restart', async () => {
    await list.deploy();
    await bed.user.customer('a', { blocked: true });
    await eventually(async () => {
      expect(await refusal('a')).to.equal(BLOCKED);
    });
    const [before] = await configMaps();
    await kubectl('delete', 'configmap', 'main-guardrail-customers-0');
    await eventually(async () => {
      expect((await configMaps())[0]?.metadata?.uid).not.to.equal(before?.metadata?.uid);
      expect(await refusal('a')).to.equal(BLOCKED);
    });
    await kubectl(
      'patch',
      'configmap',
      'main-guardrail-customers-0',
      '--type=merge',
      '-p',
      '{"data":{"customers-0":""}}',
    );
    await eventually(async () => {
      expect(await refusal('a')).to.equal(BLOCKED);
    });
    await bed.operator.untilIdle();
    const versions = (await configMaps()).map(({ metadata }) => metadata?.resourceVersion);
    await bed.restartOperator();
    await bed.user.customer('b', {});
    await bed.user.untilReason('b', 'Created');
    await bed.operator.untilIdle();
    expect((await configMaps()).map(({ metadata }) => metadata?.resourceVersion)).to.deep.equal(versions);
  });

  it('takes many changes together', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `c${at}`);
    const revisions = new Set<string>();
    const has = (stored: Revisions): Revisions => {
      revisions.add(stored.customerList ?? '');
      return stored;
    };
    await bed.restartOperator({ pace: 1 });
    bed.operator.pods = { count: 1, has };
    await list.deploy();
    await Promise.all(names.map((name) => bed.user.customer(name, {})));
    await eventually(async () => {
      expect((await bed.user.list()).filter(({ status }) => status?.synced).length).to.equal(names.length);
    });
    revisions.clear();
    const began = performance.now();
    // One after the other: what changes at once is in one list anyway.
    for (const name of names) await bed.user.patch(name, { spec: { blocked: true } });
    await eventually(async () => {
      expect((await list.read()).size).to.equal(names.length);
    });
    const seconds = (performance.now() - began) / 1000;
    // One at once, and one in every two seconds after it.
    expect(revisions.size).to.be.at.most(2 + seconds / 2);
    const blocked = await eventually(async () => {
      const all = await bed.user.list();
      expect(all.every(({ status }) => status?.enforcedAt !== undefined)).to.equal(true);
      return all;
    });
    expect(blocked.length).to.equal(names.length);
  });

  it('takes a ConfigMap of another owner from nobody, and says so', async () => {
    await kubectl('create', 'configmap', 'main-guardrail-customers-0', '--from-literal=customers-0=theirs');
    await list.createKeys();
    await bed.user.patch('main', { spec: { guardrail: {} } }, 'gatewayinstances');
    await eventually(async () => {
      expect(await bed.user.events('main')).to.include('CustomerListFailed');
    });
    expect((await configMaps())[0]?.data?.['customers-0']).to.equal('theirs');
    await writePolicy('first');
    await eventually(async () => {
      expect((await list.instance()).status?.policy?.revision).to.equal('first');
    });
  });
});
