/**
 * What clients make of the status of an object: the library kstatus, which Flux and kpt use, and a health check of Argo CD in
 * its Lua. The program in the folder kstatus/ is built from Go modules once and cached.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { goBuild, goCommand } from './controlplane/build.ts';
import { withFileLock } from './lock.ts';
import type { Report } from './progress.ts';

const MODULE = join(import.meta.dirname, 'kstatus');
/** The sample's health check for Argo CD. */
const HEALTH_CHECK = join(import.meta.dirname, '../samples/argocd/health.lua');
const SOURCES = ['main.go', 'go.mod', 'go.sum'];
const CACHES = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');

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
export async function ensureKstatus(report: Report = () => undefined): Promise<string> {
  const sources = createHash('sha256');
  for (const name of SOURCES) sources.update(readFileSync(join(MODULE, name)));
  const folder = join(CACHES, 'gateway-guardrail-operator', 'kstatus', sources.digest('hex').slice(0, 16));
  const program = join(folder, 'kstatus');
  mkdirSync(folder, { recursive: true });
  const waiting = (): void => {
    report('Another run is building kstatus; waiting for it …');
  };
  await withFileLock(folder, waiting, async () => {
    if (existsSync(program)) return;
    const go = await goCommand(process.env);
    if (go === undefined) throw new Error('kstatus is built with Go. Install Go 1.21 or newer (https://go.dev/dl).');
    const programs = [{ name: 'kstatus', package: '.' }];
    await goBuild({ programs, module: MODULE, folder, go, env: process.env, report });
  });
  return program;
}

/** What clients make of objects, in their order. */
export async function readStatuses(objects: readonly object[]): Promise<ObjectStatus[]> {
  const program = await ensureKstatus();
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(program, [HEALTH_CHECK], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`kstatus failed: ${stderr}`, { cause: error }));
    });
    child.stdin?.end(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
  });
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ObjectStatus);
}

/** What clients make of one object, in short: `InProgress, Suspended`. */
export async function readStatus(object: object): Promise<string> {
  const [status] = await readStatuses([object]);
  return `${status?.kstatus ?? ''}, ${status?.health.status ?? ''}`;
}
