/** The ConfigMaps with the list of who may call. */
import type { V1ConfigMap } from '@kubernetes/client-node';
import { CustomerListError, MAX_SHARDS, readCustomerList, shardName } from '../../guardrail/guardrail.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { configMaps, isOwnedBy, type OwnedObject, type OwnedObjects } from '../cluster/cluster.ts';
import { customerListName, ownedChild } from '../guardrail/guardrail.ts';
import type { FromServer, Lister } from '../runtime/runtime.ts';

/** The dependencies of {@link writeShards}. */
export interface ShardDependencies {
  readonly ownedObjects: OwnedObjects;
  readonly configMaps: Pick<Lister<FromServer<V1ConfigMap>>, 'get'>;
}

/**
 * Writes the shards that differ from the stored ones, and deletes those that are no longer used. The first shard is written
 * last: it tells how many there are.
 * @returns the number of writes
 * @throws NameTakenError, ApiError
 */
export async function writeShards(
  { ownedObjects, configMaps: stored }: ShardDependencies,
  instance: GatewayInstance,
  shards: readonly string[],
): Promise<number> {
  const changed = shards
    .map((text, shard) => ({ text, shard }))
    .filter(({ text, shard }) => storedText(stored, instance, shard) !== text)
    .reverse();
  await ownedObjects.apply(
    instance,
    changed.map(({ text, shard }) => shardObject(instance, shard, text)),
  );
  let deleted = 0;
  for (let shard = shards.length; shard < MAX_SHARDS; shard += 1) {
    if (storedText(stored, instance, shard) === undefined) continue;
    await ownedObjects.remove(instance, configMaps, customerListName(instance, shard));
    deleted += 1;
  }
  return changed.length + deleted;
}

/** The texts of the policies in the stored list, by their revisions; none if the list is incomplete. */
export function storedPolicies(
  { configMaps: stored }: Pick<ShardDependencies, 'configMaps'>,
  instance: GatewayInstance,
): ReadonlyMap<string, string> {
  try {
    return readCustomerList(new Map(storedTexts({ configMaps: stored }, instance))).policies;
  } catch (error) {
    if (error instanceof CustomerListError) return new Map();
    throw error;
  }
}

/** The stored shards of the list of an instance, by their number. */
export function storedTexts(
  { configMaps: stored }: Pick<ShardDependencies, 'configMaps'>,
  instance: GatewayInstance,
): readonly (readonly [shard: number, text: string])[] {
  const shards = Array.from(
    { length: MAX_SHARDS },
    (_, shard) => [shard, storedText(stored, instance, shard)] as const,
  );
  return shards.flatMap(([shard, text]) => (text === undefined ? [] : [[shard, text] as const]));
}

function shardObject(instance: GatewayInstance, shard: number, text: string): OwnedObject {
  const child = ownedChild<V1ConfigMap>(instance, configMaps, customerListName(instance, shard), {
    data: { [shardName(shard)]: text },
  });
  // Not a controlling owner: the list changes often, and its changes do not matter to the controller of the instance.
  const ownerReferences = child.object.metadata.ownerReferences.map((owner) => ({ ...owner, controller: false }));
  return { ...child, object: { ...child.object, metadata: { ...child.object.metadata, ownerReferences } } };
}

/** @returns undefined if the instance has no such ConfigMap */
function storedText(
  stored: ShardDependencies['configMaps'],
  instance: GatewayInstance,
  shard: number,
): string | undefined {
  const { namespace } = instance.metadata;
  const found = stored.get({ namespace, name: customerListName(instance, shard) });
  return found !== undefined && isOwnedBy(found, instance) ? (found.data?.[shardName(shard)] ?? '') : undefined;
}
