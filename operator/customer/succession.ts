/** A record that goes from one resource to another of the same namespace, with what was spent. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { nextCondition } from '../conditions/conditions.ts';
import { budgetRowId, type Field } from '../gateway/gateway.ts';
import { claimantsOf } from './claimants.ts';
import { appliedFields } from './ownership.ts';
import { yieldsTo } from './precedence.ts';
import type { Dependencies } from './dependencies.ts';
import { conditionOf } from './status.ts';

/**
 * Gives the record of a resource that is being deleted to the one that waits for it: writes into the status of the heir
 * what the record is, so that a restart loses nothing of it, and leaves the record and its budget row as they are.
 * @returns whether the heir has it; not where that is being deleted, too
 */
export async function handOver(
  { finalizer, status, now }: Dependencies,
  from: GatewayCustomer,
  heir: GatewayCustomer,
): Promise<boolean> {
  const held = await finalizer.add(heir);
  if (!finalizer.isSet(held)) return false;
  const { name, namespace, uid } = from.metadata;
  const message = `GatewayCustomer ${namespace}/${name} is being deleted, and hands its record over to this resource.`;
  const synced = nextCondition(held, now(), { type: 'Synced', status: 'False', reason: 'TakingOver', message });
  const others = (held.status?.conditions ?? []).filter(({ type }) => type !== 'Synced');
  await status.write(held, {
    ...held.status,
    synced: false,
    specHash: from.status?.specHash,
    appliedFields: from.status?.appliedFields ?? [],
    ...(from.status?.gateway === undefined ? {} : { gateway: from.status.gateway }),
    replacesBudget: budgetRowId(uid),
    tookOver: { name, time: now().toISOString() },
    conditions: [synced, ...others],
  });
  return true;
}

/** Whether a resource has been given a record, and has not taken it up yet. */
export function isTakingOver(customer: GatewayCustomer): boolean {
  return conditionOf(customer, 'Synced')?.reason === 'TakingOver';
}

/** What a resource may take up that others of its namespace have at the gateway. */
export interface Inheritance {
  /** Whether the record goes to this resource. */
  readonly record: boolean;
  /** The budget rows that the record may be linked to. */
  readonly rows: readonly string[];
  /** The fields that were set by others. */
  readonly fields: readonly Field[];
}

/** What was handed over to a resource, and what it has back from one that took over from it before it was applied again. */
export function inheritanceOf(parts: Dependencies, customer: GatewayCustomer): Inheritance {
  const own = customer.status?.replacesBudget;
  const yielding = claimantsOf(parts, customer)
    .map((rival) => rival.customer)
    .filter((other) => yieldsTo(other, customer));
  const rows = yielding.flatMap(({ metadata, status }) => [budgetRowId(metadata.uid), status?.replacesBudget ?? []]);
  return {
    record: own !== undefined || yielding.length > 0,
    rows: [own ?? [], rows].flat(2),
    fields: yielding.flatMap((other) => [...appliedFields(other)]),
  };
}
