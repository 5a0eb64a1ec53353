import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';

/** The maximum number of runs of `kubectl apply` while etcd answers late. Each run waits 7 s. */
const APPLY_ATTEMPTS = 5;

/** Runs kubectl. Repeats `apply` if etcd answers late. */
export async function runKubectl(
  path: string,
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(path, kubeconfig, args, input);
    } catch (error) {
      // On a machine with a busy disk, etcd answers late for some seconds. Only `apply` can be repeated after any failure.
      const isLate = error instanceof Error && error.message.includes('etcdserver: request timed out');
      if (!isLate || args[0] !== 'apply' || attempt >= APPLY_ATTEMPTS) throw error;
    }
  }
}

/** Runs kubectl once. Rejects with its error output. */
function run(path: string, kubeconfig: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // kubectl's caches are in the folder of the cluster and are removed with it, instead of remaining in the user's home.
    const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), 'kubectl-cache') };
    const child = execFile(path, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || error.message}`));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}
