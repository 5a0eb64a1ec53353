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
import { useCluster, type Handover } from './environment.ts';
import { ensureBaseImages, ensureImages } from './images.ts';
import { prepareInstallation, uninstall } from './installation.ts';
import { startOwnCluster } from './ownCluster.ts';
import { gatherFacts, problems } from './prerequisites.ts';
import { ensurePrograms } from './programs.ts';
import { createLocks, endOthers } from './sideBySide.ts';

/**
 * The files in `cases`, in lists that run at the same time, each in its order. Each case has namespaces of its own. Those of the
 * last list wait for the others before they disturb the node or uninstall the operator.
 */
const LANES = [['sidecar', 'inline'], ['deployment'], ['operator', 'deletion'], ['faults', 'uninstall']];
/** All cases. */
export const CASES = LANES.flat();

/** Time for a previous run that just ended to release its lock. */
const LOCK_WAIT_MS = 7_000;
/** Time for the processes of a stopped cluster to exit. */
const EXIT_WAIT_MS = 10_000;
/** Longer than the time limits of a test's own steps, which say what has not happened. */
const TEST_TIMEOUT_MS = 1_800_000;

const root = join(import.meta.dirname, '../..');
const logs = join(root, '.local/e2e');

/**
 * Runs cases on the cluster of E2E_IMAGE and KUBECONFIG, or on a cluster of its own.
 *
 * @param abort ends the cases and stops the cluster
 * @throws Error with one sentence for each missing prerequisite
 */
export function runE2e(cases: readonly string[], abort: AbortSignal): Promise<TestCounts> {
  createLocks();
  const { E2E_IMAGE: image = '', KUBECONFIG: kubeconfig = '' } = process.env;
  if (image === '') return onOwnCluster(cases, abort);
  if (kubeconfig === '') throw new Error('E2E_IMAGE is set without KUBECONFIG. Set both, or neither.');
  return onGivenCluster(cases, image, abort);
}

async function onGivenCluster(cases: readonly string[], image: string, abort: AbortSignal): Promise<TestCounts> {
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

async function onOwnCluster(cases: readonly string[], abort: AbortSignal): Promise<TestCounts> {
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

/** Runs mocha for each lane. The output of each is printed as one piece. */
async function runCases(
  cases: readonly string[],
  handover: Handover,
  { abort, through = [] }: { readonly abort: AbortSignal; readonly through?: readonly string[] },
): Promise<TestCounts> {
  const timeout = String(TEST_TIMEOUT_MS);
  const options = ['--require', './hack/e2e/setup.ts', '--timeout', timeout, '--slow', '60000', '--exit'];
  const env = { E2E_HANDOVER: JSON.stringify(handover) };
  const results: Promise<TestCounts>[] = [];
  const others: Promise<TestCounts>[] = [];
  for (const lane of LANES) {
    const files = lane.filter((name) => cases.includes(name)).map((name) => join('hack/e2e/cases', `${name}.ts`));
    if (files.length === 0) continue;
    const before = results.at(-1);
    const printAfter = before === undefined ? {} : { printAfter: before };
    const result = runMocha(root, [...options, ...files], { through, env, abort, ...printAfter });
    results.push(result);
    if (lane !== LANES.at(-1)) others.push(result);
  }
  void Promise.all(others).then(endOthers);
  const all = await Promise.all(results);
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    failures: all.flatMap(({ failures }) => failures),
  };
}

/** Removes the remains of a cluster after its last process has exited. */
async function removeRemains(dir: string): Promise<void> {
  const deadline = performance.now() + EXIT_WAIT_MS;
  while (isNodeAlready() && performance.now() < deadline) await delay(100);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
