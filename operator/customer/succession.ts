/** The transfer of a deleted resource's record, with its spend, to another resource of the same namespace. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId, type Field } from '../gateway/gateway.ts';
import { claimantsOf } from './claimants.ts';
import type { Dependencies } from './dependencies.ts';
import type { Ownership } from './ownership.ts';
import { yieldsTo } from './precedence.ts';
import { nextStatus } from './status.ts';

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
export function inheritanceOf(
  dependencies: Dependencies,
  customer: GatewayCustomer,
  { isElsewhere, restoredFrom }: Ownership,
): Inheritance {
  const own = isElsewhere ? undefined : customer.status?.replacesBudget;
  const yielding = claimantsOf(dependencies, customer).filter((other) => yieldsTo(other.customer, customer));
  const rows = yielding.flatMap(({ customer: { metadata, status } }) => [
    budgetRowId(metadata.uid),
    status?.replacesBudget ?? [],
  ]);
  return {
    record: own !== undefined || yielding.length > 0,
    replaces: own,
    // The budget row of the resource that this one was restored from belongs to it.
    rows: [own ?? [], restoredFrom === undefined ? [] : budgetRowId(restoredFrom), rows].flat(2),
    fields: yielding.flatMap(({ ownership }) => [...ownership.fields]),
  };
}
