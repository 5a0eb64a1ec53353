/** What a sync changes in the status and the events of a resource. Pure. */
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';
import type { EventDetails } from '../runtime/runtime.ts';

/** The condition that reports a sync, before and after a reconcile. */
export interface SyncTransition {
  readonly was: Condition | undefined;
  readonly is: Condition | undefined;
  /** The change that the sync made at the gateway, if any. */
  readonly action: { readonly reason: string; readonly message: string } | undefined;
  /** The event of a condition that is not True. */
  readonly failure: (is: Condition) => EventDetails;
}

/** The events of a transition. A reconcile without one has none. */
export function syncEvents({ was, is, action, failure }: SyncTransition): EventDetails[] {
  if (is === undefined) return [];
  if (is.status !== 'True') return was?.reason === is.reason ? [] : [failure(is)];
  const events: EventDetails[] = [];
  if (action !== undefined) events.push({ type: 'Normal', ...action, action: 'Sync' });
  if (was?.reason === 'Paused') {
    events.push({ type: 'Normal', reason: 'Resumed', message: 'Reconciliation resumed.', action: 'Sync' });
  } else if (action === undefined && was?.status === 'False') {
    events.push({ type: 'Normal', reason: 'Recovered', message: is.message, action: 'Sync' });
  }
  return events;
}

/** The maximum age of the last sync time of an unchanged resource, in milliseconds. */
const lastSyncRefreshMs = 60 * 60_000;

/** Whether the time of the last sync is too old, or in the future because the clock was set back. */
export function isSyncTimeOutdated(time: string | undefined, now: Date): boolean {
  const age = now.getTime() - Date.parse(time ?? '');
  return !(age >= 0 && age < lastSyncRefreshMs);
}
