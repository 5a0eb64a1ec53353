import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';
import { CollectedGauge } from '../runtime/runtime.ts';
import type { CallReport, GatewayTarget } from './client.ts';
import type { GatewayLimit } from './clients.ts';

/**
 * Registers the metrics of gateway calls.
 * @returns the `report` option of `GatewayClients`
 */
export function gatewayCallMetrics(
  registry: Registry,
): (instance: GatewayTarget['instance'], call: CallReport) => void {
  const calls = new Counter({
    name: 'gateway_guardrail_operator_gateway_calls_total',
    help: 'Calls of the gateway admin API, by the HTTP status of the response (error: no response).',
    labelNames: ['gateway_namespace', 'gateway', 'operation', 'code'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'gateway_guardrail_operator_gateway_call_duration_seconds',
    help: 'Time from the start of a call of the gateway admin API to the end of its response.',
    labelNames: ['gateway_namespace', 'gateway', 'operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  return (instance, call) => {
    // Not `instance`: Prometheus reserves that name for the scrape target.
    const labels = { gateway_namespace: instance.namespace, gateway: instance.name, operation: call.operation };
    calls.inc({ ...labels, code: call.code });
    seconds.observe(labels, call.seconds);
  };
}

/**
 * Registers the metrics of the adaptive rate limits.
 * @param limits the current limits
 */
export function gatewayLimitMetrics(registry: Registry, limits: () => readonly GatewayLimit[]): void {
  const labelNames = ['gateway_namespace', 'gateway'] as const;
  const samples = (valueOf: (limit: GatewayLimit['limit']) => number) => () =>
    limits().map(({ instance, limit }) => ({
      labels: { gateway_namespace: instance.namespace, gateway: instance.name },
      value: valueOf(limit),
    }));
  const concurrency = {
    name: 'gateway_guardrail_operator_gateway_concurrency_limit',
    help: 'Maximum number of concurrent calls of the gateway admin API at the moment. It falls when calls fail or become slow, and rises to spec.rateLimit.maxConcurrent of the GatewayInstance.',
    labelNames,
  };
  const rate = {
    name: 'gateway_guardrail_operator_gateway_rate_limit_calls_per_second',
    help: 'Maximum number of calls of the gateway admin API per second at the moment. It falls when the gateway answers 429, and rises to spec.rateLimit.qps of the GatewayInstance.',
    labelNames,
  };
  new CollectedGauge(
    registry,
    concurrency,
    samples((limit) => limit.concurrency),
  );
  new CollectedGauge(
    registry,
    rate,
    samples((limit) => limit.qps),
  );
}
