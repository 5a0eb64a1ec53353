import { isDeepStrictEqual } from 'node:util';
import type { Deployment, DeploymentCondition, DeploymentStatus } from './kinds.ts';

export interface PodState {
  ready: boolean;
  /** Whether it was created from the Deployment's current template. */
  updated: boolean;
}

/** The status that the Deployment controller writes for these pods. Pure; `now` is the time of conditions that change. */
export function deploymentStatus(deployment: Deployment, pods: readonly PodState[], now: Date): DeploymentStatus {
  const desired = deployment.spec?.replicas ?? 1;
  const ready = pods.filter((pod) => pod.ready).length;
  const updated = pods.filter((pod) => pod.updated).length;
  const complete = updated === desired && pods.length === desired && ready === desired;
  const condition = (type: string, holds: boolean, reason: string, message: string): DeploymentCondition => {
    const status = holds ? 'True' : 'False';
    const before = deployment.status?.conditions?.find((candidate) => candidate.type === type);
    return {
      type,
      status,
      reason,
      message,
      lastTransitionTime:
        before?.status === status && before.lastTransitionTime ? before.lastTransitionTime : now.toISOString(),
    };
  };
  return {
    ...(deployment.metadata?.generation !== undefined && { observedGeneration: deployment.metadata.generation }),
    replicas: pods.length,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(desired - ready, 0),
    conditions: [
      ready >= desired
        ? condition('Available', true, 'MinimumReplicasAvailable', 'All processes of the Deployment are ready.')
        : condition('Available', false, 'MinimumReplicasUnavailable', `${ready} of ${desired} processes are ready.`),
      complete
        ? condition('Progressing', true, 'NewReplicaSetAvailable', 'All processes run the current template.')
        : condition('Progressing', true, 'ReplicaSetUpdated', 'Processes of the current template are starting.'),
    ],
  };
}

/** Whether a write would change nothing. The API server omits zeros, so zero and absent are equal. */
export function sameStatus(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const comparable = (status: DeploymentStatus | undefined): unknown => [
    status?.observedGeneration,
    status?.replicas ?? 0,
    status?.updatedReplicas ?? 0,
    status?.readyReplicas ?? 0,
    status?.availableReplicas ?? 0,
    status?.unavailableReplicas ?? 0,
    status?.conditions?.map(({ type, status: value, reason, message }) => [type, value, reason, message]),
  ];
  return isDeepStrictEqual(comparable(before), comparable(after));
}
