/** Whether the guardrail of an instance enforces who may call. Pure. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';

/** Whether every guardrail pod of an instance has a list of who may call, and refuses calls because of it. */
export function enforcesAccess(instance: GatewayInstance | undefined): boolean {
  return instance?.status?.customerList !== undefined && accessProblem(instance) === undefined;
}

/**
 * @returns why the guardrail of an instance cannot enforce who may call: what to do, as it follows "for blocked,";
 *   undefined: it can
 */
export function accessProblem({ metadata, spec, status }: GatewayInstance): string | undefined {
  const { guardrail } = spec;
  if (guardrail === undefined) return `set spec.guardrail of GatewayInstance ${metadata.name}`;
  if ((status?.guardrail?.enforcement ?? guardrail.enforcement) === 'Monitor') {
    return `set spec.guardrail.enforcement of GatewayInstance ${metadata.name}, or enforcement of its policy, to Enforce`;
  }
  if (guardrail.callback === 'Full' && guardrail.integration !== 'Inline') {
    return `set spec.guardrail.callback of GatewayInstance ${metadata.name} to Generic, because Full does not tell who calls`;
  }
  return undefined;
}
