import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { GatewayClients } from '../gateway/gateway.ts';
import type { Connections } from './connections.ts';
import { probeGateway, type ProbeResult } from './probe.ts';
import type { GatewayConnection } from './readConnection.ts';

describe('probe of a gateway', () => {
  let clients: GatewayClients;
  let now = 0;
  let calls = 0;
  let answer: { status: number; body: string; headers?: Record<string, string> };
  let answerTo: (url: string) => typeof answer = () => answer;
  const server = createServer(({ url = '' }, outgoing) => {
    calls += 1;
    const { status, body, headers } = answerTo(url);
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  const missing = {
    status: 404,
    body: JSON.stringify({
      error: { message: 'End User Id=gcust-probe does not exist in db', type: 'not_found', param: 'end_user_id' },
    }),
  };

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  beforeEach(() => {
    [now, calls] = [0, 0];
    answerTo = () => answer;
    clients = new GatewayClients({ now: () => now });
  });
  afterEach(() => clients.close());

  async function look(): Promise<ProbeResult> {
    const connection = {
      instance: { namespace: 'ai', name: 'main', uid: 'uid-1' },
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      masterKey: 'sk-x',
      ca: undefined,
      rateLimit: { qps: 100, burst: 100, maxConcurrent: 4 },
    } as GatewayConnection;
    const same = (): Promise<GatewayConnection> => Promise.resolve(connection);
    const connections = { forInstance: same, refresh: same } as unknown as Connections;
    return await probeGateway(connections, clients, {} as GatewayInstance, new AbortController().signal);
  }

  it('succeeds if LiteLLM reports that the customer does not exist', async () => {
    answer = missing;
    expect((await look()).condition).to.include({ status: 'True', reason: 'Reachable' });
    expect(calls).to.equal(1);
  });

  for (const [what, status, body, words] of [
    ['an API gateway without a route', 404, '{"message":"no Route matched"}', 'returned 404'],
    ['an empty 404', 404, '', 'returned 404'],
    ['a page', 404, '<title>404 Not Found</title>', 'returned 404'],
    ['a page with 200', 200, '<title>Welcome</title>', 'an unexpected body'],
    ['an error with 200', 200, '{"error":"unknown path"}', '200 with an error'],
  ] as const) {
    it(`fails if ${what} responds, and the message names spec.endpoint`, async () => {
      answer = { status, body };
      const { condition, connection } = await look();
      expect(condition.status).to.equal('False');
      expect(condition.message)
        .to.contain(words)
        .and.not.match(/Route|Not Found|Welcome|unknown path/);
      if (status === 404) expect(condition.message).to.contain('Check that spec.endpoint of the instance');
      expect(connection).to.equal(undefined);
    });
  }

  it('succeeds after a 404 of an unknown form, if the gateway responds otherwise to a path that does not exist', async () => {
    answerTo = (url) => ({
      status: 404,
      body: url.startsWith('/customer/info?') ? '{"error":"key=gcust-probe"}' : '{"error":"unknown path"}',
    });
    expect((await look()).condition).to.include({ status: 'True', reason: 'Reachable' });
    expect(calls).to.equal(3);
  });

  it('does not report the key if the address of the operator is not allowed', async () => {
    answer = { status: 403, body: '{"detail":"Access forbidden: IP address 10.0.0.1 not allowed."}' };
    const { condition } = await look();
    expect(condition).to.include({ status: 'False', reason: 'GatewayError' });
    expect(condition.message).to.contain('general_settings.allowed_ips');
  });

  it('reports until when the gateway accepts no calls, probes once a minute, and recovers', async () => {
    const body = '{"error":{"message":"slow down","type":"throttling_error","param":null,"code":"429"}}';
    answer = { status: 429, body, headers: { 'retry-after': '3600' } };
    const first = await look();
    expect(first.condition).to.include({ status: 'False', reason: 'RateLimited' });
    expect(first.condition.message).to.match(/accepts no calls until 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ: .*"slow down"/);
    expect(first.connection?.masterKey, 'the known connection is kept').to.equal('sk-x');
    for (let second = 0; second < 600; second += 5) {
      now = second * 1000;
      expect((await look()).condition).to.deep.equal(first.condition);
    }
    expect(calls).to.equal(10);
    answer = missing;
    now = 599_999;
    expect((await look()).condition.reason).to.equal('RateLimited');
    now = 600_000;
    expect((await look()).condition.reason).to.equal('Reachable');
    expect(calls).to.equal(11);
  });
});
