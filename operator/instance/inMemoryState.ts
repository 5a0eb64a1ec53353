import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { SidecarRemovals } from '../guardrail/guardrail.ts';
import type { ObjectKey } from '../runtime/runtime.ts';
import { keyText } from '../runtime/runtime.ts';

/** The state of an instance in memory between reconciles. After a restart, it is empty. */
export interface InMemoryState {
  readonly uid: string;
  readonly sidecarRemovals: SidecarRemovals;
  /** Whether the spec requests no guardrail, and its Secrets are deleted. */
  keysDeleted: boolean;
  /** The certificates that the spec does not request, and that are deleted; undefined: not known. */
  deletedCertificates: string | undefined;
  /** When the guardrail was last asked for calls without an end user, by the monotonic clock; undefined: never. */
  lastCallAskedAt: number | undefined;
}

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
      sidecarRemovals: { times: [] },
      keysDeleted: false,
      deletedCertificates: undefined,
      lastCallAskedAt: undefined,
    };
    this.#states.set(key, fresh);
    return fresh;
  }

  delete(key: ObjectKey): void {
    this.#states.delete(keyText(key));
  }
}
