import { runProgram } from './executables.ts';
import { ensureGoProgram } from './goProgram.ts';
import { temporaryFolder } from './processes.ts';
import type { Report } from './progress.ts';

/** Runs Helm. Rejects with its error output. */
export type Helm = (args: readonly string[], kubeconfig?: string, more?: NodeJS.ProcessEnv) => Promise<string>;

/**
 * Builds Helm if it is not in the cache.
 * @throws Error with the remedy if it cannot be built
 */
export async function ensureHelm(report?: Report): Promise<Helm> {
  const program = await ensureGoProgram('helm', report);
  // Helm's own files, which would otherwise be in the user's home.
  const home = temporaryFolder('helm-');
  const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  return (args, kubeconfig, more) =>
    runProgram(program, args, {
      env: { ...own, ...more, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) },
    });
}
