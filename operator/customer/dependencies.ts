import { FINALIZER, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { customers, instances } from '../api/kinds.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import { type Connections, gatewayAddress, instanceKeyOf } from '../connection/connection.ts';
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
import { keyText } from '../runtime/runtime.ts';
import type { GuardrailEndpoints } from './erasure.ts';
import { claimKey } from './customerResource.ts';
import type { CustomerMetrics } from './metrics.ts';
import { customerMetrics } from './metrics.ts';

/** The dependencies of the customer controller. */
export interface CustomerDependencies {
  readonly connections: Connections;
  readonly clients: GatewayClients;
  /** Where the sessions of a deleted customer are erased. Default: nowhere. */
  readonly guardrails?: GuardrailEndpoints;
}

/** The dependencies of a customer's reconcile. */
export interface Dependencies {
  readonly connections: Connections;
  readonly clients: GatewayClients;
  readonly guardrails: GuardrailEndpoints;
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: EventRecorder;
  readonly status: StatusWriter<GatewayCustomer>;
  readonly finalizer: Finalizer<GatewayCustomer>;
  readonly cache: Cache<GatewayCustomer>;
  readonly instances: Lister<GatewayInstance>;
  /** Customers by {@link claimKey}. */
  readonly byClaim: Index<GatewayCustomer>;
  readonly byUid: Index<GatewayCustomer>;
  /** Instances by {@link gatewayAddress}. */
  readonly byGateway: Index<GatewayInstance>;
  /** Customers by the instance that they refer to, as `namespace/name`. */
  readonly byInstance: Index<GatewayCustomer>;
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
  return {
    connections: dependencies.connections,
    clients: dependencies.clients,
    guardrails: dependencies.guardrails ?? (() => Promise.resolve([])),
    client: runtime.client,
    events: runtime.events,
    status: runtime.status(customers),
    finalizer: runtime.finalizer(customers, FINALIZER),
    cache,
    instances: instanceCache,
    byClaim: cache.indexBy((customer) => [claimKey(instanceKeyOf(customer), customer.spec.customerId)]),
    byUid: cache.indexBy(({ metadata }) => [metadata.uid]),
    byGateway: instanceCache.indexBy((instance) => [gatewayAddress(instance) ?? []].flat()),
    byInstance: cache.indexBy((customer) => [keyText(instanceKeyOf(customer))]),
    metrics: customerMetrics(runtime.metrics),
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  };
}
