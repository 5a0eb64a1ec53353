import type { GatewayInstance, GatewayInstanceSpec } from '../../api/v1alpha1/v1alpha1.ts';
import { API_VERSION } from '../../api/v1alpha1/v1alpha1.ts';

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
