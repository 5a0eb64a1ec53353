/** For tests: resources as the API server would return them. */
import {
  API_VERSION,
  type Condition,
  type GatewayBudget,
  type GatewayBudgetSpec,
  type GatewayBudgetStatus,
  type GatewayCustomer,
  type GatewayCustomerSpec,
} from '../../api/v1alpha1/v1alpha1.ts';

/** A budget `ai/gold` of the instance `ai/main`. */
export function budgetOf(
  spec: Partial<GatewayBudgetSpec> = {},
  status?: GatewayBudgetStatus,
  metadata: Partial<GatewayBudget['metadata']> = {},
): GatewayBudget {
  return {
    apiVersion: API_VERSION,
    kind: 'GatewayBudget',
    metadata: {
      name: 'gold',
      namespace: 'ai',
      uid: 'uid-1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-11-21T00:00:00Z',
      ...metadata,
    },
    spec: { instanceRef: { name: 'main', namespace: 'ai' }, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** A condition Ready. */
export function readyCondition(status: Condition['status'], reason: string): Condition {
  return {
    type: 'Ready',
    status,
    reason,
    message: '',
    lastTransitionTime: '2026-11-21T00:00:00Z',
    observedGeneration: 1,
  };
}

/** A customer of the instance `ai/main`. */
export function customerIn(namespace: string, name: string, spec: Partial<GatewayCustomerSpec> = {}): GatewayCustomer {
  return {
    apiVersion: API_VERSION,
    kind: 'GatewayCustomer',
    metadata: { ...budgetOf().metadata, namespace, name, uid: `${namespace}/${name}` },
    spec: { instanceRef: { name: 'main', namespace: 'ai' }, customerId: name, ...spec },
  };
}
