/** Helm, which is built from its Go module once and cached. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureGoProgram } from './goProgram.ts';
import { removeAtExit } from './processes.ts';
import type { Report } from './progress.ts';

const MODULE = join(import.meta.dirname, 'helm');
const PACKAGE = 'helm.sh/helm/v4/cmd/helm';

/** Runs Helm. Rejects with its error output. */
export type Helm = (args: readonly string[], kubeconfig?: string, more?: NodeJS.ProcessEnv) => Promise<string>;

/**
 * Builds Helm if it is not in the cache.
 * @throws Error with the remedy if it cannot be built
 */
export async function ensureHelm(report?: Report): Promise<Helm> {
  const sources = ['go.mod', 'go.sum'];
  const program = await ensureGoProgram({ name: 'helm', module: MODULE, package: PACKAGE, sources }, report);
  // Helm's own files, which would otherwise be in the user's home.
  const home = mkdtempSync(join(tmpdir(), 'helm-'));
  removeAtExit(home);
  const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  return async (args, kubeconfig, more) => {
    const env = { ...process.env, ...own, ...more, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) };
    try {
      const { stdout } = await promisify(execFile)(program, args, { env, maxBuffer: 1 << 26 });
      return stdout;
    } catch (error) {
      const { stderr = '' } = error as { readonly stderr?: string };
      throw new Error(`helm ${args[0] ?? ''}: ${stderr.trim()}`, { cause: error });
    }
  };
}
