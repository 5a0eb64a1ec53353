import type { GatewayInstance, InstanceRef } from '../api/v1alpha1/v1alpha1.ts';
import { keyText, type Index, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import { addressDigest, gatewayAddress } from './gatewayAddress.ts';

/** A resource that belongs to an instance: a customer or a budget. */
interface Referring {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly instanceRef: InstanceRef };
}

/** The instances, and the index of them by {@link gatewayIndexKeys}. */
export interface KnownInstances {
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

/** The index keys of an instance, for an index of the instances of each gateway; none while its address is unknown. */
export function gatewayIndexKeys(instance: GatewayInstance): readonly string[] {
  const address = gatewayAddress(instance);
  return address === undefined ? [] : [address];
}

/** All instances of the same gateway, including this one. */
export function instancesOfGateway({ instances, byGateway }: KnownInstances, own: ObjectKey): readonly ObjectKey[] {
  const instance = instances.get(own);
  const address = instance === undefined ? undefined : gatewayAddress(instance);
  const others = address === undefined ? [] : byGateway.keys(address);
  return [own, ...others.filter((key) => keyText(key) !== keyText(own))];
}

/** Digest of the address of an instance's gateway, if known. */
export function gatewayDigest({ instances }: Pick<KnownInstances, 'instances'>, key: ObjectKey): string | undefined {
  const instance = instances.get(key);
  const address = instance === undefined ? undefined : gatewayAddress(instance);
  return address === undefined ? undefined : addressDigest(address);
}
