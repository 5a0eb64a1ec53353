/** Whether the guardrail of an instance enforces who may call. Pure. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';

/**
 * @returns why the guardrail of an instance cannot enforce who may call: what to do, as it follows "for blocked,";
 *   undefined: it can
 */
export function accessProblem(instance: GatewayInstance): string | undefined {
  const { metadata, spec, status } = instance;
  const isMonitoring = (status?.guardrail?.enforcement ?? spec.guardrail?.enforcement) === 'Monitor';
  if (spec.guardrail !== undefined && isMonitoring) {
    return `set spec.guardrail.enforcement of GatewayInstance ${metadata.name}, or enforcement of its policy, to Enforce`;
  }
  return callerProblem(instance);
}

/**
 * @returns why the guardrail of an instance does not learn for whom calls are: what to do, as it follows "Remedy:";
 *   undefined: it does
 */
export function callerProblem({ metadata, spec }: GatewayInstance): string | undefined {
  const { guardrail } = spec;
  if (guardrail === undefined) return `set spec.guardrail of GatewayInstance ${metadata.name}`;
  if (guardrail.callback === 'Full' && guardrail.integration !== 'Inline') {
    return `set spec.guardrail.callback of GatewayInstance ${metadata.name} to Generic, because Full does not tell who calls`;
  }
  return undefined;
}
