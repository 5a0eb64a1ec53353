import { budgets, customers, instances } from '../api/kinds.ts';
import { FINALIZER, type GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { type Connections, type GatewayIdentity, instanceIndexKeys, instanceKeyOf } from '../connection/connection.ts';
import { claimKey, Claims } from '../external/external.ts';
import type { GatewayClients, TierField } from '../gateway/gateway.ts';
import type { Cache, EventRecorder, Finalizer, Index, KubeClient, Runtime, StatusWriter } from '../runtime/runtime.ts';
import { type BudgetMetrics, budgetMetrics } from './metrics.ts';
import { budgetClaims, budgetIdOf } from './ownership.ts';
import { budgetUseKeys, budgetUses, type UserSources } from './users.ts';

/** The dependencies of the budget controller. */
export interface BudgetDependencies {
  readonly identity: GatewayIdentity;
  readonly connections: Connections;
  readonly clients: GatewayClients;
}

/** The dependencies of a budget's reconcile. */
export interface Dependencies extends BudgetDependencies, UserSources {
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: EventRecorder;
  readonly status: StatusWriter<GatewayBudget>;
  readonly finalizer: Finalizer<GatewayBudget>;
  readonly cache: Cache<GatewayBudget>;
  readonly claims: Claims<GatewayBudget, TierField>;
  /** Budgets by {@link budgetUseKeys}. */
  readonly byUse: Index<GatewayBudget>;
  /** Budgets by the instance that they refer to, as `namespace/name`. */
  readonly byInstance: Index<GatewayBudget>;
  readonly metrics: BudgetMetrics;
  /** The time of day, for timestamps. */
  readonly now: () => Date;
  /** A monotonic clock in milliseconds, for intervals. */
  readonly monotonic: () => number;
}

/** Creates the dependencies of the reconcile. Call it before the controllers start. */
export function createDependencies(
  runtime: Runtime,
  { identity, connections, clients }: BudgetDependencies,
): Dependencies {
  const cache = runtime.cache(budgets);
  const instanceCache = runtime.cache(instances);
  const byGateway = instanceCache.indexBy(identity.indexKeys);
  const byClaim = cache.indexBy((budget) => [claimKey(instanceKeyOf(budget), budgetIdOf(budget))]);
  return {
    identity,
    connections,
    clients,
    client: runtime.client,
    events: runtime.events,
    status: runtime.status(budgets),
    finalizer: runtime.finalizer(budgets, FINALIZER),
    cache,
    instances: instanceCache,
    claims: new Claims({ identity, instances: instanceCache, byGateway, byClaim }, budgetClaims),
    byBudget: runtime.cache(customers).indexBy(budgetUses),
    byGateway,
    byUse: cache.indexBy(budgetUseKeys),
    byInstance: cache.indexBy(instanceIndexKeys),
    metrics: budgetMetrics(runtime.metrics),
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  };
}
