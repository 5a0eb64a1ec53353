/** The transfer of a deleted resource's record, with its spend, to another resource of the same namespace. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId, type Field } from '../gateway/gateway.ts';
import { type Claim, yieldsTo } from '../external/external.ts';
import { isAnnotated } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { nextStatus } from './status.ts';

/**
 * The waiting claimant that takes over the record when this resource is deleted. Both are in one namespace, so the default is to
 * take over in every namespace. Only an explicit `Refuse` prevents it.
 */
export function successorOf({ waiting, resource }: Claim<GatewayCustomer>): GatewayCustomer | undefined {
  return waiting.find(
    (other) =>
      other.metadata.namespace === resource.metadata.namespace &&
      other.spec.adoptionPolicy !== 'Refuse' &&
      !isAnnotated(other, 'paused'),
  );
}

/**
 * The resource that a budget row belongs to; undefined if it is not in this cluster, its instance does not allow it, or it only
 * observes.
 */
export function ownerOfRow({ byUid, claims }: Dependencies, uid: string): GatewayCustomer | undefined {
  return byUid.get(uid).find((customer) => claims.isClaimant(customer));
}

/**
 * Gives the record of a deleted resource to its successor. The successor's status describes the record, so that a restart
 * loses nothing. The record and its budget row stay as they are until the successor's next sync.
 * @returns whether the successor has the record; not if it is being deleted too
 */
export async function transferRecord(
  { finalizer, status, now }: Dependencies,
  owner: GatewayCustomer,
  successor: GatewayCustomer,
): Promise<boolean> {
  const protectedOne = await finalizer.add(successor);
  if (!finalizer.isSet(protectedOne)) return false;
  const { name, namespace, uid } = owner.metadata;
  const message = `GatewayCustomer ${namespace}/${name} is being deleted. This resource takes over its customer record.`;
  const outcome = { synced: false, reason: 'TakingOver', message, ownership: 'TakingOver' } as const;
  await status.write(protectedOne, {
    ...nextStatus(protectedOne, outcome, now()),
    specHash: owner.status?.specHash,
    appliedFields: owner.status?.appliedFields ?? [],
    ...(owner.status?.gateway === undefined ? {} : { gateway: owner.status.gateway }),
    replacesBudget: budgetRowId(uid),
    tookOver: { name, time: now().toISOString() },
  });
  return true;
}

/** The inheritance of a resource from other resources of its namespace. */
export interface Inheritance {
  /** Whether this resource takes over the record. */
  readonly record: boolean;
  /** The budget row of the previous owner, which this resource's own row replaces. */
  readonly replaces: string | undefined;
  /** The budget rows that the record may be linked to. */
  readonly rows: readonly string[];
  /** The fields that the other resources have set. */
  readonly fields: readonly Field[];
}

/**
 * Computes what a resource takes over: a record that was transferred to it, or a record that it gets back from its
 * successor because it was applied again.
 */
export function inheritanceOf({
  resource: customer,
  ownership,
  claimants,
}: Claim<GatewayCustomer, Field>): Inheritance {
  const { isElsewhere, restoredFrom } = ownership;
  const own = isElsewhere ? undefined : customer.status?.replacesBudget;
  const yielding = claimants.filter((other) => yieldsTo(other.resource, customer));
  const rows = yielding.flatMap(({ resource: { metadata, status } }) => [
    budgetRowId(metadata.uid),
    status?.replacesBudget ?? [],
  ]);
  return {
    record: own !== undefined || yielding.length > 0,
    replaces: own,
    // The budget row of the resource that this one was restored from belongs to it.
    rows: [own ?? [], restoredFrom === undefined ? [] : budgetRowId(restoredFrom), rows].flat(2),
    fields: yielding.flatMap((other) => [...other.ownership.fields]),
  };
}
