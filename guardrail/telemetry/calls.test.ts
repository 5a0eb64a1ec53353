import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ModelEnvoy } from '../extProc/testing/modelEnvoy.ts';
import { PLANTED } from '../testing/appHarness.ts';
import { startInline, type Inline } from '../testing/inlineHarness.ts';
import { createMetrics } from '../http/http.ts';
import { startExporting, type Exporting } from './testing/exporting.ts';
import type { ReceivedSpan } from './testing/otlpReceiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const { email, iban, endUser } = PLANTED;
/** What callers choose, besides the planted values. */
const CHOSEN = {
  query: 'planted-query',
  header: 'planted-header',
  agent: 'planted-agent',
  host: 'planted-host',
  requestId: 'aaaabbbbccccddddeeeeffff0000111122223333',
  path: 'planted-path',
  model: 'planted-model',
  team: 'planted-team',
};

/** The SDK gives an export up after this time. Its timers run until then, also those of an export that nobody waits for. */
const EXPORT_MS = 3_000;

describe('what calls export', () => {
  let exporting: Exporting;
  let harness: Inline;
  const start = async (
    env: Readonly<Record<string, string>> = {},
    settings: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const metrics = createMetrics();
    exporting = await startExporting(env, metrics.registry);
    harness = await startInline({ metrics, env: settings });
  };
  /** Ends the service and the export. */
  const stop = async (): Promise<ReceivedSpan[]> => {
    await harness.stop();
    await exporting.finish();
    return exporting.receiver.spans();
  };
  const guard = (text: string, init: RequestInit = {}) =>
    harness.guard(
      {
        input_type: 'request',
        texts: [text],
        model: CHOSEN.model,
        request_data: { user_api_key_end_user_id: endUser },
      },
      init,
    );

  it('are a span for a call of a gateway, with one for detection', async () => {
    await start();
    await guard(`Write to ${email}.`, { headers: { traceparent: TRACEPARENT, tracestate: 'vendor=1' } });
    const spans = await stop();
    const call = spans.find(({ kind }) => kind === 2);
    expect([call?.name, call?.traceId, call?.parentSpanId, call?.traceState, call?.status]).to.deep.equal([
      'POST /beta/litellm_basic_guardrail_api',
      TRACE,
      'b7ad6b7169203331',
      'vendor=1',
      0,
    ]);
    expect(call?.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'http.route': '/beta/litellm_basic_guardrail_api',
      'http.response.status_code': 200,
      'guardrail.phase': 'request',
      'guardrail.dialect': 'basic',
      'guardrail.action': 'GUARDRAIL_INTERVENED',
      'guardrail.entities': 1,
    });
    const detect = spans.find(({ name }) => name === 'detect');
    expect([detect?.kind, detect?.traceId, detect?.parentSpanId]).to.deep.equal([1, TRACE, call?.spanId]);
    expect(detect?.attributes).to.deep.equal({ 'guardrail.texts': 1, 'guardrail.findings': 1 });
    expect(spans).to.have.length(2);
  });

  it('are a span for a call through the inline proxy, and one for the upstream, which learns of it', async () => {
    await start();
    const response = await harness.chat(`Write to ${email}.`, {}, { headers: { traceparent: TRACEPARENT } });
    expect(await response.text()).to.include(email);
    const spans = await stop();
    const call = spans.find(({ kind }) => kind === 2);
    const upstream = spans.find(({ kind }) => kind === 3);
    expect([call?.name, call?.traceId]).to.deep.equal(['POST inline/chat.completions', TRACE]);
    expect([upstream?.name, upstream?.parentSpanId]).to.deep.equal(['POST chat.completions', call?.spanId]);
    expect(upstream?.attributes).to.include({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'guardrail.operation': 'chat.completions',
    });
    expect(harness.received[0]?.headers.traceparent).to.equal(`00-${TRACE}-${upstream?.spanId ?? ''}-01`);
  });

  it('are errors of the upstream by their code', async () => {
    await start();
    harness.script((response) => response.destroy());
    expect((await harness.chat('Hello.')).status).to.equal(502);
    const spans = await stop();
    for (const kind of [2, 3]) {
      const span = spans.find((one) => one.kind === kind);
      expect([span?.status, span?.attributes['error.type'], span?.events]).to.deep.equal([2, 'upstream_failed', []]);
    }
  });

  it('leave the trace of a client to the upstream as it is if only metrics are exported', async () => {
    await start({ OTEL_TRACES_EXPORTER: 'none' });
    await harness.chat('Hello.', {}, { headers: { traceparent: TRACEPARENT, tracestate: 'vendor=1' } });
    expect(await stop()).to.deep.equal([]);
    expect(harness.received[0]?.headers).to.include({ traceparent: TRACEPARENT, tracestate: 'vendor=1' });
    const names = exporting.receiver.points().map(({ name }) => name);
    expect(names).to.include.members(['guardrail_http_requests_total', 'guardrail_upstream_response_seconds']);
  });

  it('are a span for a call through Envoy, whose request names it, without the address that the client sent', async () => {
    await start({}, { GUARDRAIL_EXT_PROC_PORT: '0' });
    const envoy = new ModelEnvoy(harness.app.extProcPort ?? 0);
    const headers = {
      ':method': 'POST',
      ':path': `/v1/chat/completions?q=${CHOSEN.query}`,
      ':scheme': 'http',
      ':authority': CHOSEN.host,
      'content-type': 'application/json',
      authorization: 'Bearer sk-of-a-client',
      traceparent: TRACEPARENT,
    };
    const parts = [Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: email }] }))];
    const answer = { headers: { ':status': '200', 'content-type': 'application/json' }, parts: [Buffer.from('{}')] };
    const outcome = await envoy.call({ headers, parts }, () => answer);
    envoy.close();
    const spans = await stop();
    const call = spans.find(({ kind }) => kind === 2);
    const upstream = spans.find(({ kind }) => kind === 3);
    expect([call?.name, call?.traceId]).to.deep.equal(['POST ext_proc/chat.completions', TRACE]);
    expect(upstream?.parentSpanId).to.equal(call?.spanId);
    expect(upstream?.attributes).not.to.have.any.keys('server.address', 'server.port');
    expect(outcome.sent?.headers.traceparent).to.equal(`00-${TRACE}-${upstream?.spanId ?? ''}-01`);
    for (const value of [CHOSEN.host, CHOSEN.query, email]) expect(exporting.receiver.bytes()).not.to.include(value);
  });

  it('are a span for a call of Presidio, which learns of it', async () => {
    const headers: IncomingHttpHeaders[] = [];
    const presidio = createServer((request, response) => {
      if (request.url === '/analyze') headers.push(request.headers);
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end('[[]]');
    });
    presidio.listen(0, '127.0.0.1');
    await once(presidio, 'listening');
    const { port } = presidio.address() as AddressInfo;
    await start({}, { GUARDRAIL_DETECTORS: 'presidio', GUARDRAIL_PRESIDIO_URL: `http://127.0.0.1:${port}` });
    expect((await guard(`Write to ${email}.`, { headers: { traceparent: TRACEPARENT } })).status).to.equal(200);
    const spans = (await stop()).filter(({ traceId }) => traceId === TRACE);
    presidio.close();
    const analyze = spans.find(({ kind }) => kind === 3);
    const detect = spans.find(({ name }) => name === 'detect');
    expect([analyze?.name, analyze?.parentSpanId]).to.deep.equal(['POST /analyze', detect?.spanId]);
    expect(analyze?.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'url.template': '/analyze',
      'server.address': '127.0.0.1',
      'server.port': port,
      'http.response.status_code': 200,
    });
    expect(headers.at(-1)?.traceparent).to.equal(`00-${TRACE}-${analyze?.spanId ?? ''}-01`);
  });

  it('have no span for probes', async () => {
    await start();
    for (const path of ['/healthz', '/readyz']) await harness.call('GET', path);
    await harness.call('GET', '/openapi.json');
    expect((await stop()).map(({ name }) => name)).to.deep.equal(['GET /openapi.json']);
  });

  it('contain nothing that a caller chose', async () => {
    await start();
    const headers = {
      'user-agent': CHOSEN.agent,
      'x-request-id': CHOSEN.requestId,
      'x-guardrail-team': CHOSEN.team,
      'x-litellm-customer-id': endUser,
      baggage: `customer=${CHOSEN.header}`,
      traceparent: TRACEPARENT,
    };
    await guard(`Write to ${email}, ${iban}.`, { headers });
    await harness.guard({ input_type: email, texts: [email] }, { headers });
    await harness.call('GET', `/sessions/${encodeURIComponent(email)}?q=${CHOSEN.query}`, undefined, { headers });
    await harness.call('POST', `/${CHOSEN.path}?q=${CHOSEN.query}`, { end_user_id: endUser }, { headers });
    await harness.call('POST', '/subjects/erase', { end_user_id: endUser }, { headers });
    await harness.chat(`Write to ${email}.`, { user: endUser, model: CHOSEN.model, stream: true }, { headers });
    const proxied = [`/v1/chat/completions?q=${CHOSEN.query}`, `/${CHOSEN.path}`, `/v1/responses/${CHOSEN.path}`];
    for (const path of proxied) {
      const body = JSON.stringify({ messages: [{ role: 'user', content: email }] });
      await (await fetch(harness.proxyUrl + path, { method: 'POST', headers, body })).text();
    }
    harness.script((response) => response.writeHead(500).end(`No ${email}.`));
    await (await harness.chat(`Write to ${email}.`, {}, { headers })).text();
    const spans = await stop();
    expect(spans.length).to.be.greaterThan(12);
    const bytes = exporting.receiver.bytes();
    expect(exporting.receiver.points().length).to.be.greaterThan(50);
    for (const value of [...Object.values(PLANTED), ...Object.values(CHOSEN)]) {
      for (const spelling of [value, encodeURIComponent(value), Buffer.from(value).toString('base64').slice(0, -4)]) {
        expect(bytes.includes(spelling), `${value} was exported`).to.equal(false);
      }
    }
  });

  for (const [what, status] of [
    ['answers with errors', 503],
    ['never answers', undefined],
  ] as const) {
    it(`neither slow nor fail calls if the collector ${what}, and the end waits only as long as it may`, async () => {
      await start({
        ...{ OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_METRIC_EXPORT_INTERVAL: '20' },
        OTEL_EXPORTER_OTLP_TIMEOUT: String(EXPORT_MS),
      });
      exporting.receiver.answer(status);
      for (let at = 0; at < 30; at += 1) expect((await guard(`Write to ${email}.`)).status).to.equal(200);
      await harness.stop();
      const begun = performance.now();
      await exporting.finish(300);
      // The SDK itself would wait until its exports have timed out, and does so in the background.
      expect(performance.now() - begun).to.be.lessThan(EXPORT_MS - 500);
      expect(exporting.receiver.requests()).to.be.greaterThan(0);
      expect(exporting.logs.filter((line) => line.includes('cannot export'))).to.have.length.at.most(1);
    });
  }
});
