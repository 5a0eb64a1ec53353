/** How cases that run at the same time, each in a process of its own, keep out of each other's way. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../operator/runtime/testing/eventually.ts';
import { withFileLock } from '../harness/lock.ts';
import { removeAtExit } from '../harness/processes.ts';
import { RUN } from './namespaces.ts';

const FOLDER = join(tmpdir(), `e2e-${RUN}`);
const SIDECARS = join(FOLDER, 'sidecars');
/** The time limit for all other cases together. */
const OTHERS_MS = 1_500_000;

/** The cases that can run at the same time: each list in its order. Each case has namespaces of its own. */
const BESIDE_EACH_OTHER = [['sidecar', 'inline'], ['deployment'], ['operator', 'deletion']];
/** The last ones begin at once, and wait for the others before they disturb the node or uninstall the operator. */
export const LANES: readonly (readonly string[])[] = [...BESIDE_EACH_OTHER, ['faults'], ['uninstall']];

/** Creates the folder of the locks. Only for the process that outlives the cases. */
export function createLocks(): void {
  mkdirSync(SIDECARS, { recursive: true });
  removeAtExit(FOLDER);
}

/** Runs a part of a case while no other one changes the operator's access to sidecars, or relies on it. */
export function withSidecarLock<T>(work: () => Promise<T>): Promise<T> {
  return withFileLock(SIDECARS, () => undefined, work);
}

/** Lets the cases begin that wait for this one, which has ended or does not run. */
export function markEnded(name: string): void {
  writeFileSync(join(FOLDER, name), '');
}

/** Waits until all cases of earlier lanes have ended. */
export function othersEnded(name: 'faults' | 'uninstall'): Promise<void> {
  const others = LANES.slice(
    0,
    LANES.findIndex((lane) => lane.includes(name)),
  ).flat();
  return eventually(() => {
    expect(others.filter((other) => !existsSync(join(FOLDER, other)))).to.deep.equal([]);
  }, OTHERS_MS);
}
