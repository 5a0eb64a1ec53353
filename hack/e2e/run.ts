/** Starts a cluster, runs the cases on it, and removes everything afterwards. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CACHE } from '../harness/cache.ts';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import { tryLockFor } from '../harness/lock.ts';
import { Progress } from '../harness/progress.ts';
import type { CaseCounts } from '../runner/exitWith.ts';
import { Workers } from '../runner/workers.ts';
import { isNodeAlready } from './cgroups.ts';
import { useCluster, type Handover } from './environment.ts';
import { ensureBaseImages, ensureImages } from './images.ts';
import { prepareInstallation, uninstall } from './installation.ts';
import { startOwnCluster } from './ownCluster.ts';
import { gatherFacts, problems } from './prerequisites.ts';
import { ensurePrograms } from './programs.ts';
import { createLocks, LANES, markEnded } from './sideBySide.ts';

/** All cases: the files in `cases`. */
export const CASES = LANES.flat();

/** Time for a previous run that just ended to release its lock. */
const LOCK_WAIT_MS = 7_000;
/** Time for the processes of a stopped cluster to exit. */
const EXIT_WAIT_MS = 10_000;
/** Longer than the time limits of a test's own steps, which say what has not happened. */
const TEST_TIMEOUT_MS = 1_800_000;
const FILE_LIMIT_MS = 2 * TEST_TIMEOUT_MS;

const root = join(import.meta.dirname, '../..');
const logs = join(root, '.local/e2e');

/**
 * Runs cases on the cluster of E2E_IMAGE and KUBECONFIG, or on a cluster of its own.
 *
 * @param abort ends the cases and stops the cluster
 * @throws Error with one sentence for each missing prerequisite
 */
export function runE2e(cases: readonly string[], abort: AbortSignal): Promise<CaseCounts> {
  createLocks();
  const { E2E_IMAGE: image = '', KUBECONFIG: kubeconfig = '' } = process.env;
  if (image === '') return onOwnCluster(cases, abort);
  if (kubeconfig === '') throw new Error('E2E_IMAGE is set without KUBECONFIG. Set both, or neither.');
  return onGivenCluster(cases, image, abort);
}

async function onGivenCluster(cases: readonly string[], image: string, abort: AbortSignal): Promise<CaseCounts> {
  const progress = new Progress();
  const { kubectl } = await progress.step('kubectl', (report) => ensureBinaries(['kubectl'], { report }));
  useCluster({ kubectl, image });
  try {
    await progress.step('Operator', prepareInstallation);
    return await runCases(cases, { kubectl, image }, { abort });
  } finally {
    await uninstall();
  }
}

async function onOwnCluster(cases: readonly string[], abort: AbortSignal): Promise<CaseCounts> {
  mkdirSync(CACHE, { recursive: true });
  const unlock = await tryLockFor(CACHE, LOCK_WAIT_MS);
  if (unlock === undefined) throw new Error('npm run e2e is already running on this machine. Wait until it ends.');
  const dir = join(CACHE, 'run');
  try {
    await removeRemains(dir);
    const missing = problems(await gatherFacts());
    if (missing.length > 0) throw new Error(missing.join('\n'));
    const progress = new Progress();
    const aborted = new Promise<never>((_, reject) => {
      abort.addEventListener('abort', reject);
    });
    const programs = await Promise.race([progress.step('Programs of a node', ensurePrograms), aborted]);
    const images = prepareImages(programs, progress);
    const cluster = await progress.step('Cluster', (report) =>
      startOwnCluster({ programs, dir, logs }, images, { report, abort }),
    );
    try {
      return await runCases(cases, { programs, dir }, { abort, through: cluster.through });
    } finally {
      await cluster.end();
    }
  } finally {
    await removeRemains(dir);
    await unlock();
  }
}

/** @returns the archives of all images */
async function prepareImages(programs: string, progress: Progress): Promise<readonly string[]> {
  const base = await progress.step('Base images', ensureBaseImages);
  const images = await progress.step('Image', (report) => ensureImages(programs, base, report));
  const megabytes = Math.round(images.size / 1e6);
  const standIn = base === 'stand-in' ? ' (with stand-ins for its base images)' : '';
  progress.line(`The size of the image is ${megabytes} MB${standIn}.`);
  return images.archives;
}

/** Runs the files of each lane. The output of a file is printed as one piece, unless it is the only one. */
async function runCases(
  cases: readonly string[],
  handover: Handover,
  { abort, through }: { readonly abort: AbortSignal; readonly through?: readonly string[] },
): Promise<CaseCounts> {
  const workers = new Workers(root, {
    env: { E2E_HANDOVER: JSON.stringify(handover) },
    live: cases.length === 1,
    tests: { timeoutMs: TEST_TIMEOUT_MS, hooks: join(import.meta.dirname, 'setup.ts') },
    fileLimitMs: FILE_LIMIT_MS,
    ...(through && { through }),
  });
  const stop = (): void => {
    workers.abort();
  };
  abort.addEventListener('abort', stop);
  const counts: CaseCounts = { passed: 0, failures: [] };
  const runLane = async (lane: readonly string[]): Promise<void> => {
    for (const name of lane) {
      if (cases.includes(name) && !abort.aborted) {
        const file = join('hack/e2e/cases', `${name}.ts`);
        const { passed, failures, output } = await workers.run(file);
        process.stdout.write(output);
        counts.passed += passed;
        counts.failures.push(...failures.map(({ title, message }) => `${file}: ${title}: ${message}`));
      }
      markEnded(name);
    }
  };
  await Promise.all(LANES.map(runLane));
  // Connections that the cases leave open would keep the processes alive.
  stop();
  return counts;
}

/** Removes the remains of a cluster after its last process has exited. */
async function removeRemains(dir: string): Promise<void> {
  const deadline = performance.now() + EXIT_WAIT_MS;
  while (isNodeAlready() && performance.now() < deadline) await delay(100);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
