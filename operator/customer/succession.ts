/** Several resources that name one customer: what each of them reports, and how a record goes from one to another. */
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { type GatewayConnection, mayAdopt } from '../connection/connection.ts';
import {
  type Claim,
  failed,
  named,
  type Outcome,
  ownedByAnother,
  reapplyGraceMs,
  type Run,
  yieldsTo,
} from '../external/external.ts';
import { budgetRowId, type Field, type ObservedCustomer } from '../gateway/gateway.ts';
import { changedManagement, isAnnotated } from '../lifecycle/lifecycle.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import { type Inheritance, linkedResource } from './comparison.ts';
import type { Dependencies } from './dependencies.ts';
import { customerWords, type SyncOutcome } from './status.ts';

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

/** Another resource owns the record. */
export function conflict(customer: GatewayCustomer, owner: Claim<GatewayCustomer>): Outcome {
  const { namespace, name } = owner.resource.metadata;
  const then =
    successorOf(owner)?.metadata.uid === customer.metadata.uid
      ? 'this resource takes over the record with its spend'
      : 'the record and its spend are deleted or go to another resource';
  const remedy =
    namespace === customer.metadata.namespace
      ? `Delete one of the two resources: if ${name} is deleted, ${then}.`
      : 'Use another customerId, or delete the other resource, which deletes the record with its spend.';
  return ownedByAnother(customerWords, customer, owner.resource, 'this customer', remedy);
}

/** A record of unknown origin, or of a resource that this cluster does not have, may not be adopted. */
export function refused(
  { instances }: Pick<Dependencies, 'instances'>,
  { instance: key }: GatewayConnection,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
): Outcome {
  const { namespace } = customer.metadata;
  const isAllowed = mayAdopt(instances.get(key), key, namespace);
  const what =
    linkedResource(customer, observed) === undefined
      ? 'The gateway already has a customer with this id'
      : 'The gateway already has this customer, of a GatewayCustomer that this cluster does not have';
  const why = isAllowed
    ? 'spec.adoptionPolicy is Refuse. Delete the customer at the gateway, or set adoptionPolicy to Adopt.'
    : `spec.adoption of GatewayInstance ${key.namespace}/${key.name} does not let namespace ${namespace} adopt it. Use another customerId, restore this resource from a backup with its annotation ${annotations.ownerMark}, or ask the admin of the instance to set spec.adoption to AllowedNamespaces.`;
  return { ...failed('AlreadyExists', { message: `${what}, and ${why}` }), ownership: 'Refused' };
}

/** The record is linked to the budget row of another resource. A resource of another namespace is not named. */
export function linkedToAnother(
  dependencies: Dependencies,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
): Outcome {
  const { namespace } = customer.metadata;
  const owner = ownerOfRow(dependencies, linkedResource(customer, observed) ?? '');
  const message =
    owner?.metadata.namespace === namespace
      ? `The record at the gateway belongs to GatewayCustomer ${namespace}/${owner.metadata.name}. Delete one of the two resources.`
      : 'The record at the gateway belongs to another GatewayCustomer. Use another customerId, or ask the admin of the gateway to delete the record.';
  return { ...failed('Conflict', { message }), ownership: 'Waiting' };
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
  const successor = successorOf(claim);
  const other = successor ?? others.find(({ metadata }) => metadata.namespace === namespace) ?? others[0];
  if (!outcome.synced || other === undefined) return outcome;
  const then =
    successor === undefined
      ? 'the record and its spend are deleted'
      : `${successor.metadata.name} takes over the record with its spend`;
  const who = named(customerWords, other, namespace);
  const message = `${outcome.message} ${who} waits for the same customer: if this resource is deleted, ${then}.`;
  return { ...outcome, message };
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
