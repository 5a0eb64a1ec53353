/** Spans of HTTP calls to other programs, by OpenTelemetry's conventions. Pure. */
import type { CallSpan, SpanAttributes, SpanStart } from './tracing.ts';

/**
 * The span of a call.
 * @param operation method and path, without the parts of the path that differ from call to call
 * @param base the address of the server; only its host and port are in the span
 */
export function httpClientSpan(operation: `${string} ${string}`, base: string | URL): SpanStart {
  const [method = '', template = ''] = operation.split(' ', 2);
  return {
    name: operation,
    kind: 'client',
    attributes: { 'http.request.method': method, 'url.template': template, ...serverAddress(base) },
  };
}

/** The host and the port of a server. Empty if the address is not a URL. */
export function serverAddress(base: string | URL): SpanAttributes {
  const url = URL.parse(String(base));
  if (url === null) return {};
  const standard = url.protocol === 'https:' ? 443 : 80;
  return { 'server.address': url.hostname, 'server.port': url.port === '' ? standard : Number(url.port) };
}

/** The headers of a call that name its span. */
export function traceHeadersOf(span: CallSpan): Record<string, string> {
  return Object.fromEntries(
    [...span.headers()].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
