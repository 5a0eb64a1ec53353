/** Computes what a customer resource owns at the gateway. Pure: depends only on the resource. */
import { annotations, type GatewayCustomer, type GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerConditionReason } from '../conditions/conditions.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import type { Field } from '../gateway/gateway.ts';
import { allFields } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { conditionOf } from './customerResource.ts';

/** See `status.ownership` of a GatewayCustomer. */
export type OwnershipStatus = NonNullable<GatewayCustomerStatus['ownership']>;

/** What a customer resource owns at the gateway. */
export interface Ownership {
  /**
   * - `owned`: the status records that the record belongs to this resource.
   * - `pending`: this resource may have created the record, and the operator ended before the status recorded it.
   * - `none`: the operator started no write at the gateway. A deletion must do nothing there.
   */
  readonly state: 'owned' | 'pending' | 'none';
  /** The ownership in the status; undefined before the first status. */
  readonly status: OwnershipStatus | undefined;
  /** The fields that the operator has set at the gateway, or may have set. */
  readonly fields: ReadonlySet<Field>;
  /** Whether the resource has its own create mark, valid or superseded by the status. */
  readonly marked: boolean;
  /**
   * Whether the status announces the fields of a creation instead of the create mark. This is the case if the record
   * belonged to others, because the mark may be older, and if the policy is to refuse records of others, because users
   * who can edit the resource can forge a mark, but not the status.
   */
  readonly announcedInStatus: boolean;
}

/** Computes what a resource owns from its status and, before the first status, from its create mark. */
export function ownershipOf(customer: GatewayCustomer): Ownership {
  const status = ownershipStatusOf(customer);
  const mark = createMark(customer);
  const announcedInStatus = isForeign(status) || adoptionPolicyOf(customer) === 'Refuse';
  const announced = announcedInStatus ? customer.status?.appliedFields : mark;
  return {
    state: customer.status?.specHash !== undefined ? 'owned' : announced !== undefined ? 'pending' : 'none',
    status,
    fields: new Set(knownFields(customer.status?.appliedFields ?? mark?.fields ?? [])),
    marked: mark !== undefined,
    announcedInStatus,
  };
}

/** Whether the record belongs to another resource or to a client outside the cluster, or is only observed. */
export function isForeign(status: OwnershipStatus | undefined): boolean {
  return status === 'Waiting' || status === 'Refused' || status === 'Observed';
}

/**
 * The ownership in the status after a reconcile. `found` is what the reconcile found; undefined if it found nothing
 * about ownership.
 */
export function nextOwnership(
  customer: GatewayCustomer,
  found: OwnershipStatus | undefined,
): OwnershipStatus | undefined {
  const before = ownershipStatusOf(customer);
  if (isObserveOnly(customer)) return 'Observed';
  // If a resource that owns nothing loses its permission, its ownership does not change.
  if (found === 'NotAllowed' && isForeign(before)) return before;
  return found ?? before;
}

/**
 * Statuses of earlier versions lack the field, and only their condition shows who owns the record. Without this
 * fallback, an upgrade would turn every waiting resource with a create mark into an owner, and its deletion would
 * delete the record of another resource.
 */
function ownershipStatusOf(customer: GatewayCustomer): OwnershipStatus | undefined {
  if (customer.status?.ownership !== undefined) return customer.status.ownership;
  const reason = conditionOf(customer, 'Synced')?.reason as CustomerConditionReason<'Synced'> | undefined;
  switch (reason) {
    case 'Conflict':
      return 'Waiting';
    case 'AlreadyExists':
      return 'Refused';
    case 'NamespaceNotAllowed':
    case 'CustomerIdNotAllowed':
      return 'NotAllowed';
    case 'TakingOver':
      return 'TakingOver';
    default:
      return customer.status?.specHash === undefined ? undefined : 'Owned';
  }
}

/**
 * Whether an existing record is adopted or refused. Default: refused outside the instance's namespace. The rule applies
 * to records of unknown origin. {@link canSucceed} has another default for records of the cluster.
 */
export function adoptionPolicyOf(customer: GatewayCustomer): 'Adopt' | 'Refuse' {
  const { spec, metadata } = customer;
  if (spec.adoptionPolicy !== undefined) return spec.adoptionPolicy;
  return instanceKeyOf(customer).namespace === metadata.namespace ? 'Adopt' : 'Refuse';
}

/**
 * Whether a resource may take over the record of a deleted resource. Both are in one namespace, so the default is to
 * adopt in every namespace. Only an explicit `Refuse` prevents it.
 */
export function canSucceed(other: GatewayCustomer, owner: GatewayCustomer): boolean {
  const { metadata, spec } = other;
  return (
    metadata.uid !== owner.metadata.uid &&
    metadata.namespace === owner.metadata.namespace &&
    metadata.deletionTimestamp === undefined &&
    spec.adoptionPolicy !== 'Refuse'
  );
}

/**
 * The annotation that announces a creation. The operator writes it in one patch with the finalizer, immediately before
 * the first call that changes the gateway, after it has resolved the instance, the key and the access of the namespace.
 * It is not removed: a status write cannot remove it, and another write for each customer would have no benefit.
 */
export interface CreateMark {
  /** The uid of the resource. A mark that was copied with a manifest or restored from a backup has another one. */
  readonly uid: string;
  /** The fields that the creation sets. */
  readonly fields: readonly Field[];
}

/** The value of the annotation that carries a mark. */
export function markText(mark: CreateMark): string {
  return JSON.stringify({ uid: mark.uid, fields: mark.fields, begun: true });
}

/** The resource's own create mark; undefined if it has none or the mark belongs to another resource. */
export function createMark(customer: GatewayCustomer): CreateMark | undefined {
  const text = customer.metadata.annotations?.[annotations.createPending];
  if (text === undefined) return undefined;
  try {
    const parsed = JSON.parse(text) as Partial<Record<keyof CreateMark | 'begun', unknown>>;
    if (parsed.uid !== customer.metadata.uid || !Array.isArray(parsed.fields)) return undefined;
    if (parsed.begun !== true && !hasCalledGateway(customer)) return undefined;
    return { uid: customer.metadata.uid, fields: knownFields(parsed.fields) };
  } catch {
    return undefined;
  }
}

/** Reasons that are reported only after a call of the gateway. */
const reasonsOfCalls: readonly string[] = [
  'GatewayUnreachable',
  'GatewayUnauthorized',
  'GatewayRejected',
  'NotConverged',
] satisfies CustomerConditionReason<'Synced'>[];

/**
 * Whether the condition proves that the gateway was called. Version 0.1.0 wrote its marks, which lack `begun`, before
 * it resolved the access, so such a mark alone proves nothing. Without this fallback, an upgrade would lose the records
 * that 0.1.0 was creating.
 */
function hasCalledGateway(customer: GatewayCustomer): boolean {
  return reasonsOfCalls.includes(conditionOf(customer, 'Synced')?.reason ?? '');
}

function knownFields(names: readonly unknown[]): Field[] {
  return allFields.filter((field) => names.includes(field));
}
