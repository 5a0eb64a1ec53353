import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';

/** What is counted about customers, beside the runtime's metrics and those of the calls of the gateway. */
export interface CustomerMetrics {
  /** Seconds from the creation of a resource until its record first agreed with it. */
  readonly firstSync: Histogram;
  /** Records that were found changed at the gateway. */
  readonly drift: Counter;
  /** Records that were left behind at the gateway when their resource went, by why. */
  readonly orphaned: Counter<'why'>;
}

/** Why a record was left behind. */
export type OrphanedWhy = 'policy' | 'crd_deleted' | 'namespace_deleted' | 'forced' | 'vanished';

/** Makes the metrics of customers. Once a registry. */
export function customerMetrics(registry: Registry): CustomerMetrics {
  return {
    firstSync: new Histogram({
      name: 'gateway_guardrail_operator_customer_first_sync_seconds',
      help: 'Time from the creation of a customer resource until the gateway had it.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
      registers: [registry],
    }),
    drift: new Counter({
      name: 'gateway_guardrail_operator_customer_drift_total',
      help: 'Customers that were found changed or missing at the gateway, and put right.',
      registers: [registry],
    }),
    orphaned: new Counter({
      name: 'gateway_guardrail_operator_customers_orphaned_total',
      help: 'Customers that were left behind at the gateway when their resource was deleted.',
      labelNames: ['why'],
      registers: [registry],
    }),
  };
}
