/** A program for tests that is built from a Go module of this folder once, and cached. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { goBuild, goCommand } from './controlplane/build.ts';
import { withFileLock } from './lock.ts';
import type { Report } from './progress.ts';

const CACHES = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');

export interface GoProgram {
  readonly name: string;
  /** The folder whose go.mod and go.sum pin the packages. */
  readonly module: string;
  readonly package: string;
  /** The files of the folder whose change requires a new build. */
  readonly sources: readonly string[];
}

/**
 * @returns the path of the program, which is built if it is not in the cache
 * @throws Error with the remedy if it cannot be built
 */
export async function ensureGoProgram(wanted: GoProgram, report: Report = () => undefined): Promise<string> {
  const { name, module } = wanted;
  const sources = createHash('sha256');
  for (const file of wanted.sources) sources.update(readFileSync(join(module, file)));
  const folder = join(CACHES, 'gateway-guardrail-operator', name, sources.digest('hex').slice(0, 16));
  const program = join(folder, name);
  mkdirSync(folder, { recursive: true });
  const waiting = (): void => {
    report(`Another run is building ${name}; waiting for it …`);
  };
  await withFileLock(folder, waiting, async () => {
    if (existsSync(program)) return;
    const go = await goCommand(process.env);
    if (go === undefined) throw new Error(`${name} is built with Go. Install Go 1.21 or newer (https://go.dev/dl).`);
    const programs = [{ name, package: wanted.package }];
    await goBuild({ programs, module, folder, go, env: process.env, report });
  });
  return program;
}
