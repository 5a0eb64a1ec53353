/** For tests: the dependencies of a customer's reconcile, over an object in memory instead of an API server. */
import { Registry } from 'prom-client';
import {
  API_VERSION,
  type Condition,
  type GatewayCustomer,
  type GatewayCustomerSpec,
} from '../../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../../connection/connection.ts';
import { testIdentity } from '../../connection/testing/testIdentity.ts';
import { Claims } from '../../external/external.ts';
import type { GatewayClients } from '../../gateway/gateway.ts';
import type { Dependencies } from '../dependencies.ts';
import { customerMetrics } from '../metrics.ts';
import { customerClaims } from '../status.ts';

/** A customer as the API server would return it. */
export function customerOf(spec: Partial<GatewayCustomerSpec>, uid = 'uid-1'): GatewayCustomer {
  return {
    apiVersion: API_VERSION,
    kind: 'GatewayCustomer',
    metadata: {
      name: 'customer',
      namespace: 'default',
      uid,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-11-21T00:00:00Z',
    },
    spec: { instanceRef: { name: 'main' }, customerId: 'customer', ...spec },
  };
}

/** A customer with a status. */
export function withStatus(status: NonNullable<GatewayCustomer['status']>, metadata: object = {}): GatewayCustomer {
  const customer = customerOf({});
  return { ...customer, metadata: { ...customer.metadata, ...metadata }, status };
}

/** A condition Synced. */
export function syncedCondition(reason: string, status: Condition['status'] = 'False'): Condition {
  return {
    type: 'Synced',
    status,
    reason,
    message: '',
    lastTransitionTime: '2026-11-21T11:00:00Z',
    observedGeneration: 1,
  };
}

/** A connection to a gateway at an address. */
export function connectionOf(endpoint: string, masterKey: string): GatewayConnection {
  return {
    instance: { namespace: 'default', name: 'main', uid: 'instance-1' },
    endpoint,
    proxyName: 'litellm',
    masterKey,
    ca: undefined,
    rateLimit: { qps: 10_000, burst: 10_000, maxConcurrent: 16 },
    syncInterval: 300_000,
    enforcement: { blockedUserCheck: false, preCallChecks: false },
  };
}

/** The dependencies of a sync. It reads and writes the customer in `stored`. */
export function memoryDependencies(clients: GatewayClients, stored: { customer: GatewayCustomer }): Dependencies {
  const nothing = { get: () => [], keys: () => [] };
  const finalizer: Dependencies['finalizer'] = {
    name: 'test',
    isSet: (customer) => customer.metadata.finalizers?.includes('test') === true,
    add: (customer, annotations = {}) => {
      const added = Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== null);
      stored.customer = {
        ...customer,
        metadata: {
          ...customer.metadata,
          finalizers: ['test'],
          annotations: { ...customer.metadata.annotations, ...Object.fromEntries(added) },
        },
      };
      return Promise.resolve(stored.customer);
    },
    remove: () => Promise.resolve(),
    beforeExternalWrite: () => undefined,
    lostObjects: () => [],
    markCleanedUp: () => undefined,
  };
  const dependencies: Omit<
    Dependencies,
    'client' | 'connections' | 'guardrails' | 'byBudget' | 'byPolicy' | 'monotonic'
  > = {
    clients,
    finalizer,
    cache: { get: () => stored.customer, list: () => [stored.customer], size: 1, synced: true, indexBy: () => nothing },
    events: { record: () => undefined },
    status: {
      write: (customer, status) => {
        stored.customer = { ...customer, status };
        return Promise.resolve(stored.customer);
      },
    },
    instances: { get: () => undefined, list: () => [], size: 0, synced: true },
    budgets: { get: () => undefined },
    policies: { get: () => undefined },
    budgetsByInstance: nothing,
    byClaim: nothing,
    byGateway: nothing,
    byInstance: nothing,
    byUid: nothing,
    claims: new Claims(
      { identity: testIdentity, instances: { get: () => undefined }, byGateway: nothing, byClaim: nothing },
      customerClaims,
    ),
    identity: testIdentity,
    metrics: customerMetrics(new Registry()),
    now: () => new Date('2026-11-21T00:00:01Z'),
  };
  // A sync uses no other dependencies.
  return dependencies as Dependencies;
}
