import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';

/** Metrics of customers, in addition to those of the runtime and of the gateway calls. */
export interface CustomerMetrics {
  /** Seconds from the creation of a resource to its first successful sync. */
  readonly firstSync: Histogram;
  readonly drift: Counter;
  readonly orphaned: Counter<'reason'>;
}

/** Creates the metrics of customers. Call it once for each registry. */
export function customerMetrics(registry: Registry): CustomerMetrics {
  return {
    firstSync: new Histogram({
      name: 'gateway_guardrail_operator_customer_first_sync_seconds',
      help: 'Time from the creation of a customer resource to its first successful sync.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
      registers: [registry],
    }),
    drift: new Counter({
      name: 'gateway_guardrail_operator_customer_drift_total',
      help: 'Customer records that differed from the spec or were missing at the gateway, and were corrected.',
      registers: [registry],
    }),
    orphaned: new Counter({
      name: 'gateway_guardrail_operator_customers_orphaned_total',
      help: 'Customer records that remained at the gateway when their resource was deleted, by reason.',
      labelNames: ['reason'],
      registers: [registry],
    }),
  };
}
