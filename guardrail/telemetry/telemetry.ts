/**
 * Traces, metrics and logs over OTLP, for both programs. Nothing of OpenTelemetry's SDK is loaded unless a variable of the
 * environment asks for it, and a span that nobody records costs a comparison.
 */
export { httpClientSpan, serverAddress, traceHeadersOf } from './httpClient.ts';
export { telemetryRequest, type TelemetryRequest } from './request.ts';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './start.ts';
export {
  inSpan,
  isTracing,
  traceFields,
  withTraceHeaders,
  type Carrier,
  type CallSpan,
  type SpanAttributes,
  type SpanStart,
} from './tracing.ts';
