/** Whose a record at the gateway is. Pure: told from the resource alone. */
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { Field } from '../gateway/gateway.ts';
import { allFields } from '../gateway/gateway.ts';
import { conditionOf, saysSomebodyElses, type SyncedReason } from './status.ts';

/**
 * - `recorded`: the status says that the record is ours.
 * - `pending`: we may have made it, and died before the status could say so.
 * - `none`: nothing was ever done for this resource at the gateway, so that its deletion must do nothing there either.
 */
export type Claim = 'recorded' | 'pending' | 'none';

/**
 * Written in one patch with the finalizer, after the instance, its key and the access of the namespace are resolved, and
 * right before the first call that changes anything at the gateway. It stays there: writes of the status cannot take it
 * off, since the API server takes nothing else from them, and one more write for each customer would buy nothing.
 */
export interface CreateMark {
  /** Of the resource: a mark that was copied with a manifest or restored from a backup is none. */
  readonly uid: string;
  /** What is going to be set. */
  readonly fields: readonly Field[];
}

/** The value of the annotation that carries a mark. */
export function markText(mark: CreateMark): string {
  return JSON.stringify({ uid: mark.uid, fields: mark.fields, begun: true });
}

/** The mark on a resource, if it has one of its own. */
export function createMark(customer: GatewayCustomer): CreateMark | undefined {
  const text = customer.metadata.annotations?.[annotations.createPending];
  if (text === undefined) return undefined;
  try {
    const parsed = JSON.parse(text) as Partial<Record<keyof CreateMark | 'begun', unknown>>;
    if (parsed.uid !== customer.metadata.uid || !Array.isArray(parsed.fields)) return undefined;
    if (parsed.begun !== true && !hasCalled(customer)) return undefined;
    return { uid: customer.metadata.uid, fields: knownFields(parsed.fields) };
  } catch {
    return undefined;
  }
}

/** What only a reconcile reports that has called the gateway. */
const reasonsOfCalls: readonly string[] = [
  'GatewayUnreachable',
  'GatewayUnauthorized',
  'GatewayRejected',
  'NotConverged',
] satisfies SyncedReason[];

/**
 * Whether the condition proves that the gateway was called. Version 0.1.0 wrote its marks, which lack `begun`, before it
 * resolved the access: such a mark alone proves nothing, and a deletion must not act on it.
 */
function hasCalled(customer: GatewayCustomer): boolean {
  return reasonsOfCalls.includes(conditionOf(customer, 'Synced')?.reason ?? '');
}

/** What a resource may have at the gateway. */
export function claimOf(customer: GatewayCustomer): Claim {
  if (customer.status?.specHash !== undefined) return 'recorded';
  const announced = announcesInStatus(customer) ? customer.status?.appliedFields : createMark(customer);
  return announced === undefined ? 'none' : 'pending';
}

/** Whether a record that exists already is taken over or refused: by default refused outside the instance's namespace. */
export function adoptionPolicyOf({ spec, metadata }: GatewayCustomer): 'Adopt' | 'Refuse' {
  if (spec.adoptionPolicy !== undefined) return spec.adoptionPolicy;
  return (spec.instanceRef.namespace ?? metadata.namespace) === metadata.namespace ? 'Adopt' : 'Refuse';
}

/**
 * Whether the status, and not the mark, announces what is going to be set: where the resource was stopped, since the mark
 * may be older than what stopped it; and where records of others are refused, since people who may edit the resource may
 * write a mark, but not the status.
 */
export function announcesInStatus(customer: GatewayCustomer): boolean {
  return isStopped(customer) || adoptionPolicyOf(customer) === 'Refuse';
}

/**
 * Whether the status says that nothing is done, since the record is somebody else's. A mark from before that says nothing
 * any more: what is begun once the record is free is announced in the status.
 */
export function isStopped(customer: GatewayCustomer): boolean {
  return saysSomebodyElses(conditionOf(customer, 'Synced')?.reason);
}

/** The fields that we have set at the gateway, or may have. */
export function appliedFields(customer: GatewayCustomer): Set<Field> {
  return new Set(knownFields(customer.status?.appliedFields ?? createMark(customer)?.fields ?? []));
}

function knownFields(names: readonly unknown[]): Field[] {
  return allFields.filter((field) => names.includes(field));
}
