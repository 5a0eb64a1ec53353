/** A thousand customers in steady state, for two intervals of fifteen seconds. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { startDevGateway, type DevGateway } from '../../hack/harness/gateway/gateway.ts';
import { GatewayClient, RateLimiter } from '../gateway/gateway.ts';
import { startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { connectionOf } from './testing/testDependencies.ts';
import { eventually, KubectlUser, TestOperator } from './testing/testOperator.ts';

const customers = 1_000;
const intervals = 2;
const intervalMs = 15_000;
const listsPerInterval = 10;

describe('a thousand customers in steady state', function () {
  this.timeout(20 * 60_000);
  const cluster = withControlPlane();
  const masterKey = 'sk-master';
  let gateway: DevGateway;
  let proxy: TestProxy;
  /** Calls the gateway not through the proxy. */
  let admin: GatewayClient;
  let user: KubectlUser;
  let operator: TestOperator;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    proxy = await startTestProxy(gateway.url);
    const direct = connectionOf(gateway.url, masterKey);
    admin = new GatewayClient(direct, new RateLimiter(direct.rateLimit));
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
    await admin.close();
    await proxy.stop();
    await gateway.stop();
  });

  it('is compared with ten lists in an interval, nothing is written, and what differs is corrected', async () => {
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
    await new Promise((resolve) => setTimeout(resolve, intervals * intervalMs));

    stalls.disable();
    const calls = [...proxy.calls];
    expect(new Set(calls.map(({ method, path }) => `${method} ${path}`))).to.deep.equal(
      new Set(['GET /customer/list']),
    );
    expect(calls.length).to.be.within(intervals, listsPerInterval * intervals + 1);
    // A stall of this process, which runs gateway, proxy and operator, may delay the first of two lists.
    const stalledMs = stalls.max / 1_000_000;
    const between = calls.slice(1).map(({ at }, next) => at - (calls[next]?.at ?? 0));
    expect(Math.min(...between)).to.be.at.least(intervalMs / listsPerInterval - stalledMs);
    expect(await state()).to.deep.equal(before);
    expect(await eventCount()).to.equal(events);

    // Every customer is compared in each interval: the farthest are due last.
    const edited = ['c0', 'c250', 'c500', 'c750', 'c999'];
    for (const name of edited) await admin.customerUpdate({ user_id: `${user.namespace}.${name}`, alias: 'Edited' });
    const editedAt = performance.now();
    proxy.calls.length = 0;
    await eventually(async () => {
      for (const name of edited) {
        expect(await admin.customerInfo(`${user.namespace}.${name}`)).to.include({ alias: name });
      }
    }, 3 * intervalMs);
    expect(performance.now() - editedAt).to.be.at.most(1.3 * intervalMs + stalledMs);
    // Each is looked up before and after its write.
    expect(proxy.calls.filter(({ path }) => path.startsWith('/customer/info'))).to.have.length(2 * edited.length);
  });
});
