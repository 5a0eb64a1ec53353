/**
 * The mocha --require file: starts the suite's own cluster or uses an external one, and prints diagnostics when a case fails.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Progress } from '../harness/progress.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { given, own, setEnvironment } from './environment.ts';
import { PAUSE_IMAGE } from './images.ts';
import { install, prepareNamespaces, refuseIfThere, uninstall } from './installation.ts';
import { collectDiagnostics } from './diagnostics.ts';

/** The settings that main.ts passes to the process of the cases in E2E_HANDOVER. Exactly one of the two is set. */
export interface Handover {
  readonly own?: {
    /** The folder of the node programs. */
    readonly programs: string;
    /** The folder of the cluster's data. */
    readonly dir: string;
    /** The folder of the logs. */
    readonly logs: string;
    /** The image archives. */
    readonly images: readonly string[];
  };
  readonly given?: { readonly kubectl: string; readonly image: string };
}

/** Folders that the node programs always write to. A tmpfs covers each of them. */
const PRIVATE_FOLDERS = ['/run', '/var/log', '/var/lib/kubelet', '/var/lib/cni', '/opt/cni', '/etc/cni'];

const handover = JSON.parse(process.env.E2E_HANDOVER ?? '{}') as Handover;
let cluster: Cluster | undefined;

/** See mocha's global fixtures. */
export async function mochaGlobalSetup(): Promise<void> {
  if (handover.given !== undefined) {
    setEnvironment(given(handover.given));
    return;
  }
  if (handover.own === undefined) throw new Error('Run these cases with npm run e2e.');
  const { programs, dir, images } = handover.own;
  for (const folder of PRIVATE_FOLDERS) await mountTmpfs(folder);
  const progress = new Progress();
  cluster = await progress.step('Cluster', (report) =>
    startCluster({ programs, dir, images, pauseImage: PAUSE_IMAGE, report }),
  );
  setEnvironment(own(cluster));
}

/** See mocha's global fixtures. */
export function mochaGlobalTeardown(): void {
  if (handover.own === undefined) return;
  const { dir, logs } = handover.own;
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  for (const folder of [dir, join(dir, 'control-plane')]) {
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.log'))) {
      copyFileSync(join(folder, name), join(logs, name));
    }
  }
  // Everything else ends with the namespaces. An orderly shutdown would only take longer.
}

/** See mocha's root hooks. */
export const mochaHooks = {
  /** Every case needs the operator. If the installation fails, no case runs. */
  async beforeAll(): Promise<void> {
    await refuseIfThere();
    await prepareNamespaces();
    await install();
  },
  async afterAll(): Promise<void> {
    // The suite's own cluster ends as a whole.
    if (handover.given !== undefined) await uninstall();
  },
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state === 'failed') console.log(await collectDiagnostics());
  },
};

async function mountTmpfs(folder: string): Promise<void> {
  const there = await promisify(execFile)('test', ['-d', folder]).then(
    () => true,
    () => false,
  );
  if (there) await promisify(execFile)('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
}
