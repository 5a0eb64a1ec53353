import type { RequeueSlot } from './requeueSlot.ts';

/** The priority of an object in the work queue. The queue hands out higher priorities first. */
export const Priority = {
  /** Not known to have changed: periodic reconciles, and objects that are up to date after a restart. */
  routine: 0,
  /** Known to be out of date, but not recently changed: retries, and objects that are not up to date after a restart. */
  pending: 1,
  /** Just changed: a user may be waiting for the result. */
  changed: 2,
} as const;
export type Priority = (typeof Priority)[keyof typeof Priority];

/** One key in the work queue. */
export interface QueueItem {
  readonly key: string;
  /** The groups that the key belonged to when it was enqueued, the outermost first. Each name contains those before it. */
  groups: readonly string[];
  state: 'waiting' | 'delayed' | 'working';
  priority: Priority;
  /** When the key was enqueued, for the metric. */
  since: number;
  /** Number of the latest queue entry. An entry with another ticket is stale. */
  ticket: number;
  /** While working: the priority with which the key was added again. */
  again: Priority | undefined;
  /** While delayed: when the key is due. */
  due: number;
  /** Delayed because the last reconcile did not succeed: a change must not make the key spin. */
  backingOff: boolean;
  /** When the key is due in its requeue interval. */
  readonly slot: RequeueSlot;
}
