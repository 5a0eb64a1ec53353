import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';

/** Metrics of budgets, in addition to those of the runtime and of the gateway calls. */
export interface BudgetMetrics {
  readonly drift: Counter;
  readonly orphaned: Counter<'reason'>;
}

/** Creates the metrics of budgets. Call it once for each registry. */
export function budgetMetrics(registry: Registry): BudgetMetrics {
  return {
    drift: new Counter({
      name: 'gateway_guardrail_operator_budget_drift_total',
      help: 'Budgets that differed from the spec or were missing at the gateway, and were corrected.',
      registers: [registry],
    }),
    orphaned: new Counter({
      name: 'gateway_guardrail_operator_budgets_orphaned_total',
      help: 'Budgets that remained at the gateway when their resource was deleted, by reason.',
      labelNames: ['reason'],
      registers: [registry],
    }),
  };
}
