/** The ConfigMaps with the list of who may call, as the guardrail mounts them. Pure. */
import type { V1Volume } from '@kubernetes/client-node';
import { MAX_SHARDS, shardName } from '../../guardrail/guardrail.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { configMaps, type InstanceNames, namesOf, type OwnedObject } from '../cluster/cluster.ts';
import type { AsJson } from '../runtime/runtime.ts';
import { ownedChild } from './basics.ts';

const shards = Array.from({ length: MAX_SHARDS }, (_, shard) => shard);

/** The name of the ConfigMap with a shard. */
export function customerListName(instance: GatewayInstance, shard: number): string {
  return nameOf(namesOf(instance), shard);
}

/** All objects that the list can have, without their data. */
export function customerListObjects(instance: GatewayInstance): OwnedObject[] {
  return shards.map((shard) => ownedChild(instance, configMaps, customerListName(instance, shard), {}));
}

/**
 * The source of a volume with all shards. The first one must exist before a pod starts; the others appear as the list
 * grows, without a rollout.
 */
export function customerListVolume(names: InstanceNames): Pick<AsJson<V1Volume>, 'projected'> {
  return {
    projected: {
      sources: shards.map((shard) => ({
        configMap: {
          name: nameOf(names, shard),
          optional: shard > 0,
          items: [{ key: shardName(shard), path: shardName(shard) }],
        },
      })),
    },
  };
}

function nameOf({ guardrail }: InstanceNames, shard: number): string {
  return `${guardrail}-${shardName(shard)}`;
}
