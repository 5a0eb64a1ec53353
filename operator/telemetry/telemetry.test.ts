import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startExporting } from '../../guardrail/telemetry/testing/exporting.ts';
import { GatewayClients } from '../gateway/gateway.ts';
import { RetryAfterError } from '../runtime/runtime.ts';
import { traceReconcile } from './telemetry.ts';

const OBJECT = { kind: 'GatewayCustomer', controller: 'gatewaycustomer', key: { namespace: 'team', name: 'shop' } };
const CUSTOMER = 'planted.customer@example.org';
const MASTER_KEY = 'planted-master-key';

describe('the spans of the operator', () => {
  it('do not exist without tracing', async () => {
    expect(await traceReconcile(OBJECT, () => Promise.resolve({ requeueAfter: 5 }))).to.deep.equal({ requeueAfter: 5 });
  });

  it('name the object of a reconcile and the calls of its gateway, but no customer, no key and no message', async () => {
    const received: IncomingHttpHeaders[] = [];
    const gateway = createServer(({ headers }, response) => {
      received.push(headers);
      const [status, body] =
        received.length === 1 ? [200, { user_id: CUSTOMER }] : [500, { detail: `No ${CUSTOMER}.` }];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    gateway.listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const { port } = gateway.address() as AddressInfo;
    const exporting = await startExporting();
    const clients = new GatewayClients();
    const client = clients.for({
      instance: { namespace: 'team', name: 'main', uid: '1' },
      endpoint: `http://127.0.0.1:${port}`,
      masterKey: MASTER_KEY,
      ca: undefined,
      rateLimit: { qps: 100, burst: 100, maxConcurrent: 1 },
    });
    const reconcile = (): Promise<object> => client.customerInfo(CUSTOMER).then(() => ({}));
    try {
      expect(await traceReconcile(OBJECT, reconcile)).to.deep.equal({});
      const failed: unknown = await traceReconcile(OBJECT, reconcile).catch((error: unknown) => error);
      expect(failed).to.be.an('error');
    } finally {
      await clients.close();
      gateway.close();
      await exporting.finish();
    }

    const spans = exporting.receiver.spans();
    expect(spans.map(({ name, kind, status }) => [name, kind, status])).to.deep.equal([
      ['GET /customer/info', 3, 0],
      ['reconcile gatewaycustomer', 1, 0],
      ['GET /customer/info', 3, 2],
      ['reconcile gatewaycustomer', 1, 2],
    ]);
    const [call, done, failedCall, failedReconcile] = spans;
    expect(done?.attributes).to.deep.equal({
      'k8s.object.kind': 'GatewayCustomer',
      'k8s.object.name': 'shop',
      'k8s.namespace.name': 'team',
      'operator.controller': 'gatewaycustomer',
    });
    expect(call?.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'url.template': '/customer/info',
      'server.address': '127.0.0.1',
      'server.port': port,
      'http.response.status_code': 200,
    });
    expect([call?.parentSpanId, done?.parentSpanId]).to.deep.equal([done?.spanId, '']);
    expect(received[0]?.traceparent).to.equal(`00-${call?.traceId ?? ''}-${call?.spanId ?? ''}-01`);
    expect(failedCall?.attributes['error.type']).to.equal('500');
    expect(failedReconcile?.attributes['error.type']).to.equal('GatewayError');
    for (const planted of [CUSTOMER, encodeURIComponent(CUSTOMER), MASTER_KEY]) {
      expect(exporting.receiver.bytes()).not.to.include(planted);
    }
  });

  it('do not fail for a reconcile that asks for another one', async () => {
    const exporting = await startExporting();
    const later = new RetryAfterError('later', 250);
    const thrown: unknown = await traceReconcile(OBJECT, () => Promise.reject(later)).catch((error: unknown) => error);
    expect(thrown).to.equal(later);
    await exporting.finish();
    const [span] = exporting.receiver.spans();
    expect([span?.status, span?.attributes['operator.requeue_after_ms']]).to.deep.equal([0, 250]);
  });
});
