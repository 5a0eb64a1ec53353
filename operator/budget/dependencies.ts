import { Counter, type Registry } from 'prom-client';
import { budgets, customers } from '../api/kinds.ts';
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { type ExternalController, type ExternalDependencies, externalDependencies } from '../external/external.ts';
import type { TierField } from '../gateway/gateway.ts';
import type { Index, Runtime } from '../runtime/runtime.ts';
import { budgetClaims } from './status.ts';
import { budgetUseKeys, budgetUses, type UserSources } from './users.ts';

/** The dependencies of a budget's reconcile. */
export interface Dependencies extends ExternalDependencies<GatewayBudget, TierField>, Pick<UserSources, 'byBudget'> {
  /** Budgets by {@link budgetUseKeys}. */
  readonly byUse: Index<GatewayBudget>;
}

/** Creates the dependencies of the reconcile. Call it before the controllers start. */
export function createDependencies(runtime: Runtime, given: ExternalController): Dependencies {
  const metrics = budgetMetrics(runtime.metrics);
  const dependencies = externalDependencies(runtime, given, budgets, budgetClaims, { metrics });
  const byUse = dependencies.cache.indexBy(budgetUseKeys);
  return { ...dependencies, byUse, byBudget: runtime.cache(customers).indexBy(budgetUses) };
}

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
