import { budgets, customers, instances, policies } from '../api/kinds.ts';
import {
  FINALIZER,
  type GatewayBudget,
  type GatewayCustomer,
  type GatewayInstance,
  type GuardrailPolicy,
} from '../api/v1alpha1/v1alpha1.ts';
import { budgetUses } from '../budget/budget.ts';
import { type Connections, type GatewayIdentity, instanceIndexKeys, instanceKeyOf } from '../connection/connection.ts';
import { enforcementFields } from '../enforcement/enforcement.ts';
import { claimKey, Claims } from '../external/external.ts';
import type { Field, GatewayClients } from '../gateway/gateway.ts';
import type { GuardrailEndpoint } from '../guardrail/guardrail.ts';
import { customerPolicyUses } from '../policy/policy.ts';
import type {
  Cache,
  EventRecorder,
  Finalizer,
  Index,
  KubeClient,
  Lister,
  Runtime,
  StatusWriter,
} from '../runtime/runtime.ts';
import { type CustomerMetrics, customerMetrics } from './metrics.ts';
import { customerClaims } from './status.ts';

/**
 * Returns the guardrail processes that store the sessions of an instance's customers: every pod if the store is in
 * memory, one pod if it is shared, none if the instance has no guardrail. Throws if they are unknown.
 */
export type GuardrailEndpoints = (instance: GatewayInstance) => Promise<readonly GuardrailEndpoint[]>;

/** The dependencies of the customer controller. */
export interface CustomerDependencies {
  readonly identity: GatewayIdentity;
  readonly connections: Connections;
  readonly clients: GatewayClients;
  /** Where the sessions of a deleted customer are erased. Default: nowhere. */
  readonly guardrails?: GuardrailEndpoints;
}

/** The dependencies of a customer's reconcile. */
export interface Dependencies {
  readonly identity: GatewayIdentity;
  readonly connections: Connections;
  readonly clients: GatewayClients;
  readonly guardrails: GuardrailEndpoints;
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: EventRecorder;
  readonly status: StatusWriter<GatewayCustomer>;
  readonly finalizer: Finalizer<GatewayCustomer>;
  readonly cache: Cache<GatewayCustomer>;
  readonly instances: Lister<GatewayInstance>;
  readonly budgets: Pick<Lister<GatewayBudget>, 'get'>;
  readonly policies: Pick<Lister<GuardrailPolicy>, 'get'>;
  readonly claims: Claims<GatewayCustomer, Field>;
  /** Customers by {@link claimKey}. */
  readonly byClaim: Index<GatewayCustomer>;
  readonly byUid: Index<GatewayCustomer>;
  /** Customers by the instance that they refer to, as `namespace/name`. */
  readonly byInstance: Index<GatewayCustomer>;
  /** Budgets by the instance that they refer to, as `namespace/name`. */
  readonly budgetsByInstance: Index<GatewayBudget>;
  /** Customers by {@link budgetUses}. */
  readonly byBudget: Index<GatewayCustomer>;
  /** Customers by {@link customerPolicyUses}. */
  readonly byPolicy: Index<GatewayCustomer>;
  readonly metrics: CustomerMetrics;
  /** The time of day, for timestamps. */
  readonly now: () => Date;
  /** A monotonic clock in milliseconds, for intervals. */
  readonly monotonic: () => number;
}

/** Creates the dependencies of the reconcile. Call it before the controllers start. */
export function createDependencies(runtime: Runtime, dependencies: CustomerDependencies): Dependencies {
  const cache = runtime.cache(customers);
  const instanceCache = runtime.cache(instances);
  const budgetCache = runtime.cache(budgets);
  const { identity } = dependencies;
  const byClaim = cache.indexBy((customer) => [claimKey(instanceKeyOf(customer), customer.spec.customerId)]);
  const byGateway = instanceCache.indexBy(identity.indexKeys);
  return {
    identity,
    connections: dependencies.connections,
    clients: dependencies.clients,
    guardrails: dependencies.guardrails ?? (() => Promise.resolve([])),
    client: runtime.client,
    events: runtime.events,
    status: runtime.status(customers, { except: enforcementFields.customer }),
    finalizer: runtime.finalizer(customers, FINALIZER),
    cache,
    instances: instanceCache,
    budgets: budgetCache,
    policies: runtime.cache(policies),
    claims: new Claims({ identity, instances: instanceCache, byGateway, byClaim }, customerClaims),
    byClaim,
    byUid: cache.indexBy(({ metadata }) => [metadata.uid]),
    byInstance: cache.indexBy(instanceIndexKeys),
    budgetsByInstance: budgetCache.indexBy(instanceIndexKeys),
    byBudget: cache.indexBy(budgetUses),
    byPolicy: cache.indexBy(customerPolicyUses),
    metrics: customerMetrics(runtime.metrics),
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  };
}
