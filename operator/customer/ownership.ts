/** Computes what a customer resource owns at the gateway. Pure: depends only on the resource and on the proofs for it. */
import {
  annotations,
  type GatewayCustomer,
  type GatewayCustomerStatus,
  type GatewayInstance,
} from '../api/v1alpha1/v1alpha1.ts';
import {
  type GatewayIdentity,
  instanceKeyOf,
  type MarkSubject,
  mayAdopt,
  type OwnershipMark,
} from '../connection/connection.ts';
import type { Field } from '../gateway/gateway.ts';
import { allFields } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';

/** See `status.ownership` of a GatewayCustomer. */
export type OwnershipStatus = NonNullable<GatewayCustomerStatus['ownership']>;

/** What is proved about a resource at the gateway of its instance. */
export interface OwnershipProof {
  /** Where the status says that the record is: `here`, at another gateway (`elsewhere`), or it does not say (`unknown`). */
  readonly recordedAt: 'here' | 'elsewhere' | 'unknown';
  /** The owner mark, if it is valid at this gateway, or if the address of the gateway is unknown. */
  readonly mark: OwnershipMark | undefined;
}

/** What a customer resource owns at the gateway of its instance. */
export interface Ownership {
  /**
   * - `owned`: the status records that the record belongs to this resource.
   * - `pending`: a mark proves that the operator began to create or to adopt the record for this resource, or for the
   *   resource that this one was restored from, and the status does not record the result.
   * - `none`: the operator started no write at this gateway. A deletion must do nothing there.
   */
  readonly state: 'owned' | 'pending' | 'none';
  /** The ownership that the status records for this gateway; undefined before the first status. */
  readonly status: OwnershipStatus | undefined;
  /** The fields that the operator has set at the gateway, or may have set. */
  readonly fields: ReadonlySet<Field>;
  /** The valid mark; undefined if there is none. */
  readonly mark: OwnershipMark | undefined;
  /** The uid that the resource had before it was restored from a backup, if its mark proves it. */
  readonly restoredFrom: string | undefined;
  /** Whether the operator may have written for this resource before, at this gateway or at an earlier one. */
  readonly mayHaveWritten: boolean;
  /** Whether the status, and not the mark, announces the fields of a creation. The mark may be older than the status. */
  readonly announcedInStatus: boolean;
  /** Whether the record of the status is proved to be at this gateway. */
  readonly isHere: boolean;
  /** Whether the status describes a record at another gateway: spec.endpoint of the instance was changed. */
  readonly isElsewhere: boolean;
}

/** What the mark of a customer is about. */
export function markSubject({ metadata, spec }: GatewayCustomer): MarkSubject {
  const { namespace, name } = metadata;
  return { kind: 'GatewayCustomer', namespace, name, id: spec.customerId };
}

/** The proofs for a resource. @param address the canonical address of the gateway; undefined if it is unknown */
export function proofFor(
  identity: GatewayIdentity,
  customer: GatewayCustomer,
  address: string | undefined,
): OwnershipProof {
  const text = customer.metadata.annotations?.[annotations.ownerMark];
  const recorded = customer.status?.gateway;
  const isHere = recorded !== undefined && address !== undefined && recorded === identity.digest(address);
  const isElsewhere = identity.isElsewhere(recorded, address);
  return {
    recordedAt: isHere ? 'here' : isElsewhere ? 'elsewhere' : 'unknown',
    mark: text === undefined ? undefined : identity.verify(markSubject(customer), address, text),
  };
}

/** Computes what a resource owns. The status decides; the mark decides where there is no status for this gateway. */
export function ownershipOf(customer: GatewayCustomer, proof: OwnershipProof): Ownership {
  const isElsewhere = proof.recordedAt === 'elsewhere';
  const recorded = isElsewhere ? {} : (customer.status ?? {});
  const status = recorded.ownership;
  const announcedInStatus = isForeign(status);
  const { mark } = proof;
  const announced = announcedInStatus ? recorded.appliedFields !== undefined : mark !== undefined;
  const { uid } = customer.metadata;
  return {
    state: recorded.specHash !== undefined ? 'owned' : announced ? 'pending' : 'none',
    status,
    fields: new Set(knownFields(recorded.appliedFields ?? mark?.fields ?? [])),
    mark,
    restoredFrom: mark === undefined || mark.uid === uid || announcedInStatus ? undefined : mark.uid,
    mayHaveWritten: customer.metadata.annotations?.[annotations.ownerMark] !== undefined || isElsewhere,
    announcedInStatus,
    isHere: proof.recordedAt === 'here',
    isElsewhere,
  };
}

/** {@link ownershipOf} with the proofs at an address. */
export function ownershipAt(
  { identity }: { readonly identity: GatewayIdentity },
  customer: GatewayCustomer,
  address: string | undefined,
): Ownership {
  return ownershipOf(customer, proofFor(identity, customer, address));
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
  const before = customer.status?.ownership;
  if (isObserveOnly(customer)) return 'Observed';
  // If a resource that owns nothing loses its permission, its ownership does not change.
  if (found === 'NotAllowed' && isForeign(before)) return before;
  return found ?? before;
}

/**
 * Whether an existing record of unknown origin is adopted or refused. The resource can only be stricter than its
 * instance. {@link canSucceed} has another rule for records of the cluster.
 * @param instance undefined: it was deleted
 */
export function adoptionPolicyOf(customer: GatewayCustomer, instance: GatewayInstance | undefined): 'Adopt' | 'Refuse' {
  const { spec, metadata } = customer;
  const allowed = mayAdopt(instance, instanceKeyOf(customer), metadata.namespace);
  return allowed ? (spec.adoptionPolicy ?? 'Adopt') : 'Refuse';
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

function knownFields(names: readonly string[]): Field[] {
  return allFields.filter((field) => names.includes(field));
}
