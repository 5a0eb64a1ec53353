import { dirname, join } from 'node:path';
import { runProgram } from '../executables.ts';

/** The maximum number of runs of `kubectl apply` while etcd answers late. Each run waits 7 s. */
const APPLY_ATTEMPTS = 5;

/** Runs kubectl. Repeats `apply` if etcd answers late. */
export async function runKubectl(
  path: string,
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  // kubectl's caches are in the folder of the cluster and are removed with it, instead of remaining in the user's home.
  const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), 'kubectl-cache') };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runProgram(path, args, { input, env });
    } catch (error) {
      // On a machine with a busy disk, etcd answers late for some seconds. Only `apply` can be repeated after any failure.
      const isLate = error instanceof Error && error.message.includes('etcdserver: request timed out');
      if (!isLate || args[0] !== 'apply' || attempt >= APPLY_ATTEMPTS) throw error;
    }
  }
}
