/** Transfers the number of replicas of a guardrail to an autoscaler. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { FIELD_MANAGER } from '../runtime/runtime.ts';
import { namesOf, ignoreNotFound, guardrailDeployments } from '../cluster/cluster.ts';

/** The field manager that owns the number until the autoscaler changes it for the first time. */
const HOLDER = `${FIELD_MANAGER}-replicas`;

/**
 * Keeps the number of replicas when the operator no longer applies it. The API server resets a field without an owner
 * to its default, which is one replica. To prevent this, another field manager applies the field first.
 */
export async function handReplicasToAutoscaler(client: KubeClient, instance: GatewayInstance): Promise<void> {
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  const deployment = await client.get(guardrailDeployments, key).catch(ignoreNotFound);
  const applied = (deployment?.metadata.managedFields ?? []).find(
    ({ manager, operation, subresource }) =>
      manager === FIELD_MANAGER && operation === 'Apply' && (subresource ?? '') === '',
  );
  const fields: { readonly 'f:spec'?: Readonly<Record<string, unknown>> } | undefined = applied?.fieldsV1;
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
