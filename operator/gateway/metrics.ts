import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';
import type { CallReport, GatewayTarget } from './gatewayHttp.ts';

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
