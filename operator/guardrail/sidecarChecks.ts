/** The checks before a sidecar is added to the gateway's Deployment. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { Lister } from '../runtime/runtime.ts';
import { GuardrailNotReadyError } from './basics.ts';
import { hasSidecar, type ProxyDeployment } from './sidecar.ts';

/** The times at which another controller removed the sidecar of an instance, on a monotonic clock. Kept in memory. */
export interface SidecarRemovals {
  times: readonly number[];
}

/** After this number of removals within this time, the operator stops adding the sidecar. */
const CONTESTED = { times: 3, withinMs: 10 * 60_000 };

/**
 * Checks that the gateway's Deployment exists, and that no older instance manages it.
 * @throws GuardrailNotReadyError
 */
export function checkWorkload(
  instances: Pick<Lister<GatewayInstance>, 'list'>,
  instance: GatewayInstance,
  deployment: ProxyDeployment | 'missing' | undefined,
): void {
  const { namespace } = instance.metadata;
  const name = instance.spec.workloadRef?.name;
  if (name === undefined) {
    throw new GuardrailNotReadyError(
      'WorkloadRequired',
      "Sidecar mode requires spec.workloadRef. Set it to the gateway's Deployment, or set spec.guardrail.mode to Deployment.",
    );
  }
  if (deployment === 'missing') {
    throw new GuardrailNotReadyError(
      'WorkloadNotFound',
      `Deployment ${name} does not exist in namespace ${namespace}. Create it, or correct spec.workloadRef.name.`,
    );
  }
  const older = instances
    .list(namespace)
    .find((other) => other.spec.workloadRef?.name === name && isOlder(other, instance));
  if (older !== undefined) {
    throw new GuardrailNotReadyError(
      'WorkloadTaken',
      `GatewayInstance ${older.metadata.name} already manages Deployment ${name}. Delete one of the two instances, or correct spec.workloadRef.name.`,
    );
  }
}

/**
 * Counts how often another controller removes the sidecar. After three removals within ten minutes the operator no longer
 * adds it, until the spec changes.
 * @throws GuardrailNotReadyError
 */
export function checkContest(
  instance: GatewayInstance,
  deployment: ProxyDeployment,
  removals: SidecarRemovals,
  now: number,
): void {
  const { status, metadata } = instance;
  if (status?.sidecarContestedGeneration === metadata.generation) throw contested(deployment);
  // A changed spec is a new attempt.
  if (status?.sidecarContestedGeneration !== undefined) removals.times = [];
  if (status?.guardrail?.mode !== 'Sidecar' || hasSidecar(deployment)) return;
  removals.times = [...removals.times.filter((time) => now - time < CONTESTED.withinMs), now];
  if (removals.times.length >= CONTESTED.times) throw contested(deployment);
}

function contested({ metadata: { name } }: ProxyDeployment): GuardrailNotReadyError {
  return new GuardrailNotReadyError(
    'SidecarContested',
    `Another controller removed the guardrail's sidecar from Deployment ${name} ${CONTESTED.times} times within ten minutes, and the operator stopped adding it. ` +
      'Configure that controller to keep init containers that it does not own, or set spec.guardrail.mode to Deployment; any change of the spec starts a new attempt.',
  );
}

/** Orders instances by creation time, then by name. */
function isOlder(one: GatewayInstance, other: GatewayInstance): boolean {
  if (one.metadata.uid === other.metadata.uid) return false;
  const order = (instance: GatewayInstance): string =>
    `${instance.metadata.creationTimestamp} ${instance.metadata.name}`;
  return order(one) < order(other);
}
