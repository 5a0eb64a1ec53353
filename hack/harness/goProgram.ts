/** Programs for tests that are built once from Go modules and cached. Each has a folder here with its go.mod and go.sum. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './cache.ts';
import { goBuild, goCommand } from './controlplane/build.ts';
import { withFileLock } from './lock.ts';
import type { Report } from './progress.ts';

/** The package of each program. */
const PACKAGES = { helm: 'helm.sh/helm/v4/cmd/helm', kstatus: '.', otelcol: '.', promrules: '.' } as const;
/** The files whose change requires a new build. */
const SOURCES = ['main.go', 'go.mod', 'go.sum'];

/**
 * @returns the path of the program, which is built if it is not in the cache
 * @throws Error with the remedy if it cannot be built
 */
export async function ensureGoProgram(name: keyof typeof PACKAGES, report: Report = () => undefined): Promise<string> {
  const module = join(import.meta.dirname, name);
  const digest = createHash('sha256');
  for (const file of SOURCES.map((source) => join(module, source)).filter(existsSync))
    digest.update(readFileSync(file));
  const folder = join(CACHE, name, digest.digest('hex').slice(0, 16));
  const program = join(folder, name);
  mkdirSync(folder, { recursive: true });
  const waiting = (): void => {
    report(`Another run is building ${name}; waiting for it …`);
  };
  await withFileLock(folder, waiting, async () => {
    if (existsSync(program)) return;
    const go = await goCommand(process.env);
    if (go === undefined) throw new Error(`${name} is built with Go. Install Go 1.21 or newer (https://go.dev/dl).`);
    await goBuild({ programs: [{ name, package: PACKAGES[name] }], module, folder, go, env: process.env, report });
  });
  return program;
}
