/** Resources that stand for a record at a gateway: customers and budgets. */
import { isDeepStrictEqual } from 'node:util';
import type {
  Condition,
  GatewayBudgetStatus,
  GatewayCustomerStatus,
  InstanceRef,
  ObjectMeta,
  TookOver,
} from '../api/v1alpha1/v1alpha1.ts';
import {
  type BudgetConditionReason,
  type BudgetEventReason,
  currentCondition,
  type CustomerConditionReason,
  type CustomerEventReason,
} from '../conditions/conditions.ts';
import { pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type { EventDetails, KubeObject } from '../runtime/runtime.ts';

/** See `status.ownership` of the kinds. */
export type RecordOwnership = NonNullable<GatewayCustomerStatus['ownership'] | GatewayBudgetStatus['ownership']>;

/** The part of a status that all kinds have. */
export interface ExternalStatus {
  readonly ownership?: RecordOwnership;
  readonly gateway?: string;
  readonly specHash?: string;
  readonly appliedFields?: readonly string[];
  readonly tookOver?: TookOver;
  readonly observedGeneration?: number;
  readonly lastHandledSyncRequest?: string;
  readonly conditions?: readonly Condition[];
}

/** The part of a resource that all kinds have. */
export interface External extends KubeObject {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly instanceRef: InstanceRef;
    readonly managementPolicy?: 'Manage' | 'Observe';
    readonly adoptionPolicy?: 'Adopt' | 'Refuse';
    readonly deletionPolicy?: 'Delete' | 'Orphan';
  };
  readonly status?: ExternalStatus;
}

/** A change that a sync made at the gateway. */
export interface SyncAction {
  readonly reason: 'Created' | 'Adopted' | 'Updated' | 'DriftCorrected';
  readonly message: string;
}

/** How a reconcile ended. A kind may add what it knows of the record. */
export interface Outcome {
  readonly synced: boolean;
  readonly reason: CustomerConditionReason<'Synced'> | BudgetConditionReason;
  readonly message: string;
  /** Whether the operator continues by itself, although the reason usually needs a user. */
  readonly continues?: boolean;
  /** The ownership that the reconcile found; undefined if it found nothing. */
  readonly ownership?: RecordOwnership | undefined;
  /** The canonical address of the gateway that the ownership is about. */
  readonly address?: string | undefined;
  /** Whether the sync changed something at the gateway. */
  readonly wrote?: boolean;
  /** The change to record as an event, if any. */
  readonly action?: SyncAction | undefined;
  /** The sync request that was handled. */
  readonly syncRequest?: string | undefined;
}

/** The outcome of an error. */
export function failed(reason: Outcome['reason'], { message }: { readonly message: string }): Outcome {
  return { synced: false, reason, message };
}

/** The gateway that an outcome is about. */
export interface StatusGateway {
  /** See `status.gateway`; undefined: the outcome is about no gateway. */
  readonly digest: string | undefined;
  /** Whether the status before is about another gateway. */
  readonly isElsewhere: boolean;
}

/** Whether an outcome says who owns the record at a gateway. The status is then about this gateway. */
export function isDecided({ ownership, address }: Outcome): boolean {
  if (address === undefined) return false;
  return ownership === 'Owned' || ownership === 'Creating' || ownership === 'Waiting' || ownership === 'Refused';
}

/** Whether the last sync succeeded and the resource has not changed since. */
export function isInSync(resource: External): boolean {
  return (
    currentCondition(resource, 'Ready')?.status === 'True' &&
    resource.status?.observedGeneration === resource.metadata.generation &&
    pendingSyncRequest(resource) === undefined
  );
}

/** The maximum age of the last sync time of an unchanged resource, in milliseconds. */
const lastSyncRefreshMs = 60 * 60_000;

/**
 * The status with the time of the last sync, which moves with a success that changed the status or wrote at the gateway, and
 * otherwise once an hour. An idle resource costs one write per hour.
 * @returns the status before if nothing changed
 */
export function withSyncTime<Status extends { readonly lastSyncTime?: string }>(
  before: Status,
  after: Status,
  { synced, wrote }: Pick<Outcome, 'synced' | 'wrote'>,
  now: Date,
): Status {
  const changed = !isDeepStrictEqual(after, before);
  const age = now.getTime() - Date.parse(before.lastSyncTime ?? '');
  // In the future if the clock was set back.
  const isOutdated = !(age >= 0 && age < lastSyncRefreshMs);
  if (synced && (changed || wrote === true || isOutdated)) return { ...after, lastSyncTime: now.toISOString() };
  return changed ? after : before;
}

/** Why a record remained at the gateway. */
export type OrphanReason =
  'policy' | 'crd_deleted' | 'namespace_deleted' | 'forced' | 'finalizer_lost' | 'gateway_changed';

type EventReason = CustomerEventReason | BudgetEventReason;
type Reasons = Readonly<Partial<Record<Outcome['reason'], EventReason>>>;

const failures: Reasons = {
  Conflict: 'Conflict',
  NotConverged: 'NotConverged',
  Overwritten: 'Overwritten',
  Paused: 'Paused',
  InUse: 'InUse',
  DeletionFailed: 'DeletionFailed',
  ErasurePending: 'DeletionFailed',
  InternalError: 'InternalError',
};

/** A resource may be applied before those that it refers to: if it was never synced, it waits without a failure event. */
const waits: Reasons = {
  InstanceNotFound: 'WaitingForInstance',
  InstanceNotReady: 'WaitingForInstance',
  BudgetNotFound: 'WaitingForBudget',
  BudgetNotReady: 'WaitingForBudget',
};

/**
 * The events between two statuses. A reconcile without a transition has none.
 * @param type the condition that reports a sync
 */
export function transitions(
  type: 'Synced' | 'Ready',
  before: External,
  after: ExternalStatus,
  action: SyncAction | undefined,
): EventDetails[] {
  const was = currentCondition(before, type);
  const is = currentCondition({ ...before, status: after }, type);
  // A creation is reported when it is complete.
  if (is === undefined || is.reason === 'Creating') return [];
  if (is.status !== 'True') return was?.reason === is.reason ? [] : [failure(before, is)];
  const events: EventDetails[] = [];
  if (action !== undefined) events.push({ type: 'Normal', ...action, action: 'Sync' });
  if (was?.reason === 'Paused') {
    events.push({ type: 'Normal', reason: 'Resumed', message: 'Reconciliation resumed.', action: 'Sync' });
  } else if (action === undefined && was?.status === 'False') {
    events.push({ type: 'Normal', reason: 'Recovered', message: is.message, action: 'Sync' });
  }
  return events;
}

function failure(before: External, is: Condition): EventDetails {
  const { message } = is;
  const reason = is.reason as Outcome['reason'];
  const waiting = waits[reason];
  if (waiting !== undefined && before.status?.specHash === undefined) {
    return { type: 'Normal', reason: waiting, message, action: 'Sync' };
  }
  const type = reason === 'Paused' || reason === 'InUse' ? 'Normal' : 'Warning';
  return { type, reason: failures[reason] ?? 'SyncFailed', message, action: 'Sync' };
}

/**
 * The event of a resource whose instance names another address now. The operator cannot know whether both addresses lead to
 * the same gateway.
 * @param record what remains, such as "budget gold"
 */
export function leftGateway({ spec, metadata }: External, record: string): EventDetails {
  const { name, namespace = metadata.namespace } = spec.instanceRef;
  return {
    type: 'Warning',
    reason: 'Orphaned',
    message: `The address of GatewayInstance ${namespace}/${name} changed. If it leads to another gateway now, ${record} remains at the previous one: delete it there if it is no longer used.`,
    action: 'Sync',
  };
}
