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
const ENDED = join(FOLDER, 'ended');
/** The time limit for all other cases together. */
const OTHERS_MS = 1_500_000;

/** Creates the folder of the locks. Only for the process that outlives the cases. */
export function createLocks(): void {
  mkdirSync(SIDECARS, { recursive: true });
  removeAtExit(FOLDER);
}

/** Runs a part of a case while no other one changes the operator's access to sidecars, or relies on it. */
export function withSidecarLock<T>(work: () => Promise<T>): Promise<T> {
  return withFileLock(SIDECARS, () => undefined, work);
}

/** Lets the cases begin that wait for {@link othersEnded}. */
export function endOthers(): void {
  writeFileSync(ENDED, '');
}

/** Waits until all cases have ended that can run at the same time. */
export function othersEnded(): Promise<void> {
  return eventually(() => {
    expect(existsSync(ENDED), 'whether the other cases have ended').to.equal(true);
  }, OTHERS_MS);
}
