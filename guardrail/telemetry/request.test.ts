import { expect } from 'chai';
import { telemetryRequest } from './request.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const NOTHING = { traces: [], metrics: [], logs: [], problems: [] };

describe('what the environment asks OpenTelemetry to export', () => {
  const cases: readonly (readonly [
    what: string,
    env: Record<string, string>,
    expected: Partial<NonNullable<ReturnType<typeof telemetryRequest>>> | undefined,
  ])[] = [
    ['nothing without variables', {}, undefined],
    ['nothing for empty variables', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ', OTEL_TRACES_EXPORTER: '' }, undefined],
    ['nothing for a name or a sampler alone', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }, undefined],
    ['everything for an endpoint', ENDPOINT, { traces: ['otlp'], metrics: ['otlp'], logs: ['otlp'] }],
    [
      'one signal for its own endpoint',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://collector/v1/metrics' },
      { metrics: ['otlp'] },
    ],
    ['one signal for its own exporter', { OTEL_TRACES_EXPORTER: 'otlp' }, { traces: ['otlp'] }],
    ['several exporters, each once', { OTEL_TRACES_EXPORTER: 'otlp, console,otlp' }, { traces: ['otlp', 'console'] }],
    [
      'everything but a signal without an exporter',
      { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none' },
      { traces: ['otlp'], logs: ['otlp'] },
    ],
    ['nothing if all have none', { ...ENDPOINT, ...signals('none') }, undefined],
    ['nothing if the SDK is disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
    ['nothing for prometheus, which is always served', { OTEL_METRICS_EXPORTER: 'prometheus' }, undefined],
    [
      'a problem for an unknown exporter, and the other signals',
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'jaeger' },
      {
        metrics: ['otlp'],
        logs: ['otlp'],
        problems: ['OTEL_TRACES_EXPORTER must be one of otlp, console, zipkin or none.'],
      },
    ],
    [
      'one problem for an address that is not one',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      {
        problems: ['OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, for example http://collector:4318.'],
      },
    ],
    [
      'everything for an address of gRPC without a scheme',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      { traces: ['otlp'], metrics: ['otlp'], logs: ['otlp'] },
    ],
    [
      'a problem for an unknown protocol',
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http' },
      {
        traces: ['otlp'],
        metrics: ['otlp'],
        problems: ['OTEL_EXPORTER_OTLP_LOGS_PROTOCOL must be one of http/protobuf, http/json, grpc.'],
      },
    ],
  ];
  for (const [what, env, expected] of cases) {
    it(`is ${what}`, () => {
      expect(telemetryRequest(env)).to.deep.equal(expected && { ...NOTHING, ...expected });
    });
  }

  it('quotes no value, which can contain credentials', () => {
    const secret = 'planted-secret';
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: secret, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: secret, ...signals(secret) };
    expect(JSON.stringify(telemetryRequest(env))).not.to.include(secret);
  });
});

function signals(value: string): Record<string, string> {
  return Object.fromEntries(['TRACES', 'METRICS', 'LOGS'].map((signal) => [`OTEL_${signal}_EXPORTER`, value]));
}
