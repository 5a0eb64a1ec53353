/** The face of this folder: the key controller. */
import { keys } from '../api/kinds.ts';
import { gatewayKeyNames } from '../api/v1alpha1/v1alpha1.ts';
import {
  type ExternalController,
  externalController,
  externalDependencies,
  ExternalReconciler,
  recordMetrics,
} from '../external/external.ts';
import type { ControllerSpec, Runtime } from '../runtime/runtime.ts';
import { KeyAdapter } from './adapter.ts';
import { keyClaims } from './status.ts';

/** Reconciles GatewayKeys into the keys of their gateways and the Secrets of applications. */
export function keyController(runtime: Runtime, given: ExternalController): ControllerSpec {
  const metrics = recordMetrics(runtime.metrics, 'key', 'Keys');
  const dependencies = {
    ...externalDependencies(runtime, given, keys, keyClaims, { metrics }),
    client: runtime.client,
  };
  return externalController(keys, gatewayKeyNames, dependencies, { claimants: () => false, instance: () => false })
    .needs({ group: '', resource: 'secrets', verbs: ['get', 'create', 'patch'], scope: 'watched' })
    .reconcile(new ExternalReconciler(dependencies, new KeyAdapter(dependencies)));
}
