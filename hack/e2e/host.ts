/**
 * The process that owns the suite's cluster: the first process of its own process namespace, in network and mount namespaces
 * of its own (see ownCluster.ts). It starts the cluster and the operator, and ends with them when its parent says so or ends.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { planeIn, startCluster } from './cluster.ts';
import { useCluster } from './environment.ts';
import { PAUSE_IMAGE } from './images.ts';
import { prepareInstallation } from './installation.ts';

/** What the parent sends: first the settings, then the archives of the images when they are there. */
export type FromParent = { readonly settings: HostSettings } | { readonly images: readonly string[] } | 'end';

/** What the parent receives. The last message is `ready`, or the error that kept the cluster from starting. */
export type ToParent = { readonly detail: string } | { readonly ready: true } | { readonly error: string };

export interface HostSettings {
  /** The folder of the node programs. */
  readonly programs: string;
  /** The folder of the cluster's data. */
  readonly dir: string;
  /** The folder to which the logs are copied in the end. */
  readonly logs: string;
}

/** Folders that the node programs always write to. A tmpfs covers each of them. */
const PRIVATE_FOLDERS = ['/run', '/var/log', '/var/lib/kubelet', '/var/lib/cni', '/opt/cni', '/etc/cni'];

const images = Promise.withResolvers<readonly string[]>();
let started: HostSettings | undefined;

process.on('message', (message: FromParent) => {
  if (message === 'end') end();
  else if ('images' in message) images.resolve(message.images);
  else void start(message.settings);
});
process.on('disconnect', end);

async function start(settings: HostSettings): Promise<void> {
  started = settings;
  const { programs, dir } = settings;
  const report = (detail: string): void => {
    tell({ detail });
  };
  try {
    for (const folder of PRIVATE_FOLDERS.filter((each) => existsSync(each))) {
      await promisify(execFile)('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
    }
    const restartKubelet = await startCluster({
      programs,
      dir,
      images: images.promise,
      pauseImage: PAUSE_IMAGE,
      report,
    });
    process.on('SIGHUP', () => {
      restartKubelet().catch((error: unknown) => {
        console.error(error);
      });
    });
    useCluster({ programs, dir });
    await prepareInstallation(report);
    tell({ ready: true });
  } catch (error) {
    tell({ error: error instanceof Error ? error.message : String(error) });
  }
}

/** Everything else ends with the namespaces. An orderly shutdown would only take longer. */
function end(): void {
  if (started !== undefined) copyLogs(started);
  process.exit();
}

function copyLogs({ dir, logs }: HostSettings): void {
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  for (const folder of [dir, planeIn(dir)].filter((each) => existsSync(each))) {
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.log'))) {
      copyFileSync(join(folder, name), join(logs, name));
    }
  }
}

function tell(message: ToParent): void {
  process.send?.(message);
}
