import { annotations, FINALIZER, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { customers, instances } from '../api/kinds.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import type { Connections } from '../connection/connection.ts';
import type {
  Cache,
  EventRecorder,
  Finalizer,
  Index,
  KubeClient,
  Lister,
  ObjectKey,
  Runtime,
  StatusWriter,
} from '../runtime/runtime.ts';
import { keyText } from '../runtime/runtime.ts';
import type { GuardrailEndpoints } from './erasure.ts';
import { gatewayAddress } from './gatewayAddress.ts';
import type { CustomerMetrics } from './metrics.ts';
import { customerMetrics } from './metrics.ts';

/** What the customers' controller needs of the rest of the operator. */
export interface CustomerDependencies {
  readonly connections: Connections;
  readonly clients: GatewayClients;
  /** Where a deleted customer's sessions are to be erased. Default: nowhere. */
  readonly guardrails?: GuardrailEndpoints;
}

/** What a customer's reconcile works with. */
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
  /** Customers by the instance and the id that they name: see {@link claimKey}. */
  readonly byClaim: Index<GatewayCustomer>;
  readonly byUid: Index<GatewayCustomer>;
  /** Instances by the gateway that they lead to: see {@link gatewayAddress}. */
  readonly byGateway: Index<GatewayInstance>;
  /** Customers by the instance that they refer to, as `namespace/name`. */
  readonly byInstance: Index<GatewayCustomer>;
  readonly metrics: CustomerMetrics;
  /** The time of day, for what people read. */
  readonly now: () => Date;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
}

/** Takes from the runtime what the reconcile needs. Only while wiring. */
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

/** The instance that a customer refers to. */
export function instanceKeyOf(customer: GatewayCustomer): ObjectKey {
  const { name, namespace } = customer.spec.instanceRef;
  return { name, namespace: namespace ?? customer.metadata.namespace };
}

/** The same for all customers of an instance that name the same id. */
export function claimKey(instance: ObjectKey, customerId: string): string {
  return `${keyText(instance)}/${customerId}`;
}

/** Whether an annotation of ours is switched on. */
export function isOn(customer: GatewayCustomer, annotation: 'paused' | 'forceDelete'): boolean {
  return customer.metadata.annotations?.[annotations[annotation]] === 'true';
}
