/** The suite's own cluster, from the outside: a process in namespaces of its own, which host.ts is the program of. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report } from '../harness/progress.ts';
import type { FromParent, HostSettings, ToParent } from './host.ts';

/** A running cluster, with the operator in it. */
export interface OwnCluster {
  /** A command that runs the command which follows it in the namespaces of the cluster. */
  readonly through: readonly string[];
  /** Ends everything in the namespaces, after the logs have been copied. */
  end(): Promise<void>;
}

/** Time for the copies of the logs. */
const END_MS = 10_000;

/**
 * Starts a cluster.
 *
 * @param images the archives of the images, which may be built while the cluster starts
 * @throws Error with the reason why the cluster does not start
 */
export async function startOwnCluster(
  settings: HostSettings,
  images: Promise<readonly string[]>,
  { report, abort }: { readonly report: Report; readonly abort: AbortSignal },
): Promise<OwnCluster> {
  const isolated = ['--net', '--pid', '--mount', '--fork', '--mount-proc', '--kill-child'];
  const host = spawn('unshare', [...isolated, process.execPath, join(import.meta.dirname, 'host.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A signal from the terminal reaches only this process, which then ends the cluster in order.
    detached: true,
  });
  const exited = once(host, 'exit');
  // `ready` reports the error.
  exited.catch(() => undefined);
  const kill = (): void => {
    host.kill('SIGKILL');
  };
  process.once('exit', kill);
  const end = async (): Promise<void> => {
    if (host.connected) host.send('end' satisfies FromParent);
    const timer = setTimeout(kill, END_MS);
    await exited;
    clearTimeout(timer);
    process.off('exit', kill);
  };
  const ready = new Promise<void>((resolve, reject) => {
    host.on('message', (message: ToParent) => {
      if ('detail' in message) report(message.detail);
      else if ('error' in message) reject(new Error(message.error));
      else resolve();
    });
    host.once('error', reject);
    host.once('exit', () => {
      reject(new Error('The process of the cluster has ended. See the output above.'));
    });
    abort.addEventListener('abort', () => {
      reject(new Error('The run was ended.'));
    });
    images.then((archives) => {
      host.send({ images: archives } satisfies FromParent);
    }, reject);
  });
  host.send({ settings } satisfies FromParent);
  try {
    await ready;
  } catch (error) {
    await end();
    throw error;
  }
  const namespaces = `/proc/${host.pid ?? 0}/ns`;
  // The process that was started is itself in the outer process namespace.
  const enter = [`--net=${namespaces}/net`, `--mount=${namespaces}/mnt`, `--pid=${namespaces}/pid_for_children`];
  // A process that enters a mount namespace is in its root folder.
  return { through: ['nsenter', ...enter, 'env', `--chdir=${process.cwd()}`], end };
}
