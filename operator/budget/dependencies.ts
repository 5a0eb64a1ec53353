import { budgets, customers } from '../api/kinds.ts';
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import {
  type ExternalController,
  type ExternalDependencies,
  externalDependencies,
  recordMetrics,
} from '../external/external.ts';
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
  const metrics = recordMetrics(runtime.metrics, 'budget', 'Budgets');
  const dependencies = externalDependencies(runtime, given, budgets, budgetClaims, { metrics });
  const byUse = dependencies.cache.indexBy(budgetUseKeys);
  return { ...dependencies, byUse, byBudget: runtime.cache(customers).indexBy(budgetUses) };
}
