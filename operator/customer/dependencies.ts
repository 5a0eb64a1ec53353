import { budgets, customers, policies } from '../api/kinds.ts';
import type { GatewayBudget, GatewayCustomer, GatewayInstance, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { budgetUses } from '../budget/budget.ts';
import { instanceIndexKeys } from '../connection/connection.ts';
import { enforcementFields } from '../enforcement/enforcement.ts';
import { type ExternalController, type ExternalDependencies, externalDependencies } from '../external/external.ts';
import type { Field } from '../gateway/gateway.ts';
import type { GuardrailEndpoint } from '../guardrail/guardrail.ts';
import { customerPolicyUses } from '../policy/policy.ts';
import type { Index, Lister, Runtime } from '../runtime/runtime.ts';
import { customerMetrics } from './metrics.ts';
import { customerClaims } from './status.ts';

/**
 * Returns the guardrail processes that store the sessions of an instance's customers: every pod if the store is in
 * memory, one pod if it is shared, none if the instance has no guardrail. Throws if they are unknown.
 */
export type GuardrailEndpoints = (instance: GatewayInstance) => Promise<readonly GuardrailEndpoint[]>;

/** The dependencies of the customer controller. */
export interface CustomerDependencies extends ExternalController {
  /** Where the sessions of a deleted customer are erased. Default: nowhere. */
  readonly guardrails?: GuardrailEndpoints;
}

/** The dependencies of a customer's reconcile. */
export interface Dependencies extends ExternalDependencies<GatewayCustomer, Field> {
  readonly guardrails: GuardrailEndpoints;
  readonly budgets: Pick<Lister<GatewayBudget>, 'get'>;
  readonly policies: Pick<Lister<GuardrailPolicy>, 'get'>;
  readonly byUid: Index<GatewayCustomer>;
  /** Budgets by the instance that they refer to, as `namespace/name`. */
  readonly budgetsByInstance: Index<GatewayBudget>;
  /** Customers by {@link budgetUses}. */
  readonly byBudget: Index<GatewayCustomer>;
  /** Customers by {@link customerPolicyUses}. */
  readonly byPolicy: Index<GatewayCustomer>;
}

/** Creates the dependencies of the reconcile. Call it before the controllers start. */
export function createDependencies(runtime: Runtime, given: CustomerDependencies): Dependencies {
  const cache = runtime.cache(customers);
  const budgetCache = runtime.cache(budgets);
  return {
    ...externalDependencies(runtime, given, customers, customerClaims, {
      metrics: customerMetrics(runtime.metrics),
      status: { except: enforcementFields.customer },
    }),
    guardrails: given.guardrails ?? (() => Promise.resolve([])),
    budgets: budgetCache,
    policies: runtime.cache(policies),
    byUid: cache.indexBy(({ metadata }) => [metadata.uid]),
    budgetsByInstance: budgetCache.indexBy(instanceIndexKeys),
    byBudget: cache.indexBy(budgetUses),
    byPolicy: cache.indexBy(customerPolicyUses),
  };
}
