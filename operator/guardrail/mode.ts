import type { GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';

/** How a guardrail runs. */
export type GuardrailMode = 'Sidecar' | 'Deployment';

/** The mode of the spec, or its default. */
export function modeOf(instance: GatewayInstance, spec: Guardrail): GuardrailMode {
  return spec.mode ?? (instance.spec.workloadRef === undefined ? 'Deployment' : 'Sidecar');
}
