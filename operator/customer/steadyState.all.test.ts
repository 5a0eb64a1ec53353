/** A thousand customers in steady state, for eight intervals of fifteen seconds: two minutes. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/testing/controlplane.ts';
import { startDevGateway, type DevGateway } from '../../hack/testing/gateway/gateway.ts';
import { startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { eventually, KubectlUser, TestOperator } from './testing/testOperator.ts';

const customers = 1_000;
const intervals = 8;
const intervalMs = 15_000;

describe('a thousand customers in steady state', function () {
  this.timeout(20 * 60_000);
  const cluster = withControlPlane();
  const masterKey = 'sk-master';
  let gateway: DevGateway;
  let proxy: TestProxy;
  let user: KubectlUser;
  let operator: TestOperator;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    proxy = await startTestProxy(gateway.url);
    user = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace('steady'));
    // Long timeouts: a call that times out on a busy machine is repeated before it is due.
    const timeouts = { connect: 5_000, idle: 10_000, total: 15_000 };
    operator = new TestOperator(cluster().kubeConfig(), [user.namespace], { timeouts });
    await operator.start();
    await eventually(() => user.list());
    await user.secret('main', masterKey);
    const rateLimit = { qps: 400, burst: 400, maxConcurrent: 16 };
    await eventually(() =>
      user.instance('main', { endpoint: proxy.url, rateLimit, syncInterval: `${intervalMs / 1_000}s` }),
    );
  });
  after(async () => {
    await operator.end();
    await proxy.stop();
    await gateway.stop();
  });

  it('makes only the due calls, each customer at its own time, and writes nothing', async () => {
    for (let batch = 0; batch < customers / 20; batch++) {
      const names = Array.from({ length: 20 }, (_, at) => `c${20 * batch + at}`);
      await Promise.all(names.map((name, at) => user.customer(name, { alias: name, maxBudget: at })));
    }
    await eventually(async () => {
      // Polls rarely: listing a thousand resources loads this process.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const waiting = (await user.list()).filter(({ status }) => status?.synced !== true);
      expect(waiting.length).to.equal(0);
    }, 180_000);
    const state = async (): Promise<string[]> =>
      (await user.list()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
    const eventCount = async (): Promise<number> =>
      (await cluster().kubectl(['get', 'events', `-n${user.namespace}`, '-o', 'name'])).split('\n').length;
    let events = -1;
    await eventually(async () => {
      const last = events;
      events = await eventCount();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(events).to.equal(last);
    }, 60_000);
    const before = await state();
    proxy.calls.length = 0;
    const stalls = monitorEventLoopDelay();
    stalls.enable();
    const began = performance.now();
    await new Promise((resolve) => setTimeout(resolve, intervals * intervalMs));

    stalls.disable();
    // Allows for stalls of this process, which runs gateway, proxy and operator: each may delay a call at worst.
    const heldUp = (3 * stalls.max) / 1_000_000;
    const calls = [...proxy.calls];
    expect(new Set(calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`))).to.deep.equal(
      new Set(['GET /customer/info']),
    );
    // Each customer is observed 0.9 to 1.1 intervals after the last time.
    const perCustomer = new Map<string, number[]>();
    for (const { path, at } of calls) perCustomer.set(path, [...(perCustomer.get(path) ?? []), at]);
    expect(perCustomer.size).to.equal(customers);
    for (const times of perCustomer.values()) {
      expect(times.length).to.be.within(intervals - 2, Math.ceil(intervals / 0.9) + 1);
      for (let next = 1; next < times.length; next++) {
        expect((times[next] ?? 0) - (times[next - 1] ?? 0)).to.be.within(
          0.9 * intervalMs - heldUp,
          1.2 * intervalMs + heldUp,
        );
      }
    }
    // After five intervals, customers that were applied at once are spread over the whole interval.
    const perTenth = new Map<number, number>();
    for (const { at } of calls) {
      const tenth = Math.floor((10 * (at - began)) / intervalMs);
      perTenth.set(tenth, (perTenth.get(tenth) ?? 0) + 1);
    }
    const mean = customers / 10;
    for (let tenth = 50; tenth < 10 * intervals; tenth++) {
      expect(perTenth.get(tenth) ?? 0, `calls in tenth ${tenth}`).to.be.within(mean / 2, 1.5 * mean);
    }
    expect(await state()).to.deep.equal(before);
    expect(await eventCount()).to.equal(events);
  });
});
