import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';

/** Whether the last probe of an instance's gateway succeeded. */
export function isReachable(instance: GatewayInstance): boolean {
  return instance.status?.conditions?.some(({ type, status }) => type === 'Reachable' && status === 'True') === true;
}
