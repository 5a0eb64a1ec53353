import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { SidecarRemovals } from '../guardrail/guardrail.ts';
import type { ObjectKey } from '../runtime/runtime.ts';
import { keyText } from '../runtime/runtime.ts';

/** The state of an instance in memory between reconciles. After a restart, it is empty. */
export interface InMemoryState {
  readonly uid: string;
  /** The last reconciled version, and its time. */
  lastReconcile: { readonly version: string; readonly at: number } | undefined;
  readonly sidecarRemovals: SidecarRemovals;
  /** Whether the spec requests no guardrail, and its Secrets are deleted. */
  keysDeleted: boolean;
}

/**
 * The minimum interval between reconciles of an unchanged instance. Without it, ten thousand customers that become
 * synced would cause ten thousand reconciles.
 */
const MIN_INTERVAL_MS = 1_000;

/** The states of all instances. */
export class InMemoryStates {
  readonly #states = new Map<string, InMemoryState>();

  /** The state of an instance; a new one if another instance with the same name replaced it. */
  of({ metadata }: GatewayInstance): InMemoryState {
    const key = keyText(metadata);
    const known = this.#states.get(key);
    if (known?.uid === metadata.uid) return known;
    const fresh: InMemoryState = {
      uid: metadata.uid,
      lastReconcile: undefined,
      sidecarRemovals: { times: [] },
      keysDeleted: false,
    };
    this.#states.set(key, fresh);
    return fresh;
  }

  /** @returns the uid of the instance that had the state */
  delete(key: ObjectKey): string | undefined {
    const known = this.#states.get(keyText(key));
    this.#states.delete(keyText(key));
    return known?.uid;
  }
}

/** How long the reconcile of an unchanged instance must wait, in milliseconds; not above 0 if it need not wait. */
export function throttleMs({ lastReconcile }: InMemoryState, instance: GatewayInstance, now: number): number {
  if (lastReconcile?.version !== versionOf(instance)) return 0;
  return Math.ceil(lastReconcile.at + MIN_INTERVAL_MS - now);
}

/** Identifies the fields of an instance that users can change. */
export function versionOf({ metadata }: GatewayInstance): string {
  return JSON.stringify([metadata.uid, metadata.generation, metadata.annotations]);
}
