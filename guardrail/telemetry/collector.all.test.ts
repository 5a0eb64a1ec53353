import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { logs, SeverityNumber } from '@opentelemetry/api-logs';
import { expect } from 'chai';
import { startCollector, type Collector } from '../../hack/harness/otelcol.ts';
import { eventually, HARNESS_ENV, KEY, PLANTED } from '../testing/appHarness.ts';
import { createMetrics } from '../http/http.ts';
import { withRedis } from '../testing/redis.ts';
import { inSpan } from './telemetry.ts';
import { startExporting } from './testing/exporting.ts';
import { startOtlpReceiver, type OtlpReceiver } from './testing/otlpReceiver.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const { email, endUser } = PLANTED;

interface Program {
  readonly output: () => string;
  /** Sends a call that is a part of the trace. */
  call(): Promise<void>;
  /** Ends the program. @returns its exit code, and how long it took */
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** Starts the guardrail, and waits until all its processes listen. */
async function startProgram(env: NodeJS.ProcessEnv, processes: number): Promise<Program> {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, ...HARNESS_ENV, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
  await eventually(() => output.split('"listening"').length > processes, 30_000);
  const port = /"port":(\d+)/.exec(output)?.[1] ?? '';
  return {
    output: () => output,
    async call() {
      const response = await fetch(`http://127.0.0.1:${port}/beta/litellm_basic_guardrail_api`, {
        method: 'POST',
        headers: {
          'x-api-key': KEY,
          'content-type': 'application/json',
          traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
          connection: 'close',
        },
        body: JSON.stringify({
          input_type: 'request',
          texts: [`Write to ${email}.`],
          request_data: { user_api_key_end_user_id: endUser },
        }),
      });
      expect(response.status).to.equal(200);
      await response.text();
    },
    async stop() {
      const begun = performance.now();
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.kill('SIGTERM');
      const [code] = await exited;
      return { code, ms: performance.now() - begun };
    },
  };
}

describe('the export to an OpenTelemetry Collector', function () {
  this.timeout(60_000);
  const redis = withRedis();
  let receiver: OtlpReceiver;
  let collector: Collector;

  before(async function () {
    // Building the collector takes a minute on a slow machine.
    this.timeout(600_000);
    receiver = await startOtlpReceiver();
    collector = await startCollector(receiver.url);
  });
  after(async () => {
    await collector.stop();
    receiver.close();
  });

  it('sends the spans of the store, the metrics of each worker, and what is left at the end', async () => {
    const env: NodeJS.ProcessEnv = {
      GUARDRAIL_STORE: redis().url,
      GUARDRAIL_WORKERS: '2',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.http,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      // Nothing is sent before the end.
      OTEL_BSP_SCHEDULE_DELAY: '60000',
      OTEL_METRIC_EXPORT_INTERVAL: '60000',
    };
    const program = await startProgram(env, 2);
    await program.call();
    expect((await program.stop()).code).to.equal(0);
    const output = program.output();

    const spans = receiver.spans().filter(({ traceId }) => traceId === TRACE);
    const call = spans.find(({ kind }) => kind === 2);
    const stored = spans.find(({ name }) => name === 'EVALSHA putMappings');
    expect(call?.resource).to.include({
      'service.name': 'gateway-guardrail',
      'deployment.environment.name': 'test',
    });
    expect([stored?.kind, stored?.parentSpanId]).to.deep.equal([3, call?.spanId]);
    expect(stored?.attributes).to.include({
      'db.system.name': 'redis',
      'db.operation.name': 'EVALSHA',
      'db.stored_procedure.name': 'putMappings',
      'server.address': '127.0.0.1',
    });
    const instances = new Set(receiver.points().map(({ resource }) => resource['service.instance.id']));
    expect(instances.size).to.equal(2);
    const calls = receiver.points().filter(({ name }) => name === 'guardrail_requests_total');
    expect(calls.map(({ type, value }) => [type, value])).to.deep.equal([['sum', 1]]);
    const line = output.split('\n').find((one) => one.includes('"request"')) ?? '';
    expect(line)
      .to.include(`"trace_id":"${TRACE}"`)
      .and.include(`"span_id":"${call?.spanId ?? ''}"`);
    for (const value of Object.values(PLANTED)) expect(receiver.bytes() + output).not.to.include(value);
  });

  it('ends in time if the collector does not respond', async () => {
    const silent = await startOtlpReceiver();
    silent.answer(undefined);
    // Without a limit, the SDK would wait as long as this.
    const timeout = { OTEL_EXPORTER_OTLP_TIMEOUT: '40000', OTEL_BSP_EXPORT_TIMEOUT: '40000' };
    const program = await startProgram({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url, ...timeout }, 1);
    await program.call();
    const { code, ms } = await program.stop();
    silent.close();
    expect(code).to.equal(0);
    expect(ms).to.be.lessThan(20_000);
    expect(silent.requests()).to.be.greaterThan(0);
  });

  it('sends spans, metrics and log records over gRPC', async () => {
    const metrics = createMetrics();
    const exporting = await startExporting(
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.grpc, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      metrics.registry,
    );
    await inSpan({ name: 'over grpc', kind: 'internal' }, () => {
      logs.getLogger('audit').emit({ severityNumber: SeverityNumber.INFO, body: 'an event', attributes: { count: 1 } });
      return Promise.resolve();
    });
    await exporting.finish();
    const span = receiver.spans().find(({ name }) => name === 'over grpc');
    expect(span?.resource['service.name']).to.equal('service-under-test');
    const record = receiver.logs().find(({ body }) => body === 'an event');
    expect([record?.attributes, record?.traceId]).to.deep.equal([{ count: 1 }, span?.traceId]);
    const own = receiver.points().filter(({ resource }) => resource['service.name'] === 'service-under-test');
    expect(own.map(({ name }) => name)).to.include('process_cpu_seconds_total');
  });
});
