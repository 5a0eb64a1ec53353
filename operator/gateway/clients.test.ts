import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { GatewayTarget } from './client.ts';
import { GatewayClients } from './clients.ts';
import { gatewayLimitMetrics } from './metrics.ts';
import { startTestProxy, type TestProxy } from './testing/testProxy.ts';

describe('clients of gateways', () => {
  let proxy: TestProxy;
  let clients: GatewayClients;
  const rateLimit = { qps: 1000, burst: 200, maxConcurrent: 16 };
  const targetOf = (uid: string, name: string): GatewayTarget => ({
    ...{ endpoint: proxy.url, masterKey: 'sk-master', ca: undefined, rateLimit },
    instance: { namespace: 'ai', name, uid },
  });

  beforeEach(async () => {
    proxy = await startTestProxy('http://127.0.0.1:1');
    clients = new GatewayClients();
  });
  afterEach(async () => {
    await clients.close();
    await proxy.stop();
  });

  it('keep a pause that the gateway requested when spec.rateLimit changes', async () => {
    proxy.fault = () => ({ kind: 'answer', status: 429, body: '{}', headers: { 'retry-after': '60' } });
    const target = targetOf('uid-1', 'main');
    const kindOf = (limit: GatewayTarget['rateLimit']): Promise<unknown> =>
      clients
        .for({ ...target, rateLimit: limit })
        .customerInfo('x')
        .catch((thrown: unknown) => (thrown as { kind?: unknown }).kind);
    for (const qps of [1000, 500, 2000]) {
      expect(await kindOf({ ...rateLimit, qps })).to.equal('retryAfter');
      expect(proxy.calls).to.have.length(1);
    }
  });

  it('have metrics of the instances that exist', async () => {
    const registry = new Registry();
    gatewayLimitMetrics(registry, () => clients.limits(({ uid }) => uid !== 'uid-1'));
    // An instance that was created again, and another one.
    for (const target of [targetOf('uid-1', 'main'), targetOf('uid-2', 'main'), targetOf('uid-3', 'other')]) {
      clients.for(target);
    }
    const lines = (await registry.metrics()).split('\n').filter((line) => line.includes('concurrency_limit{'));
    expect(lines).to.deep.equal([
      'gateway_guardrail_operator_gateway_concurrency_limit{gateway_namespace="ai",gateway="main"} 8',
      'gateway_guardrail_operator_gateway_concurrency_limit{gateway_namespace="ai",gateway="other"} 8',
    ]);
  });
});
