/**
 * What clients make of the status of an object: the library kstatus, which Flux and kpt use, and a health check of Argo CD in
 * its Lua. The program in the folder kstatus/ is built from Go modules once and cached.
 */
import { join } from 'node:path';
import { runProgram } from './executables.ts';
import { ensureGoProgram } from './goProgram.ts';
import type { Report } from './progress.ts';

/** The sample's health check for Argo CD. */
const HEALTH_CHECK = join(import.meta.dirname, '../samples/argocd/health.lua');

/** What clients make of one object. */
export interface ObjectStatus {
  readonly kstatus: 'InProgress' | 'Failed' | 'Current' | 'Terminating' | 'Unknown';
  /** The message of kstatus. */
  readonly message: string;
  /** The health in Argo CD. */
  readonly health: { readonly status: string; readonly message: string };
}

/**
 * The program, built if it is not in the cache.
 * @throws Error with the remedy if it cannot be built
 */
export function ensureKstatus(report?: Report): Promise<string> {
  return ensureGoProgram('kstatus', report);
}

/** What clients make of objects, in their order. */
export async function readStatuses(objects: readonly object[]): Promise<ObjectStatus[]> {
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const output = await runProgram(await ensureKstatus(), [HEALTH_CHECK], { input });
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ObjectStatus);
}

/** What clients make of one object, in short: `InProgress, Suspended`. */
export async function readStatus(object: object): Promise<string> {
  const [status] = await readStatuses([object]);
  return `${status?.kstatus ?? ''}, ${status?.health.status ?? ''}`;
}
