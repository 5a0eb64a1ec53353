import { annotations, FINALIZER, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { customers, instances } from '../api/kinds.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import type { Connections } from '../instance/instance.ts';
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
import type { GuardrailEndpoints } from './erasure.ts';
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
export interface Parts {
  readonly connections: Connections;
  readonly clients: GatewayClients;
  readonly guardrails: GuardrailEndpoints;
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: EventRecorder;
  readonly status: StatusWriter<GatewayCustomer>;
  readonly finalizer: Finalizer<GatewayCustomer>;
  readonly cache: Cache<GatewayCustomer>;
  readonly instances: Lister<GatewayInstance>;
  /** Customers by the gateway and the id that they speak of: see {@link claimKey}. */
  readonly byClaim: Index<GatewayCustomer>;
  /** Customers by the instance that they refer to: see {@link instanceKeyText}. */
  readonly byInstance: Index<GatewayCustomer>;
  readonly metrics: CustomerMetrics;
  /** The time of day, for what people read. */
  readonly now: () => Date;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
}

/** Takes from the runtime what the reconcile needs. Only while wiring. */
export function partsOf(runtime: Runtime, dependencies: CustomerDependencies): Parts {
  const cache = runtime.cache(customers);
  return {
    connections: dependencies.connections,
    clients: dependencies.clients,
    guardrails: dependencies.guardrails ?? (() => Promise.resolve([])),
    client: runtime.client,
    events: runtime.events,
    status: runtime.status(customers),
    finalizer: runtime.finalizer(customers, FINALIZER),
    cache,
    instances: runtime.cache(instances),
    byClaim: cache.indexBy((customer) => [claimKey(customer)]),
    byInstance: cache.indexBy((customer) => [instanceKeyText(customer)]),
    metrics: customerMetrics(runtime.metrics),
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  };
}

/** The instance that a customer refers to, as `namespace/name`. */
export function instanceKeyText(customer: GatewayCustomer): string {
  const { name, namespace } = customer.spec.instanceRef;
  return `${namespace ?? customer.metadata.namespace}/${name}`;
}

/** The same for all customers that speak of the same record of the same gateway. */
export function claimKey(customer: GatewayCustomer): string {
  return `${instanceKeyText(customer)}/${customer.spec.customerId}`;
}

/** Whether an annotation of ours is switched on. */
export function isOn(customer: GatewayCustomer, annotation: 'paused' | 'forceDelete'): boolean {
  return customer.metadata.annotations?.[annotations[annotation]] === 'true';
}
