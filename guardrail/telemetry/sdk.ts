/** Sets up OpenTelemetry's SDK. It takes 40 MB of memory, so only `startTelemetry` imports this file, when it is asked for. */
import { randomUUID } from 'node:crypto';
import { context, diag, DiagLogLevel, metrics as globalMetrics, propagation, trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { core, metrics, NodeSDK, resources } from '@opentelemetry/sdk-node';
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import packageJson from '../../package.json' with { type: 'json' };
import { createApiTracing } from './apiTracing.ts';
import { createMetricProducer, type MetricSource } from './metricProducer.ts';
import { metricsProtocol, type TelemetryRequest } from './request.ts';
import { setTracing } from './tracing.ts';

export interface SdkOptions extends MetricSource {
  readonly request: TelemetryRequest;
  /** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace it. */
  readonly serviceName: string;
  /** Called for each problem of the export. */
  readonly onProblem: (error?: unknown) => void;
}

/**
 * Starts the SDK, which reads its other variables from the environment of the process.
 * @returns a function that sends what is left, and ends the SDK
 */
export function startSdk({ request, serviceName, onProblem, ...source }: SdkOptions): () => Promise<void> {
  const sdk = new NodeSDK({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes({
        [ATTR_SERVICE_NAME]: serviceName,
        [ATTR_SERVICE_VERSION]: packageJson.version,
        // Each process counts for itself: its workers and replicas are instances of one service.
        [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
      }),
    ),
    // Of the SDK's own choice, the command line and the user of the process are left out.
    ...(process.env.OTEL_NODE_RESOURCE_DETECTORS === undefined && {
      resourceDetectors: [resources.envDetector, resources.hostDetector],
    }),
    metricReaders: metricReaders(request.metrics, source),
    // An empty list keeps the SDK from its default, which is to export everything.
    ...(request.traces.length === 0 && { spanProcessors: [] }),
    ...(request.logs.length === 0 && { logRecordProcessors: [] }),
  });
  // After the constructor: with OTEL_LOG_LEVEL, it installs a logger that prints answers of the collector.
  const ignore = (): void => undefined;
  const problem = (): void => {
    onProblem();
  };
  diag.setLogger(
    { error: problem, warn: problem, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  core.setGlobalErrorHandler((error) => {
    onProblem(error);
  });
  sdk.start();
  if (request.traces.length > 0) setTracing(createApiTracing());
  return async () => {
    setTracing(undefined);
    // First: what outlives its time limit must not disable what starts after it.
    for (const part of [trace, context, propagation, globalMetrics, logs]) part.disable();
    await sdk.shutdown();
  };
}

function metricReaders(exporters: readonly string[], source: MetricSource): metrics.PeriodicExportingMetricReader[] {
  const exportIntervalMillis = positive(process.env.OTEL_METRIC_EXPORT_INTERVAL) ?? 60_000;
  const timeout = positive(process.env.OTEL_METRIC_EXPORT_TIMEOUT) ?? 30_000;
  return exporters.map(
    (name) =>
      new metrics.PeriodicExportingMetricReader({
        exporter: name === 'console' ? new metrics.ConsoleMetricExporter() : otlpExporter(),
        exportIntervalMillis,
        exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
        metricProducers: [createMetricProducer(source)],
      }),
  );
}

function otlpExporter(): metrics.PushMetricExporter {
  switch (metricsProtocol(process.env)) {
    case 'grpc':
      return new GrpcExporter();
    case 'http/json':
      return new JsonExporter();
    default:
      return new ProtobufExporter();
  }
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
