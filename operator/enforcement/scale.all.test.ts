/** The list of 10,000 customers, of which 1,000 change within a minute, on a real API server. */
import { expect } from 'chai';
import { readCustomerList } from '../../guardrail/guardrail.ts';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { GatewayCustomerSpec } from '../api/v1alpha1/v1alpha1.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { eventually, fastClock, FaultProxy } from '../runtime/testing/testing.ts';
import { EnforcementBed, EnforcementOperator, spread } from './testing/enforcementBed.ts';

const CUSTOMERS = 10_000;
const CHANGES = 1_000;
const MINUTE = 60_000;
/** The operator's minute takes so much less time. */
const FACTOR = 2;
/** As many as a customer may have: with them, the list needs more than one ConfigMap. */
const TEAMS = Array.from({ length: 64 }, (_, at) => `team-${at}`);

const names = Array.from({ length: CUSTOMERS }, (_, at) => `c${at}`);
const specOf = (at: number): Partial<GatewayCustomerSpec> =>
  at % 20 === 0 ? { allowedCallers: { teamIds: TEAMS } } : {};
const isChanged = (at: number): boolean => at % (CUSTOMERS / CHANGES) === 3;

describe('the list of 10,000 customers', function () {
  this.timeout(10 * MINUTE);
  const plane = withControlPlane();
  let bed: EnforcementBed;
  let proxy: FaultProxy;
  let operator: EnforcementOperator;
  let isLoaded = true;
  before(async () => {
    await installCrds(plane());
    bed = await EnforcementBed.start(plane(), { unknownCustomers: 'Block' });
    proxy = await FaultProxy.start(plane().kubeConfig());
    await bed.customers(new Map(names.map((name, at) => [name, specOf(at)])));
    operator = new EnforcementOperator(proxy.kubeConfig(), bed.namespace, {
      clock: fastClock(FACTOR),
    });
    operator.pods = { count: 1, has: (stored) => (isLoaded ? stored : {}) };
    await operator.start();
  });
  after(async () => {
    await operator.end();
    await proxy.stop();
    await bed.stop();
  });

  /** The times of the writes of the list, by the operator's clock. */
  const writes = (): number[] =>
    proxy.requests
      .filter(({ method, path }) => method !== 'GET' && path.includes('/configmaps'))
      .map(({ at }) => at * FACTOR);

  it('takes at most 60 writes for 1,000 changes in a minute, and each is effective', async () => {
    const before = await eventually(async () => readCustomerList(await bed.shards()), 2 * MINUTE);
    expect(before.size).to.equal(CUSTOMERS);
    expect((await bed.shards()).size).to.be.above(1);
    const enforced = async (expected: number): Promise<void> => {
      const { status } = await bed.instance();
      expect(status?.customerList?.revision).to.equal(readCustomerList(await bed.shards()).revision);
      const own = (await bed.listCustomers()).filter((customer) => customer.status?.enforcedAt !== undefined);
      expect(own.length).to.equal(expected);
    };
    await eventually(() => enforced(CUSTOMERS / 20), 2 * MINUTE);

    // As kubelets do, which bring none of the lists to the pods within this minute.
    isLoaded = false;
    const began = performance.now() * FACTOR;
    const changed = names.filter((_, at) => isChanged(at));
    await spread(changed, MINUTE / FACTOR, (name) => bed.patchCustomer(name, { blocked: true }));
    await eventually(async () => {
      const list = readCustomerList(await bed.shards());
      const wrong = names.filter((name, at) => list.find(bed.hashOf(name))?.blocked !== isChanged(at));
      expect(wrong).to.deep.equal([]);
      expect(list.size).to.equal(CUSTOMERS);
    }, 2 * MINUTE);
    isLoaded = true;
    await eventually(() => enforced(CUSTOMERS / 20 + CHANGES), 2 * MINUTE);

    const times = writes().filter((at) => at >= began);
    for (const from of times) {
      expect(times.filter((at) => at >= from && at < from + MINUTE).length).to.be.at.most(60);
    }
    // One batch at once, and many changes in each further one.
    expect(times.length).to.be.within(2, 60);
  });
});
