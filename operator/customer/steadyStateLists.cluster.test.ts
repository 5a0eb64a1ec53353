/** Many customers in steady state, for two sync intervals. */
import { expect } from 'chai';
import { atScale } from '../../hack/harness/scale.ts';
import { minListedCustomers } from '../gateway/gateway.ts';
import { withTestbed } from './testing/testbed.ts';
import { eventually, SYNC_INTERVAL_MS } from './testing/testOperator.ts';

const CUSTOMERS = atScale(minListedCustomers + 20, 1_000);
const LISTS_PER_INTERVAL = 10;
/** Customers wait about as long as the list takes, and at least half a second. */
const LIST_WAIT_MS = 10_000;

describe('many customers in steady state', function () {
  this.timeout(10 * 60_000);
  const bed = withTestbed();

  it('are compared with ten lists in an interval, nothing is written, and what differs is corrected', async () => {
    const rateLimit = { qps: 10_000, burst: 10_000, maxConcurrent: 16 };
    await bed.user.patch('main', { spec: { rateLimit } }, 'gatewayinstances');
    const names = Array.from({ length: CUSTOMERS }, (_, at) => `c${at}`);
    for (let at = 0; at < CUSTOMERS; at += 20) {
      await Promise.all(
        names.slice(at, at + 20).map((name, more) => bed.user.customer(name, { alias: name, maxBudget: more })),
      );
    }
    const events = async (): Promise<string[]> => {
      const reason = ['--field-selector', 'reason=Created'];
      const all = await bed.cluster().kubectl(['get', 'events', `-n${bed.user.namespace}`, '-o', 'name', ...reason]);
      return all.trim().split('\n');
    };
    await eventually(async () => {
      expect(bed.callsOf('/customer/new').length).to.be.at.least(CUSTOMERS);
      expect(await events()).to.have.length(CUSTOMERS);
    }, 5 * 60_000);
    await bed.operator.untilIdle();
    const state = async (): Promise<string[]> =>
      (await bed.user.list()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
    const before = await state();
    const paths = (): string[] => bed.proxy.calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
    /** Skips a tenth of an interval: customers that are due wait for a list, and then read it. @returns the calls in this time */
    const step = async (): Promise<string[]> => {
      bed.proxy.calls.length = 0;
      bed.operator.skipForGateway(SYNC_INTERVAL_MS / LISTS_PER_INTERVAL);
      bed.operator.skip(SYNC_INTERVAL_MS / LISTS_PER_INTERVAL - LIST_WAIT_MS);
      await bed.operator.untilIdle();
      bed.operator.skip(LIST_WAIT_MS);
      await bed.operator.untilIdle();
      return paths();
    };

    // Each list is read when no reconcile runs.
    bed.proxy.fault = async ({ path }) => {
      if (path.startsWith('/customer/list')) await bed.operator.untilReconciled();
      return undefined;
    };
    const calls: string[] = [];
    for (let steps = 0; steps < 2 * LISTS_PER_INTERVAL; steps++) {
      const made = await step();
      expect(made.length).to.be.at.most(1);
      calls.push(...made);
    }
    expect(new Set(calls)).to.deep.equal(new Set(['GET /customer/list']));
    expect(await state()).to.deep.equal(before);
    expect(await events()).to.have.length(CUSTOMERS);

    // Every customer is compared in each interval, which has a jitter: the farthest are due last.
    const edited = [0, 0.25, 0.5, 0.75, 1].map((share) => `c${Math.floor(share * (CUSTOMERS - 1))}`);
    for (const name of edited) await bed.admin.customerUpdate({ user_id: bed.idOf(name), alias: 'Edited' });
    calls.length = 0;
    for (let steps = 0; steps <= 1.2 * LISTS_PER_INTERVAL; steps++) calls.push(...(await step()));
    for (const name of edited) expect(await bed.recordOf(name)).to.include({ alias: name });
    // Each is looked up before and after its write.
    expect(calls.filter((call) => call.startsWith('GET /customer/info'))).to.have.length(2 * edited.length);
  });
});
