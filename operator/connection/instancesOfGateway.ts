import type { GatewayInstance, InstanceRef } from '../api/v1alpha1/v1alpha1.ts';
import { keyText, type Index, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import type { GatewayIdentity } from './gatewayIdentity.ts';

/** A resource that belongs to an instance: a customer or a budget. */
interface Referring {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly instanceRef: InstanceRef };
}

/** The instances, and the index of them by {@link GatewayIdentity.indexKeys}. */
export interface KnownInstances {
  readonly identity: GatewayIdentity;
  readonly instances: Pick<Lister<GatewayInstance>, 'get'>;
  readonly byGateway: Index<GatewayInstance>;
}

/** The instance that a resource refers to. */
export function instanceKeyOf({ spec, metadata }: Referring): ObjectKey {
  return { name: spec.instanceRef.name, namespace: spec.instanceRef.namespace ?? metadata.namespace };
}

/** The index keys of a resource, for an index of the resources of each instance: `namespace/name` of the instance. */
export function instanceIndexKeys(resource: Referring): readonly string[] {
  return [keyText(instanceKeyOf(resource))];
}

/** All instances of the same gateway, including this one. */
export function instancesOfGateway(sources: KnownInstances, own: ObjectKey): readonly ObjectKey[] {
  const address = addressOfGateway(sources, own);
  const others = address === undefined ? [] : sources.byGateway.keys(address);
  return [own, ...others.filter((key) => keyText(key) !== keyText(own))];
}

/** The canonical address of an instance's gateway, if known. */
export function addressOfGateway(
  { identity, instances }: Pick<KnownInstances, 'identity' | 'instances'>,
  key: ObjectKey,
): string | undefined {
  return identity.addressOfInstance(instances.get(key));
}
