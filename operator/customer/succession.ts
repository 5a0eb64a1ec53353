/** Several resources that name one customer: what each of them reports, and how a record goes from one to another. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId, type Field } from '../gateway/gateway.ts';
import { type Claim, reapplyGraceMs, type Run, yieldsTo } from '../external/external.ts';
import { changedManagement, isAnnotated } from '../lifecycle/lifecycle.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import type { Dependencies } from './dependencies.ts';
import type { SyncOutcome } from './status.ts';

/**
 * The waiting claimant that takes over the record when this resource is deleted. Both are in one namespace, so the default is to
 * take over in every namespace. Only an explicit `Refuse` prevents it.
 */
function successorOf({ waiting, resource }: Claim<GatewayCustomer>): GatewayCustomer | undefined {
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

/** The successor of a resource that can pass its record on. One that has not synced a record that it takes over cannot. */
function heirOf(claim: Claim<GatewayCustomer>): GatewayCustomer | undefined {
  const isComplete = claim.ownership.state === 'owned' && claim.resource.status?.replacesBudget === undefined;
  return isComplete ? successorOf(claim) : undefined;
}

function hasRecordOf({ status }: GatewayCustomer, owner: GatewayCustomer): boolean {
  return status?.replacesBudget === budgetRowId(owner.metadata.uid);
}

/**
 * Whether the record of a deleted resource goes to its successor.
 * @returns the event if the successor has it; 'pending' if it has not taken it over yet; undefined if there is none
 */
export function handOver(claim: Claim<GatewayCustomer>): EventDetails | 'pending' | undefined {
  const heir = heirOf(claim);
  if (heir === undefined) return undefined;
  if (!hasRecordOf(heir, claim.resource)) return 'pending';
  const { namespace, name } = heir.metadata;
  const message = `GatewayCustomer ${namespace}/${name} takes over the record with its spend.`;
  return { type: 'Normal', reason: 'TakenOver', message, action: 'Delete' };
}

/**
 * Takes over the record of an owner that is being deleted, if this resource is its successor. The status then describes the
 * record, so that a restart loses nothing. The record and its budget row stay as they are until the next sync, which follows the
 * end of the owner.
 * @throws DeletedFirstError if this resource is being deleted too
 */
export async function takeOver(
  { claims, finalizer, now }: Pick<Dependencies, 'claims' | 'finalizer' | 'now'>,
  run: Run<GatewayCustomer, Field>,
): Promise<void> {
  const { owner } = run.claim;
  if (owner?.metadata.deletionTimestamp === undefined || !finalizer.isSet(owner) || isAnnotated(owner, 'paused'))
    return;
  if (heirOf(claims.of(owner))?.metadata.uid !== run.latest.metadata.uid || hasRecordOf(run.latest, owner)) return;
  await run.ensureFinalizer();
  const { name, namespace, uid } = owner.metadata;
  const message = `GatewayCustomer ${namespace}/${name} is being deleted. This resource takes over its customer record.`;
  const outcome = { synced: false, reason: 'TakingOver', message, ownership: 'TakingOver' } as const;
  const { specHash, appliedFields = [], gateway } = owner.status ?? {};
  await run.updateStatus({
    ...run.nextStatus(outcome),
    ...(specHash === undefined ? {} : { specHash }),
    appliedFields,
    ...(gateway === undefined ? {} : { gateway }),
    replacesBudget: budgetRowId(uid),
    tookOver: { name, time: now().toISOString() },
  });
}

/** Whether a change of a resource can make another claimant of its record act. */
export function mattersToClaimants(before: GatewayCustomer, after: GatewayCustomer): boolean {
  return (
    changedManagement(before, after) ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    before.status?.replacesBudget !== after.status?.replacesBudget
  );
}

/** Another resource owns the record. A resource of another namespace is not named. */
export function ownedByAnother(customer: GatewayCustomer, owner: Claim<GatewayCustomer>): SyncOutcome {
  const state = { synced: false, reason: 'Conflict', ownership: 'Waiting' } as const;
  const { namespace, name } = owner.resource.metadata;
  if (namespace !== customer.metadata.namespace) {
    const message =
      'A GatewayCustomer in another namespace manages this customer. Use another customerId, or delete the other resource, which deletes the record with its spend.';
    return { ...state, message };
  }
  const succeeds = successorOf(owner)?.metadata.uid === customer.metadata.uid;
  const then = succeeds
    ? 'this resource takes over the record with its spend'
    : 'the record and its spend are deleted or go to another resource';
  const message = `GatewayCustomer ${namespace}/${name} manages this customer. Delete one of the two resources: if ${name} is deleted, ${then}.`;
  return { ...state, message };
}

/** The owner of the record was deleted recently. */
export const ownerGone: SyncOutcome = {
  synced: false,
  reason: 'Conflict',
  ownership: 'Waiting',
  continues: true,
  message: `The GatewayCustomer that managed this customer was deleted. This resource takes over the customer in ${reapplyGraceMs / 1_000} s, unless the other resource is applied again.`,
};

/** Adds to an owner's outcome the effect of its deletion on the waiting claimants. */
export function withClaimants(claim: Claim<GatewayCustomer>, outcome: SyncOutcome): SyncOutcome {
  const { namespace } = claim.resource.metadata;
  const others = claim.waiting;
  if (!outcome.synced || others.length === 0) return outcome;
  const successor = successorOf(claim)?.metadata;
  const named = successor ?? others.find(({ metadata }) => metadata.namespace === namespace)?.metadata;
  const who =
    named === undefined ? 'A GatewayCustomer in another namespace' : `GatewayCustomer ${named.namespace}/${named.name}`;
  const then =
    successor === undefined
      ? 'the record and its spend are deleted'
      : `${successor.name} takes over the record with its spend`;
  const message = `${outcome.message} ${who} waits for the same customer: if this resource is deleted, ${then}.`;
  return { ...outcome, message };
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
