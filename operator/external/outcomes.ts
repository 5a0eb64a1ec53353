/**
 * The outcomes that all kinds have, as tables: what conditions and events say, and when the gateway is called again. A message
 * must not change from one reconcile to the next. Pure.
 */
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';
import {
  type BudgetEventReason,
  currentCondition,
  type CustomerEventReason,
  type KeyEventReason,
} from '../conditions/conditions.ts';
import type { GatewayErrorKind } from '../gateway/gateway.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import type { External, ExternalStatus, Outcome, SyncAction, Words } from './resource.ts';

/** How a resource became the owner of its record. */
export type Origin = 'created' | 'createdAgain' | 'adopted' | 'takenOver' | 'restored';

/** A change that neither follows the spec nor corrects the record: a key was replaced, or a replaced one was deleted. */
export type Routine = 'rotated' | 'retired';

type Text = (words: Words, fields: string) => string;

const actions: Readonly<
  Record<Origin | Routine | 'updated' | 'sent' | 'corrected', readonly [reason: SyncAction['reason'], message: Text]>
> = {
  created: ['Created', ({ noun }) => `The ${noun} was created at the gateway.`],
  createdAgain: ['Created', ({ noun }) => `The ${noun} was missing at the gateway and was created again.`],
  adopted: ['Adopted', ({ noun }) => `The gateway already had a ${noun} with this id. The resource adopted it.`],
  takenOver: ['Adopted', ({ record }) => `The resource took over the ${record} of a deleted resource, with its spend.`],
  restored: ['Adopted', ({ record }) => `The resource was restored from a backup and owns its ${record} again.`],
  updated: ['Updated', (_words, fields) => `Changed at the gateway: ${fields}.`],
  sent: ['Updated', () => 'The changed spec or budget was sent to the gateway.'],
  rotated: [
    'Rotated',
    ({ noun }) => `A new ${noun} is in the Secret. The previous one stays valid for spec.rotationGracePeriod.`,
  ],
  retired: ['Updated', ({ noun }) => `The previous ${noun} was deleted at the gateway.`],
  corrected: [
    'DriftCorrected',
    ({ record }, fields) => `The gateway's ${record} differed from the spec and was corrected: ${fields}.`,
  ],
};

/** The change that a sync made. @param fields those that it changed */
export function actionOf(what: keyof typeof actions, words: Words, fields: readonly string[] = []): SyncAction {
  const [reason, message] = actions[what];
  return { reason, message: message(words, fields.join(', ')) };
}

/** The record matches the spec. @param action what the sync did for that, if anything */
export function inSync({ record }: Words, action: SyncAction | undefined): Outcome {
  const reason = action?.reason === 'DriftCorrected' ? 'Updated' : (action?.reason ?? 'UpToDate');
  return { synced: true, reason, message: `The gateway's ${record} matches the spec.`, action };
}

/** The gateway accepted a write and still reports other values. */
export function notConverged(fields: readonly string[]): Outcome {
  const message = `The gateway accepted the change but reports other values for ${fields.join(', ')}. Check whether another client sets them, and whether this gateway supports them.`;
  return failed('NotConverged', { message });
}

/**
 * A resource only observes.
 * @param differing the fields of the spec that have another value at the gateway; undefined: the gateway has no such record
 */
export function observed({ noun }: Words, differing: readonly string[] | undefined): Outcome {
  const policy = 'spec.managementPolicy is Observe';
  if (differing === undefined) {
    const message = `The gateway has no such ${noun}, and ${policy}, so the operator does not create it. Create it at the gateway, or set managementPolicy to Manage.`;
    return failed('NotAtGateway', { message });
  }
  if (differing.length > 0) {
    const message = `The gateway's ${noun} differs from the spec in ${differing.join(', ')}, and ${policy}, so the operator does not change it. Correct the spec, or set managementPolicy to Manage.`;
    return failed('Differs', { message });
  }
  const message = `The gateway's ${noun} matches the spec. The operator only observes it.`;
  return { synced: true, reason: 'Observed', message };
}

/** A resource as another one may name it: one of another namespace is not named. */
export function named({ kind }: Words, { metadata }: External, namespace: string): string {
  return metadata.namespace === namespace ? `${kind} ${namespace}/${metadata.name}` : `A ${kind} in another namespace`;
}

/**
 * Another resource owns the record.
 * @param managed what both name, such as "this customer"
 * @param remedy what to do
 */
export function ownedByAnother(
  words: Words,
  resource: External,
  owner: External,
  managed: string,
  remedy: string,
): Outcome {
  const message = `${named(words, owner, resource.metadata.namespace)} manages ${managed}. ${remedy}`;
  return { ...failed('Conflict', { message }), ownership: 'Waiting' };
}

/** The outcome of an error. */
export function failed(reason: Outcome['reason'], { message }: { readonly message: string }): Outcome {
  return { synced: false, reason, message };
}

/**
 * The reason of a failed call, and who schedules the next one: the gateway says when (`gateway`), the work queue by its backoff
 * (`queue`), the next time that the key is read (`key`), or the sync interval (`sync`).
 */
export const gatewayFailures: Readonly<
  Record<GatewayErrorKind, readonly [reason: Outcome['reason'], retry: 'gateway' | 'queue' | 'key' | 'sync']>
> = {
  retryAfter: ['RateLimited', 'gateway'],
  transient: ['GatewayUnreachable', 'queue'],
  unconfirmed: ['GatewayRejected', 'queue'],
  unauthorized: ['GatewayUnauthorized', 'key'],
  terminal: ['GatewayRejected', 'sync'],
  notFound: ['GatewayRejected', 'sync'],
  alreadyExists: ['GatewayRejected', 'sync'],
};

type EventReason = CustomerEventReason | BudgetEventReason | KeyEventReason;

/**
 * The events of failures: all others are SyncFailed. A resource may be applied before those that it refers to: if it was never
 * synced, it waits, which is no failure.
 */
const failureEvents: Readonly<
  Partial<
    Record<Outcome['reason'], { readonly reason?: EventReason; readonly type?: 'Normal'; readonly waits?: EventReason }>
  >
> = {
  Conflict: { reason: 'Conflict' },
  NotConverged: { reason: 'NotConverged' },
  Overwritten: { reason: 'Overwritten' },
  Paused: { reason: 'Paused', type: 'Normal' },
  InUse: { reason: 'InUse', type: 'Normal' },
  DeletionFailed: { reason: 'DeletionFailed' },
  ErasurePending: { reason: 'DeletionFailed' },
  InternalError: { reason: 'InternalError' },
  InstanceNotFound: { waits: 'WaitingForInstance' },
  InstanceNotReady: { waits: 'WaitingForInstance' },
  BudgetNotFound: { waits: 'WaitingForBudget' },
  BudgetNotReady: { waits: 'WaitingForBudget' },
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

function failure(before: External, { reason, message }: Condition): EventDetails {
  const row = failureEvents[reason as Outcome['reason']];
  if (row?.waits !== undefined && before.status?.specHash === undefined) {
    return { type: 'Normal', reason: row.waits, message, action: 'Sync' };
  }
  return { type: row?.type ?? 'Warning', reason: row?.reason ?? 'SyncFailed', message, action: 'Sync' };
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
