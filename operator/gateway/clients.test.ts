import { expect } from 'chai';
import { GatewayClients } from './clients.ts';
import type { GatewayTarget } from './gatewayHttp.ts';
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
});
