/** The outcomes of a sync, as the status reports them. Pure. */
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { type GatewayConnection, mayAdopt } from '../connection/connection.ts';
import { enforcesAccess } from '../enforcement/enforcement.ts';
import type { Ownership, SyncAction } from '../external/external.ts';
import {
  type Fields,
  limitNames,
  limitsOf,
  type LimitValues,
  type ObservedCustomer,
  type SupportedFields,
  unenforced,
} from '../gateway/gateway.ts';
import { customerPolicyProblem } from '../policy/policy.ts';
import type { Dependencies } from './dependencies.ts';
import { appliedAfter, type Drift } from './desired.ts';
import { isLinked, linkedResource } from './examination.ts';
import { accessState, type AppliedState, policyState, withGuardrail } from './fullyApplied.ts';
import type { SyncOutcome } from './status.ts';
import { ownerOfRow } from './succession.ts';

/** The message of `Synced=True` for every reason: it must not change from one reconcile to the next. */
const inSyncMessage = "The gateway's record matches the spec.";

/** The input for the state of the fields. */
export interface AppliedInput {
  readonly dependencies: Dependencies;
  readonly connection: GatewayConnection;
  /** The canonical address of the gateway. */
  readonly address: string;
  readonly specHash: string;
  /** The id of the tier that the customer is linked to, if any. */
  readonly budgetId: string | undefined;
  readonly syncRequest: string | undefined;
  readonly supported: SupportedFields;
  readonly drift: Drift;
  readonly observed: ObservedCustomer;
}

/** The record matches the spec without a write. There may still be an action, such as an adoption. */
export function upToDate(customer: GatewayCustomer, input: AppliedInput, action: SyncAction | undefined): SyncOutcome {
  const reason = action === undefined ? 'UpToDate' : reasonOf(action);
  return { synced: true, reason, message: inSyncMessage, ...found(customer, input), action };
}

/** The record matches the spec after a write. */
export function written(customer: GatewayCustomer, input: AppliedInput, action: SyncAction): SyncOutcome {
  return { ...upToDate(customer, input, action), wrote: true };
}

/** The gateway accepted a write and still reports other values. */
export function notConverged(customer: GatewayCustomer, input: AppliedInput): SyncOutcome {
  const message = `The gateway accepted the change but reports other values for ${input.drift.differs.join(', ')}. Check whether another client sets them, and whether this gateway supports them.`;
  return { synced: false, reason: 'NotConverged', message, ...found(customer, input) };
}

/** A record of unknown origin, or of a resource that this cluster does not have, may not be adopted. */
export function refused(
  { dependencies, connection, address }: Pick<AppliedInput, 'dependencies' | 'connection' | 'address'>,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
): SyncOutcome {
  const { namespace, name } = connection.instance;
  const instance = dependencies.instances.get(connection.instance);
  const isAllowed = mayAdopt(instance, connection.instance, customer.metadata.namespace);
  const what =
    linkedResource(customer, observed) === undefined
      ? 'The gateway already has a customer with this id'
      : 'The gateway already has this customer, of a GatewayCustomer that this cluster does not have';
  const why = isAllowed
    ? 'spec.adoptionPolicy is Refuse. Delete the customer at the gateway, or set adoptionPolicy to Adopt.'
    : `spec.adoption of GatewayInstance ${namespace}/${name} does not let namespace ${customer.metadata.namespace} adopt it. Use another customerId, restore this resource from a backup with its annotation ${annotations.ownerMark}, or ask the admin of the instance to set spec.adoption to AllowedNamespaces.`;
  return { synced: false, reason: 'AlreadyExists', ownership: 'Refused', address, message: `${what}, and ${why}` };
}

/** The record is linked to the budget row of another resource. A resource of another namespace is not named. */
export function linkedToAnother(
  { dependencies, address }: Pick<AppliedInput, 'dependencies' | 'address'>,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
): SyncOutcome {
  const { namespace } = customer.metadata;
  const owner = ownerOfRow(dependencies, linkedResource(customer, observed) ?? '');
  const message =
    owner?.metadata.namespace === namespace
      ? `The record at the gateway belongs to GatewayCustomer ${namespace}/${owner.metadata.name}. Delete one of the two resources.`
      : 'The record at the gateway belongs to another GatewayCustomer. Use another customerId, or ask the admin of the gateway to delete the record.';
  return { synced: false, reason: 'Conflict', ownership: 'Waiting', address, message };
}

/** The action of a creation. */
export function createdAction(again: boolean): SyncAction {
  return again
    ? { reason: 'Created', message: 'The customer was missing at the gateway and was created again.' }
    : { reason: 'Created', message: 'The customer was created at the gateway.' };
}

/** The action of a sync that becomes the owner of an existing record; undefined: the resource owned it already. */
export function adoptedAction(ownership: Ownership, linked: boolean): SyncAction | undefined {
  if (ownership.status === 'TakingOver') {
    return { reason: 'Adopted', message: 'The resource took over the record of a deleted resource, with its spend.' };
  }
  if (ownership.state === 'owned') return undefined;
  const adopted: SyncAction = {
    reason: 'Adopted',
    message: 'The gateway already had a customer with this id. The resource adopted it.',
  };
  if (ownership.restoredFrom !== undefined) {
    return { reason: 'Adopted', message: 'The resource was restored from a backup and owns its record again.' };
  }
  if (ownership.status === 'Observed' || ownership.isElsewhere) return adopted;
  // The link proves that this resource created the record before a crash.
  if (linked) return createdAction(false);
  return adopted;
}

/** The action of an update. */
export function updatedAction(drift: Drift, specChanged: boolean): SyncAction {
  const fields = [...drift.differs, ...drift.uncleared, ...drift.unreported].join(', ');
  if (!specChanged) {
    return {
      reason: 'DriftCorrected',
      message: `The gateway's record differed from the spec and was corrected: ${fields}.`,
    };
  }
  const message =
    fields === '' ? 'The changed spec or budget was sent to the gateway.' : `Changed at the gateway: ${fields}.`;
  return { reason: 'Updated', message };
}

function reasonOf({ reason }: SyncAction): SyncOutcome['reason'] {
  return reason === 'DriftCorrected' ? 'Updated' : reason;
}

function found(
  customer: GatewayCustomer,
  input: AppliedInput,
): Pick<SyncOutcome, 'ownership' | 'address' | 'observed' | 'applied' | 'syncRequest'> {
  return {
    ownership: 'Owned',
    address: input.address,
    observed: input.observed,
    applied: appliedState(customer, input),
    syncRequest: input.syncRequest,
  };
}

function appliedState(
  customer: GatewayCustomer,
  { dependencies, connection, specHash, budgetId, supported, drift, observed }: AppliedInput,
): AppliedState {
  const { fields, unsupported } = supported;
  const instance = dependencies.instances.get(connection.instance);
  const guardrail = instance !== undefined && enforcesAccess(customer, instance);
  return {
    ...{ specHash, budgetId, drift, unsupported },
    copiedBudget: remainingCopy(customer, fields, observed),
    fields: appliedAfter(fields, drift),
    unenforced: withGuardrail(unenforced(fields, observed, { ...connection.enforcement, guardrail }), instance).filter(
      ({ field }) => !drift.unreported.includes(field),
    ),
    access: accessState(customer, instance),
    policy: policyState(customer, instance, customerPolicyProblem(dependencies.policies, customer)),
  };
}

/** The budget from which limits were copied, while the customer's own row has a limit that the spec does not name. */
function remainingCopy(customer: GatewayCustomer, desired: Fields, observed: ObservedCustomer): string | undefined {
  const named = new Set<string>(Object.keys(limitsOf(desired)).map((field) => limitNames[field as keyof LimitValues]));
  const unnamed = Object.keys(observed.budget).some((column) => !named.has(column));
  return isLinked(customer, observed) && unnamed ? customer.status?.copiedBudget : undefined;
}
