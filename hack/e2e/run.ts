/** Starts a cluster, runs the cases on it, and removes everything afterwards. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CACHE } from '../harness/cache.ts';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import { tryLockFor } from '../harness/lock.ts';
import { Progress } from '../harness/progress.ts';
import { runMocha, type TestCounts } from '../runner/mocha.ts';
import { isNodeAlready } from './cgroups.ts';
import { buildImages, ensureBaseImages } from './images.ts';
import { gatherFacts, problems } from './prerequisites.ts';
import { ensurePrograms } from './programs.ts';
import type { Handover } from './setup.ts';

/** The files in `cases`, in run order: the last one uninstalls the operator. */
export const CASES = ['operator', 'sidecar', 'inline', 'deployment', 'faults', 'deletion', 'uninstall'];

/** Time for a previous run that just ended to release its lock. */
const LOCK_WAIT_MS = 7_000;
/** Time for the processes of a stopped cluster to exit. */
const EXIT_WAIT_MS = 10_000;
const TEST_TIMEOUT_MS = 180_000;

const root = join(import.meta.dirname, '../..');
const logs = join(root, '.local/e2e');

/**
 * Starts the slowest work on a new machine, building the node programs and the base images, in parallel with other work.
 * Errors are reported when the results are needed.
 */
export function buildAhead(): void {
  if ((process.env.E2E_IMAGE ?? '') !== '') return;
  ensurePrograms(() => undefined).catch(() => undefined);
  ensureBaseImages(() => undefined).catch(() => undefined);
}

/**
 * Runs cases on the cluster of E2E_IMAGE and KUBECONFIG, or on a cluster of its own.
 *
 * @param abort ends the cases and stops the cluster
 * @param casesBegin called when there is a cluster to stop
 * @throws Error with one sentence for each missing prerequisite
 */
export function runE2e(
  cases: readonly string[],
  { abort, casesBegin }: { readonly abort: AbortSignal; readonly casesBegin: () => void },
): Promise<TestCounts> {
  const { E2E_IMAGE: image = '', KUBECONFIG: kubeconfig = '' } = process.env;
  return image === '' ? onOwnCluster() : onGivenCluster();

  async function onGivenCluster(): Promise<TestCounts> {
    if (kubeconfig === '') {
      throw new Error('E2E_IMAGE is set without KUBECONFIG. Set both, or neither.');
    }
    const { kubectl } = await new Progress().step('kubectl', (report) => ensureBinaries(['kubectl'], { report }));
    return run({ given: { kubectl, image } });
  }

  async function onOwnCluster(): Promise<TestCounts> {
    mkdirSync(CACHE, { recursive: true });
    const unlock = await tryLockFor(CACHE, LOCK_WAIT_MS);
    if (unlock === undefined) throw new Error('npm run e2e is already running on this machine. Wait until it ends.');
    const dir = join(CACHE, 'run');
    try {
      await removeRemains(dir);
      const missing = problems(await gatherFacts());
      if (missing.length > 0) throw new Error(missing.join('\n'));
      const progress = new Progress();
      const programs = await progress.step('Programs of a node', ensurePrograms);
      const base = await progress.step('Base images', ensureBaseImages);
      const images = await progress.step('Image', (report) => buildImages(programs, base, report));
      const megabytes = Math.round(images.size / 1e6);
      progress.line(
        `The size of the image is ${megabytes} MB${base === 'stand-in' ? ' (with stand-ins for its base images)' : ''}.`,
      );
      return await run({ own: { programs, dir, logs, images: images.archives } });
    } finally {
      await removeRemains(dir);
      await unlock();
    }
  }

  /** Runs mocha. The suite's own cluster lives in namespaces that end with the cases. */
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

/** Removes the remains of a cluster after its last process has exited. */
async function removeRemains(dir: string): Promise<void> {
  const deadline = performance.now() + EXIT_WAIT_MS;
  while (isNodeAlready() && performance.now() < deadline) await delay(100);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
