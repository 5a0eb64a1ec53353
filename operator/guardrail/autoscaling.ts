/** The number of pods of a guardrail, when an autoscaler takes it over. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { FIELD_MANAGER } from '../runtime/runtime.ts';
import { namesOf, ignoreNotFound, guardrailDeployments } from '../cluster/cluster.ts';

/** Holds the number until the autoscaler has changed it for the first time. */
const HOLDER = `${FIELD_MANAGER}-replicas`;

/**
 * Keeps the number of pods as it is when we stop applying one: what nobody owns any more, the API server sets to its
 * default of one. So the field gets another owner first, from whom the autoscaler takes it.
 */
export async function handReplicasToAutoscaler(client: KubeClient, instance: GatewayInstance): Promise<void> {
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  const deployment = await client.get(guardrailDeployments, key).catch(ignoreNotFound);
  const applied = (deployment?.metadata.managedFields ?? []).find(
    ({ manager, operation, subresource }) =>
      manager === FIELD_MANAGER && operation === 'Apply' && (subresource ?? '') === '',
  );
  const fields = applied?.fieldsV1 as { readonly 'f:spec'?: Readonly<Record<string, unknown>> } | undefined;
  if (deployment === undefined || fields?.['f:spec']?.['f:replicas'] === undefined) return;
  await client.apply(
    guardrailDeployments,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...key, uid: deployment.metadata.uid },
      spec: { replicas: deployment.spec?.replicas ?? 1 },
    } as object,
    { fieldManager: HOLDER },
  );
}
