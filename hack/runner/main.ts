/**
 * `npm test`, `npm run test:unit` and `npm run test:all`. The name of a test file says what it needs: see test/suites.ts.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAhead } from '../e2e/run.ts';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import { Progress } from '../harness/progress.ts';
import { findRedisServer } from '../harness/redis.ts';
import { runChecks } from './checks.ts';
import { exitWith } from './exitWith.ts';
import { runMocha, type RunOptions, type TestCounts } from './mocha.ts';
import { allTests, isNeeded, kindOf, testsIn } from './suites.ts';
import { abortCluster, runAttacks, runRealCluster } from './wholeSystem.ts';

const HELP = `npm test              lint, format, types, and all tests that need no programs of other projects
npm run test:unit     the tests that need neither Redis nor a control plane and are not slow, in under a minute
npm run test:all      npm test, the attacks, the tests with programs of other projects (*.all.test.ts), and a real cluster
npm test -- PATH…     the tests in these files or folders
`;
/** Each property of a unit test run stops after this time. `npm test` tries all values. */
const UNIT_PROPERTY_MS = 3_000;
/** These tests on a control plane take as long as all others together. */
const HALF_OF_CLUSTER = /^operator\/(enforcement|guardrail|instance|policy)\//;
/** The same for the tests with programs of other projects. Those of hack/ start most of the gateways. */
const HALF_OF_ALL = /^(hack|guardrail\/detection\/training)\//;

const root = join(import.meta.dirname, '../..');
const progress = new Progress();
const total: TestCounts = { passed: 0, failed: 0, failures: [] };

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { all: { type: 'boolean' }, unit: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const started = performance.now();
  if (positionals.length > 0) await runChosen(positionals.flatMap((path) => testsIn(root, path)));
  else if (values.unit === true) await runUnit();
  else await runEverything(values.all === true);
  const minutes = (performance.now() - started) / 60_000;
  console.log(`\nTook ${minutes.toFixed(1)} minutes.`);
  for (const failure of total.failures) console.log(`FAILED ${failure.replace(`${root}/`, '')}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

async function runUnit(): Promise<void> {
  const files = allTests(root).filter((file) => kindOf(file) === 'unit');
  await runFiles(files, {
    processes: 2 * availableParallelism(),
    env: { PROPERTY_TIME_MS: String(UNIT_PROPERTY_MS) },
  });
}

async function runChosen(files: readonly string[]): Promise<void> {
  if (isNeeded('redis', files)) await progress.step('Redis for tests', findRedisServer);
  if (isNeeded('controlPlane', files)) await fetchControlPlane().ready();
  await runFiles(files);
}

/** Runs the checks and all tests; with `all`, also what needs programs of other projects. */
async function runEverything(all: boolean): Promise<void> {
  const files = allTests(root);
  const controlPlane = fetchControlPlane();
  await progress.step('Redis for tests', findRedisServer);
  (await runChecks(root, progress)).forEach(add);
  await controlPlane.rejectIfFailed();
  // The guardrail's tests take longer than all others together.
  const withoutCluster = files.filter((file) => !['cluster', 'all'].includes(kindOf(file)));
  await runBoth(...split(withoutCluster, (file) => !file.startsWith('guardrail/')));
  await controlPlane.ready();
  if (all) {
    // The attacks measure response times, so they end before the build of a node's programs begins.
    add(await runAttacks());
    buildAhead();
  }
  // A test on a control plane waits for it most of the time. Two processes therefore use two cores.
  const onCluster = files.filter((file) => kindOf(file) === 'cluster');
  await runBoth(...split(onCluster, (file) => HALF_OF_CLUSTER.test(file)));
  if (all) {
    const withOthers = files.filter((file) => kindOf(file) === 'all');
    await runBoth(...split(withOthers, (file) => HALF_OF_ALL.test(file)));
    add(await runRealCluster());
  }
}

async function runFiles(files: readonly string[], options?: RunOptions): Promise<void> {
  if (files.length > 0) add(await runMocha(root, files, options));
}

/** Runs some files in parallel with others, and prints the output of the second run after that of the first. */
async function runBoth(shown: readonly string[], beside: readonly string[]): Promise<void> {
  const run = runFiles(shown);
  await Promise.all([run, runFiles(beside, { printAfter: run })]);
}

function add({ passed, failed, failures }: TestCounts): void {
  total.passed += passed;
  total.failed += failed;
  total.failures.push(...failures);
}

/** Splits a list into the items that do not match, and those that match. */
function split<T>(items: readonly T[], matches: (item: T) => boolean): [readonly T[], readonly T[]] {
  return [items.filter((item) => !matches(item)), items.filter(matches)];
}

/**
 * Begins to fetch the control plane before a test needs it. On a new machine it is built for minutes, and the tests that do
 * not need it run at the same time.
 */
function fetchControlPlane(): {
  readonly rejectIfFailed: () => Promise<unknown>;
  readonly ready: () => Promise<unknown>;
} {
  let print: (line: string) => void = () => undefined;
  const binaries = ensureBinaries(['kube-apiserver', 'etcd', 'kubectl'], {
    report: (line) => {
      print(line);
    },
  });
  // `ready` reports the error.
  binaries.catch(() => undefined);
  return {
    rejectIfFailed: () => Promise.race([binaries, Promise.resolve()]),
    ready: () =>
      progress.step('Control plane for tests', (report) => {
        print = report;
        return binaries;
      }),
  };
}

// By default, a signal ends this process without its exit handlers, and the tests continue to run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    if (!abortCluster()) process.exit(1);
  });
}
await exitWith(main);
