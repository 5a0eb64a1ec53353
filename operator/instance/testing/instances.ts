import type { GatewayInstance, GatewayInstanceSpec } from '../../api/v1alpha1/v1alpha1.ts';
import { API_VERSION } from '../../api/v1alpha1/v1alpha1.ts';
import type { ConditionStates } from '../readiness.ts';
import type { ObservedFields } from '../status.ts';

/** An instance as the API server returns it. */
export function instanceOf(spec: Partial<GatewayInstanceSpec> = {}, name = 'main'): GatewayInstance {
  return {
    apiVersion: API_VERSION,
    kind: 'GatewayInstance',
    metadata: {
      name,
      namespace: 'ai',
      uid: 'uid-1',
      resourceVersion: '1',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      endpoint: 'https://gateway.example.com',
      masterKeySecretRef: { name: 'gateway', key: 'master-key' },
      ...spec,
    },
  };
}

/** The conditions of an instance that is ready. */
export const good: ConditionStates = {
  Reachable: { status: 'True', reason: 'Reachable', message: 'a' },
  ProxyConfigured: { status: 'True', reason: 'Configured', message: 'b' },
  DefaultBudgetEnforced: { status: 'False', reason: 'NotRequested', message: 'c' },
  GuardrailReady: { status: 'True', reason: 'Ready', message: 'd' },
};

/** What a reconcile of such an instance observes, in addition to its conditions. */
export const observed: ObservedFields = {
  endpoint: 'http://gateway',
  customers: { total: 1, synced: 1, failed: 0 },
  guardrail: undefined,
  budgetRowId: undefined,
};
