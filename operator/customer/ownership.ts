/** What a customer resource owns at the gateway. Pure: computed from the resource alone. */
import { annotations, type GatewayCustomer, type GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerConditionReason } from '../conditions/conditions.ts';
import type { Field } from '../gateway/gateway.ts';
import { allFields } from '../gateway/gateway.ts';
import { conditionOf, instanceKeyOf } from './customerResource.ts';

/** See `status.ownership` of a GatewayCustomer. */
export type OwnershipStatus = NonNullable<GatewayCustomerStatus['ownership']>;

/** What a customer resource owns at the gateway. */
export interface Ownership {
  /**
   * - `owned`: the status records that the record belongs to this resource.
   * - `pending`: this resource may have created the record, and the operator ended before the status recorded it.
   * - `none`: nothing was begun at the gateway. A deletion must do nothing there.
   */
  readonly state: 'owned' | 'pending' | 'none';
  /** The ownership in the status; undefined before the first status. */
  readonly status: OwnershipStatus | undefined;
  /** The fields that the operator has set at the gateway, or may have set. */
  readonly fields: ReadonlySet<Field>;
  /** Whether the resource carries a create mark of its own, valid or superseded by the status. */
  readonly marked: boolean;
  /**
   * Whether the status, not the create mark, announces the fields of a creation. So it is where the record belonged to
   * others, because the mark may be older than that; and where the policy is to refuse records of others, because users
   * who may edit the resource can forge a mark, but not the status.
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

/** Whether the record belongs to another resource or to a client outside the cluster. */
export function isForeign(status: OwnershipStatus | undefined): boolean {
  return status === 'Waiting' || status === 'Refused';
}

/** The ownership in the status after a reconcile that found `found`; undefined: it found nothing about ownership. */
export function nextOwnership(
  customer: GatewayCustomer,
  found: OwnershipStatus | undefined,
): OwnershipStatus | undefined {
  const before = ownershipStatusOf(customer);
  // The lost permission of a resource that owns nothing adds nothing.
  if (found === 'NotAllowed' && isForeign(before)) return before;
  return found ?? before;
}

/**
 * Statuses of earlier versions lack the field, and only their condition says whose the record is. Without this fallback,
 * an upgrade would turn every waiting resource with a create mark into an owner, and its deletion would delete the
 * record of another resource.
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
 * Whether a record that exists already is adopted or refused. Default: refused outside the instance's namespace.
 * The rule is about records of unknown origin. {@link canSucceed} has another default for records of the cluster.
 */
export function adoptionPolicyOf(customer: GatewayCustomer): 'Adopt' | 'Refuse' {
  const { spec, metadata } = customer;
  if (spec.adoptionPolicy !== undefined) return spec.adoptionPolicy;
  return instanceKeyOf(customer).namespace === metadata.namespace ? 'Adopt' : 'Refuse';
}

/**
 * Whether a resource may take over the record of another one that is deleted. Both belong to one namespace, so that the
 * default is to adopt, in every namespace: only an explicit `Refuse` rules it out.
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
 * The annotation that announces a creation. The operator writes it in one patch with the finalizer, after it has resolved
 * the instance, the key and the access of the namespace, and right before the first call that changes the gateway. It
 * stays there: a status write cannot remove it, and a second write for each customer would buy nothing.
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

/** The resource's own create mark; undefined: none, or not one of this resource. */
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

/** Reasons that only a reconcile reports that has called the gateway. */
const reasonsOfCalls: readonly string[] = [
  'GatewayUnreachable',
  'GatewayUnauthorized',
  'GatewayRejected',
  'NotConverged',
] satisfies CustomerConditionReason<'Synced'>[];

/**
 * Whether the condition proves that the gateway was called. Version 0.1.0 wrote its marks, which lack `begun`, before it
 * resolved the access: such a mark alone proves nothing. Without this fallback, an upgrade would lose the records that
 * 0.1.0 was creating.
 */
function hasCalledGateway(customer: GatewayCustomer): boolean {
  return reasonsOfCalls.includes(conditionOf(customer, 'Synced')?.reason ?? '');
}

function knownFields(names: readonly unknown[]): Field[] {
  return allFields.filter((field) => names.includes(field));
}
