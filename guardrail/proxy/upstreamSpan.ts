/** The span of a request to the upstream, until the head of its answer. */
import { spanMethod } from '../http/http.ts';
import { serverAddress, withTraceHeaders, type CallSpan, type SpanStart } from '../telemetry/telemetry.ts';
import { ClientGoneError } from './errors.ts';
import { problemOf } from './failures.ts';
import type { Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts';

export const UPSTREAM_SPAN: SpanStart = { name: 'upstream', kind: 'client' };

interface Destination {
  /** The name of the operation in metrics. */
  readonly operation: string;
  readonly upstream: Upstream;
  /** Whether the base of the upstream is what is called. */
  readonly knowsAddress: boolean;
}

/** Sends a request as a part of the trace. */
export async function sendTraced(
  request: UpstreamRequest,
  { operation, upstream, knowsAddress }: Destination,
  span: CallSpan,
): Promise<UpstreamAnswer> {
  const method = spanMethod(request.method);
  span.rename(`${method} ${operation}`);
  span.set({
    'http.request.method': method,
    // In place of the path and the query, which can contain ids.
    'guardrail.operation': operation,
    // For a call of Envoy, the base is the authority that the client has sent.
    ...(knowsAddress && serverAddress(upstream.base)),
  });
  try {
    const answer = await upstream.send({ ...request, headers: withTraceHeaders(request.headers, span) });
    span.set({ 'http.response.status_code': answer.status });
    if (answer.status >= 400) span.fail(String(answer.status));
    return answer;
  } catch (thrown) {
    span.fail(thrown instanceof ClientGoneError ? 'client_gone' : problemOf(thrown).code);
    throw thrown;
  }
}
