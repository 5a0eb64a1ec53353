/** For mocha's --require: starts the cluster before all cases, or takes the given one, and tells what went on when one fails. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Progress } from '../testing/progress.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { given, own, setEnvironment } from './environment.ts';
import { PAUSE_IMAGE } from './images.ts';
import { install, prepareNamespaces, refuseIfThere, uninstall } from './installation.ts';
import { collectDiagnostics } from './diagnostics.ts';

/** What main.ts hands to the process that runs the cases, in E2E_HANDOVER: one of the two. */
export interface Handover {
  readonly own?: {
    /** Folder with the programs of a node. */
    readonly programs: string;
    /** For the cluster's data. */
    readonly dir: string;
    /** Where the logs are kept. */
    readonly logs: string;
    /** Archives of images. */
    readonly images: readonly string[];
  };
  readonly given?: { readonly kubectl: string; readonly image: string };
}

/** What programs of a node write to whatever they are told: they find folders of their own there. */
const PRIVATE_FOLDERS = ['/run', '/var/log', '/var/lib/kubelet', '/var/lib/cni', '/opt/cni', '/etc/cni'];

const handover = JSON.parse(process.env.E2E_HANDOVER ?? '{}') as Handover;
let cluster: Cluster | undefined;

/** See mocha's global fixtures. */
export async function mochaGlobalSetup(): Promise<void> {
  if (handover.given !== undefined) {
    setEnvironment(given(handover.given));
    return;
  }
  if (handover.own === undefined) throw new Error('Run these by npm run e2e.');
  const { programs, dir, images } = handover.own;
  for (const folder of PRIVATE_FOLDERS) await coverUp(folder);
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
  // Everything else ends with the namespaces. In order it would take longer, for nobody's good.
}

/** See mocha's root hooks. */
export const mochaHooks = {
  /** Every case needs the operator: without it, none is tried. */
  async beforeAll(): Promise<void> {
    await refuseIfThere();
    await prepareNamespaces();
    await install();
  },
  async afterAll(): Promise<void> {
    // Ours ends as a whole.
    if (handover.given !== undefined) await uninstall();
  },
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state === 'failed') console.log(await collectDiagnostics());
  },
};

async function coverUp(folder: string): Promise<void> {
  const there = await promisify(execFile)('test', ['-d', folder]).then(
    () => true,
    () => false,
  );
  if (there) await promisify(execFile)('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
}
