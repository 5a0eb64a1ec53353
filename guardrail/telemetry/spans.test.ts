import { expect } from 'chai';
import { startExporting, type Exporting } from './testing/exporting.ts';
import { inSpan, isTracing, traceFields, withTraceHeaders, type Carrier, type SpanStart } from './telemetry.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const PLANTED = 'planted.person@example.org';

const carrier =
  (headers: Readonly<Record<string, string>>): Carrier =>
  (name) =>
    headers[name];
const server = (headers: Readonly<Record<string, string>>): SpanStart => ({
  name: 'serve',
  kind: 'server',
  parent: carrier(headers),
});
const SENT = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' };

describe('spans', () => {
  let exporting: Exporting;
  const traced = (env: Readonly<Record<string, string>>, test: () => Promise<void>) => async (): Promise<void> => {
    exporting = await startExporting({ OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', ...env });
    try {
      await test();
    } finally {
      await exporting.finish();
    }
  };

  it('do not exist without a variable that asks for them', async () => {
    expect(isTracing()).to.equal(false);
    expect(traceFields()).to.deep.equal({});
    // The logger writes the fields of a line into it.
    expect(traceFields()).not.to.equal(traceFields());
    expect(await inSpan(server(SENT), (span) => Promise.resolve(span))).to.equal(undefined);
  });

  it(
    'continue the trace of the sender, and hand it on',
    traced({}, async () => {
      const sent = await inSpan(server(SENT), () =>
        inSpan({ name: 'call', kind: 'client', attributes: { a: 1 } }, (span) =>
          Promise.resolve(
            span && withTraceHeaders(['traceparent', 'old', 'accept', '*/*', 'tracestate', 'old=1'], span),
          ),
        ),
      );
      await exporting.finish();
      const [call, serve] = exporting.receiver.spans();
      expect([serve?.name, serve?.kind, serve?.traceId, serve?.parentSpanId, serve?.traceState]).to.deep.equal([
        'serve',
        2,
        TRACE,
        PARENT,
        'vendor=1',
      ]);
      expect([call?.kind, call?.traceId, call?.parentSpanId]).to.deep.equal([3, TRACE, serve?.spanId]);
      expect(call?.attributes).to.deep.equal({ a: 1 });
      const traceparent = `00-${TRACE}-${call?.spanId ?? ''}-01`;
      expect(sent).to.deep.equal(['accept', '*/*', 'traceparent', traceparent, 'tracestate', 'vendor=1']);
      expect(serve?.resource).to.include({ 'service.name': 'service-under-test' });
      expect(serve?.resource['service.instance.id']).to.be.a('string');
    }),
  );

  it(
    'begin a trace for a sender whose headers are damaged, and drop its state',
    traced({}, async () => {
      const sent = await inSpan(server({ traceparent: 'damaged', tracestate: 'vendor=1' }), (span) =>
        Promise.resolve(span && withTraceHeaders(['traceparent', 'damaged', 'tracestate', 'vendor=1'], span)),
      );
      await exporting.finish();
      const [serve] = exporting.receiver.spans();
      expect(serve?.parentSpanId).to.equal('');
      expect(sent).to.deep.equal(['traceparent', `00-${serve?.traceId ?? ''}-${serve?.spanId ?? ''}-01`]);
    }),
  );

  it(
    'are not exported if the sender does not sample them, and the trace goes on',
    traced({}, async () => {
      const headers = { traceparent: `00-${TRACE}-${PARENT}-00` };
      const sent = await inSpan(server(headers), (span) => Promise.resolve(span && withTraceHeaders([], span)));
      await exporting.finish();
      expect(exporting.receiver.spans()).to.deep.equal([]);
      expect(sent?.[1]).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    }),
  );

  it(
    'follow the sampler and the propagators of the environment',
    traced({ OTEL_TRACES_SAMPLER: 'always_off', OTEL_PROPAGATORS: 'b3' }, async () => {
      const sent = await inSpan(server({ b3: `${TRACE}-${PARENT}-1` }), (span) =>
        Promise.resolve(span && withTraceHeaders(['b3', 'old', 'traceparent', 'kept'], span)),
      );
      await exporting.finish();
      expect(exporting.receiver.spans()).to.deep.equal([]);
      expect(sent?.slice(0, 3)).to.deep.equal(['traceparent', 'kept', 'b3']);
      expect(sent?.[3]).to.match(new RegExp(`^${TRACE}-[0-9a-f]{16}-0$`));
    }),
  );

  it(
    'neither export nor hand on the baggage of a sender',
    traced({}, async () => {
      const sent = await inSpan(server({ ...SENT, baggage: `customer=${PLANTED}` }), (span) =>
        Promise.resolve(span && withTraceHeaders(['baggage', `customer=${PLANTED}`], span)),
      );
      await exporting.finish();
      // Where headers are forwarded, it stays what it was.
      expect(sent?.slice(0, 2)).to.deep.equal(['baggage', `customer=${PLANTED}`]);
      expect(sent?.filter((name) => name === 'baggage')).to.have.length(1);
      expect(exporting.receiver.bytes()).not.to.include(PLANTED);
    }),
  );

  it(
    'say that work failed, without what its error quotes',
    traced({}, async () => {
      const failing = inSpan(server({}), () => Promise.reject(new RangeError(`No ${PLANTED}.`)));
      expect(await failing.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
      await exporting.finish();
      const [serve] = exporting.receiver.spans();
      expect([serve?.status, serve?.attributes, serve?.events]).to.deep.equal([2, { 'error.type': 'RangeError' }, []]);
      expect(exporting.receiver.bytes()).not.to.include(PLANTED);
    }),
  );

  it(
    'join the log to the trace',
    traced({}, async () => {
      const fields = await inSpan(server(SENT), () => Promise.resolve(traceFields()));
      expect(traceFields()).to.deep.equal({});
      await exporting.finish();
      expect(fields).to.deep.equal({ trace_id: TRACE, span_id: exporting.receiver.spans()[0]?.spanId });
    }),
  );
});
