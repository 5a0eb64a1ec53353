import type { GatewayInstance, Guardrail, SecretKeyRef } from '../api/v1alpha1/v1alpha1.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { ignoreNotFound, labelsOf, type OwnedObject, secrets, secretValue } from '../cluster/cluster.ts';
import { apiVersionOf, type AsJson, type KubeClient, ownerReference, type ResourceKind } from '../runtime/runtime.ts';

/** How a guardrail runs. */
export type GuardrailMode = 'Sidecar' | 'Deployment';

/** The mode of the spec, or its default. */
export function modeOf(instance: GatewayInstance, spec: Guardrail): GuardrailMode {
  return spec.mode ?? (instance.spec.workloadRef === undefined ? 'Deployment' : 'Sidecar');
}

/** The guardrail cannot be deployed as the spec requests. The running guardrail stays as it is. */
export class GuardrailNotReadyError extends Error {
  override readonly name = 'GuardrailNotReadyError';
  readonly condition: ConditionState<'GuardrailReady'>;

  constructor(reason: ConditionState<'GuardrailReady'>['reason'], message: string) {
    super(message);
    this.condition = { status: 'False', reason, message };
  }
}

/** Reads a value of a Secret in the namespace of the instance. */
export async function readSecret(
  client: Pick<KubeClient, 'get'>,
  { metadata: { namespace } }: GatewayInstance,
  { name, key }: SecretKeyRef,
): Promise<{ readonly exists: boolean; readonly value: string | undefined }> {
  const secret = await client.get(secrets, { namespace, name }).catch(ignoreNotFound);
  return { exists: secret !== undefined, value: secret === undefined ? undefined : secretValue(secret, key) };
}

/** The fields of an object without those that every object has. */
export type Body<T> = Omit<AsJson<T>, 'apiVersion' | 'kind' | 'metadata' | 'status'>;

/** An object of an instance, with its labels and its owner reference. */
export function ownedChild<T>(instance: GatewayInstance, kind: ResourceKind, name: string, body: Body<T>): OwnedObject {
  return {
    kind,
    object: {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        name,
        namespace: instance.metadata.namespace,
        labels: labelsOf(instance),
        ownerReferences: [ownerReference(instance)],
      },
      ...body,
    },
  };
}
