/** Resources that stand for a record at a gateway, such as customers and budgets, and their status after a reconcile. Pure. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  Condition,
  GatewayBudgetStatus,
  GatewayCustomerStatus,
  GatewayKeyStatus,
  InstanceRef,
  ObjectMeta,
  TookOver,
} from '../api/v1alpha1/v1alpha1.ts';
import {
  type BudgetConditionReason,
  currentCondition,
  type CustomerConditionReason,
  type KeyConditionReason,
  needsUser,
  nextCondition,
  nextReason,
  readyConditions,
} from '../conditions/conditions.ts';
import { isObserveOnly, pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type { KubeObject } from '../runtime/runtime.ts';

/** See `status.ownership` of the kinds. */
export type RecordOwnership = NonNullable<
  GatewayCustomerStatus['ownership'] | GatewayBudgetStatus['ownership'] | GatewayKeyStatus['ownership']
>;

/** The part of a status that all kinds have. */
export interface ExternalStatus {
  readonly ownership?: RecordOwnership;
  readonly gateway?: string;
  readonly specHash?: string;
  readonly appliedFields?: readonly string[];
  readonly tookOver?: TookOver;
  readonly observedGeneration?: number;
  readonly lastSyncTime?: string;
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

/** The status of a kind. */
export type StatusOf<T extends External> = NonNullable<T['status']>;

/** A change that a sync made at the gateway. */
export interface SyncAction {
  readonly reason: 'Created' | 'Adopted' | 'Updated' | 'Rotated' | 'DriftCorrected';
  readonly message: string;
}

/** How a reconcile ended. A kind may add what it knows of the record. */
export interface Outcome {
  readonly synced: boolean;
  readonly reason: CustomerConditionReason<'Synced'> | BudgetConditionReason | KeyConditionReason;
  readonly message: string;
  /** Whether the operator continues by itself, although the reason usually needs a user. */
  readonly continues?: boolean;
  /** The ownership that the reconcile found; undefined if it found nothing. */
  readonly ownership?: RecordOwnership | undefined;
  /** The canonical address of the gateway that the ownership is about. */
  readonly address?: string | undefined;
  /** What the gateway has of the spec after the sync; undefined if it is not known. */
  readonly applied?: Applied | undefined;
  /** Whether the sync changed something at the gateway. */
  readonly wrote?: boolean;
  /** The fields that another client had changed, and that the sync corrected; undefined if there were none. */
  readonly corrected?: readonly string[] | undefined;
  /** The change to record as an event, if any. */
  readonly action?: SyncAction | undefined;
  /** The sync request that was handled. */
  readonly syncRequest?: string | undefined;
}

/** What the gateway has of a spec. */
export interface Applied {
  readonly specHash: string;
  /** The fields that the operator has set. */
  readonly fields: readonly string[];
}

/** The words of a kind. */
export interface Words {
  readonly kind: string;
  /** What a resource stands for: "customer". */
  readonly noun: string;
  /** What the gateway has of it: "record". */
  readonly record: string;
  /** The condition that reports a sync. */
  readonly condition: 'Synced' | 'Ready';
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

/** How the status of a kind follows from an outcome. */
export interface StatusRules<T extends External, O extends Outcome> {
  readonly words: Words;
  /** The fields that describe a record. They end when the resource has given the record up. */
  readonly recordFields: readonly (keyof StatusOf<T>)[];
  /** The reasons for which a resource that owns a record has the ownership NotAllowed. */
  readonly notAllowed: readonly Outcome['reason'][];
  /** The fields of the status before that an outcome ends. */
  readonly ended: (resource: T, outcome: O) => readonly (keyof StatusOf<T>)[];
  /** The fields that only this kind has, and what an outcome says of each. undefined: nothing, so the field stays. */
  readonly fields: {
    readonly [Field in keyof StatusOf<T>]?: (outcome: O, resource: T, now: Date) => StatusOf<T>[Field] | undefined;
  };
  /** A condition about the fields of the spec, and what Ready says if it is False. */
  readonly fieldsCondition?: (resource: T, outcome: O, now: Date) => Condition;
  readonly fieldsHint?: string;
}

/**
 * The status after an outcome.
 * @returns the same object if nothing changed
 */
export function nextStatus<T extends External, O extends Outcome>(
  rules: StatusRules<T, O>,
  resource: T,
  outcome: O,
  now: Date,
  gateway: StatusGateway = { digest: undefined, isElsewhere: false },
): StatusOf<T> {
  const before = (resource.status ?? {}) as StatusOf<T>;
  const { applied } = outcome;
  const leaves = isDecided(outcome) && gateway.isElsewhere;
  const ended = new Set<keyof StatusOf<T>>(leaves ? rules.recordFields : rules.ended(resource, outcome));
  const common: { readonly [Field in keyof ExternalStatus]: ExternalStatus[Field] | undefined } = {
    observedGeneration: resource.metadata.generation,
    ownership: nextOwnership(rules, resource, outcome),
    gateway: isDecided(outcome) ? gateway.digest : undefined,
    specHash: applied?.specHash,
    appliedFields: applied && [...applied.fields],
    lastHandledSyncRequest: outcome.syncRequest,
    conditions: conditionsOf(rules, resource, outcome, now),
  };
  const own = Object.entries<((outcome: O, resource: T, now: Date) => unknown) | undefined>(rules.fields);
  const said = [
    ...Object.entries(common),
    ...own.map(([field, rule]) => [field, rule?.(outcome, resource, now)] as const),
  ];
  const kept = Object.entries(before).filter(([field]) => !ended.has(field as keyof StatusOf<T>));
  // The types of the tables say that each field has its own type.
  const after = Object.fromEntries([...kept, ...said.filter(([, value]) => value !== undefined)]) as StatusOf<T>;
  return withSyncTime(before, after, outcome, now);
}

function nextOwnership<T extends External>(
  { notAllowed }: Pick<StatusRules<T, never>, 'notAllowed'>,
  resource: T,
  { ownership, reason }: Outcome,
): RecordOwnership | undefined {
  const before = resource.status?.ownership;
  if (isObserveOnly(resource)) return 'Observed';
  // If a resource that owns nothing loses its permission, its ownership does not change.
  if (notAllowed.includes(reason)) return isForeign(before) ? before : 'NotAllowed';
  return ownership ?? before;
}

/** Whether the record belongs to another resource or to a client outside the cluster, or is only observed. */
export function isForeign(status: RecordOwnership | undefined): boolean {
  return status === 'Waiting' || status === 'Refused' || status === 'Observed';
}

function conditionsOf<T extends External, O extends Outcome>(
  { words: { condition }, fieldsCondition, fieldsHint }: StatusRules<T, O>,
  resource: T,
  outcome: O,
  now: Date,
): Condition[] {
  const { synced, reason, message } = outcome;
  const status: Condition['status'] = synced ? 'True' : 'False';
  const state = { status, reason: nextReason(resource, condition, reason), message };
  const fields = fieldsCondition?.(resource, outcome, now);
  // A client that waits for Ready must not wait for what a gateway cannot do.
  const hint = synced && fields?.status === 'False' && fieldsHint !== undefined ? ` ${fieldsHint}` : '';
  const ready = { ...state, message: `${message}${hint}` };
  const isStalled = needsUser(reason) && outcome.continues !== true;
  return [
    ...(condition === 'Ready' ? [] : [nextCondition(resource, now, { type: condition, ...state })]),
    ...(fields === undefined ? [] : [fields]),
    ...readyConditions(resource, now, ready, isStalled ? ready : undefined),
  ];
}

/** The maximum age of the last sync time of an unchanged resource, in milliseconds. */
const lastSyncRefreshMs = 60 * 60_000;

/**
 * The status with the time of the last sync, which moves with a success that changed the status or wrote at the gateway, and
 * otherwise once an hour. An idle resource costs one write per hour.
 * @returns the status before if nothing changed
 */
function withSyncTime<Status extends ExternalStatus>(
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

/** A hash of the fields of a spec that does not depend on the order of fields, lists and maps. */
export function hashOf(fields: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(fields)))
    .digest('hex')
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly unknown[]).toSorted();
  return Object.entries(value)
    .map(([name, inner]) => [name, sorted(inner)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Why a record remained at the gateway. */
export type OrphanReason =
  'policy' | 'crd_deleted' | 'namespace_deleted' | 'forced' | 'finalizer_lost' | 'gateway_changed';
