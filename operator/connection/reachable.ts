/** The result of the last probe of an instance's gateway. Pure. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';

/** Whether the last probe of an instance's gateway succeeded. */
export function isReachable(instance: GatewayInstance): boolean {
  return instance.status?.conditions?.some(({ type, status }) => type === 'Reachable' && status === 'True') === true;
}

/** Whether the gateway refused the instance's key at the last probe. */
export function isKeyRefused(instance: GatewayInstance): boolean {
  return (
    instance.status?.conditions?.some(
      ({ type, reason }) => type === 'Reachable' && reason === 'GatewayUnauthorized',
    ) === true
  );
}
