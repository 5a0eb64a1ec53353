/** Sends a request to the upstream, and measures the time to the head of its answer. */
import type { CallState, Metrics } from '../http/http.ts';
import { inSpan } from '../telemetry/telemetry.ts';
import { ClientGoneError } from './errors.ts';
import { problemOf } from './failures.ts';
import type { Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts';
import { sendTraced, UPSTREAM_SPAN } from './upstreamSpan.ts';

export interface Measuring {
  /** The name of the operation in metrics. */
  readonly operation: string;
  readonly log: CallState['log'];
  readonly metrics: Metrics;
  /** Whether the base of the upstream is what is called. Envoy alone knows where its calls go. */
  readonly knowsAddress: boolean;
}

/** @throws as {@link Upstream.send} */
export async function sendMeasured(
  upstream: Upstream,
  request: UpstreamRequest,
  { operation, log, metrics, knowsAddress }: Measuring,
): Promise<UpstreamAnswer> {
  const start = performance.now();
  const observe = (outcome: string): void => {
    const ms = performance.now() - start;
    metrics.upstream(operation, outcome, ms / 1000);
    log.upstream_ms = Math.round(ms * 1000) / 1000;
  };
  try {
    const received = await inSpan(UPSTREAM_SPAN, (span) =>
      span ? sendTraced(request, { operation, upstream, knowsAddress }, span) : upstream.send(request),
    );
    log.upstream_status = received.status;
    observe(String(received.status));
    return received;
  } catch (thrown) {
    observe(thrown instanceof ClientGoneError ? 'client_gone' : problemOf(thrown).code);
    throw thrown;
  }
}
