import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { OwnedObject } from '../cluster/cluster.ts';
import { labelsOf } from '../cluster/cluster.ts';
import type { AsJson, ResourceKind } from '../runtime/runtime.ts';
import { apiVersionOf, ownerReference } from '../runtime/runtime.ts';

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
