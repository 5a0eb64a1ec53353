/** Brings a cluster up, runs the cases on it, and leaves nothing behind. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureBinaries } from '../testing/controlplane/binaries.ts';
import { tryLockFor } from '../testing/lock.ts';
import { Progress } from '../testing/progress.ts';
import { runMocha, type TestCounts } from '../test/mocha.ts';
import { isNodeAlready } from './cgroups.ts';
import { buildImages, ensureBaseImages } from './images.ts';
import { gatherFacts, problems } from './prerequisites.ts';
import { CACHE, ensurePrograms } from './programs.ts';
import type { Handover } from './setup.ts';

/** The files in `cases`, in the order in which they are run: the last one uninstalls. */
export const CASES = ['operator', 'sidecar', 'deployment', 'faults', 'deletion', 'uninstall'];

/** Time for a former run, just ended, to let go of its lock. */
const LOCK_WAIT_MS = 7_000;
/** How long the processes of a cluster that was ended take to be gone. */
const GONE_MS = 10_000;
const TEST_TIMEOUT_MS = 180_000;

const root = join(import.meta.dirname, '../..');
const logs = join(root, '.local/e2e');

/**
 * Begins what takes longest on a new machine, making the programs and the base images of a node, while something else
 * goes on. What is
 * wrong with it is said when they are needed.
 */
export function buildAhead(): void {
  if ((process.env.E2E_IMAGE ?? '') !== '') return;
  ensurePrograms(() => undefined).catch(() => undefined);
  ensureBaseImages(() => undefined).catch(() => undefined);
}

/**
 * Runs cases on the cluster that E2E_IMAGE and KUBECONFIG name, or else on one of our own.
 * @param abort ends the cases, and takes the cluster down
 * @param casesBegin called when there is a cluster to take down
 * @throws Error with one sentence for each thing that is missing
 */
export function runE2e(
  cases: readonly string[],
  { abort, casesBegin }: { readonly abort: AbortSignal; readonly casesBegin: () => void },
): Promise<TestCounts> {
  const { E2E_IMAGE: image = '', KUBECONFIG: kubeconfig = '' } = process.env;
  return image === '' ? onOwnCluster() : onGivenCluster();

  async function onGivenCluster(): Promise<TestCounts> {
    if (kubeconfig === '') {
      throw new Error('E2E_IMAGE is set: name the cluster to use it on by KUBECONFIG, or unset it.');
    }
    const { kubectl } = await new Progress().step('kubectl', (report) => ensureBinaries(['kubectl'], { report }));
    return run({ given: { kubectl, image } });
  }

  async function onOwnCluster(): Promise<TestCounts> {
    mkdirSync(CACHE, { recursive: true });
    const unlock = await tryLockFor(CACHE, LOCK_WAIT_MS);
    if (unlock === undefined) throw new Error('npm run e2e already runs on this machine: let it end first.');
    const dir = join(CACHE, 'run');
    try {
      await clearAway(dir);
      const lacking = problems(await gatherFacts());
      if (lacking.length > 0) throw new Error(lacking.join('\n'));
      const progress = new Progress();
      const programs = await progress.step('Programs of a node', ensurePrograms);
      const base = await progress.step('Base images', ensureBaseImages);
      const images = await progress.step('Image', (report) => buildImages(programs, base, report));
      const megabytes = Math.round(images.size / 1e6);
      progress.line(`The image has ${megabytes} MB${base === 'stand-in' ? ' on stand-ins for its base images' : ''}.`);
      return await run({ own: { programs, dir, logs, images: images.archives } });
    } finally {
      await clearAway(dir);
      await unlock();
    }
  }

  /** Where the cluster is our own, it lives in namespaces that end with the cases. */
  function run(handover: Handover): Promise<TestCounts> {
    casesBegin();
    const isolated = ['unshare', '--net', '--pid', '--mount', '--fork', '--mount-proc', '--kill-child'];
    const files = cases.map((name) => join('hack/e2e/cases', `${name}.ts`));
    const options = [
      '--require',
      './hack/e2e/setup.ts',
      '--timeout',
      String(TEST_TIMEOUT_MS),
      '--slow',
      '60000',
      '--exit',
    ];
    return runMocha(root, [...options, ...files], {
      through: handover.own === undefined ? [] : isolated,
      env: { E2E_HANDOVER: JSON.stringify(handover) },
      abort,
    });
  }
}

/** Removes what a cluster has left, when its last process is gone. */
async function clearAway(dir: string): Promise<void> {
  const deadline = performance.now() + GONE_MS;
  while (isNodeAlready() && performance.now() < deadline) await delay(100);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
