/**
 * `npm test`: lint, format, types, and every test that needs nothing but this machine. `npm run test:all` adds those that
 * need other people's programs (`*.all.test.ts`). `npm test -- PATH…` runs the tests in these files or folders alone.
 */
import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAhead, CASES, runE2e } from './e2e/run.ts';
import { ensureBinaries } from './testing/controlplane/binaries.ts';
import { Progress } from './testing/progress.ts';
import { findRedisServer } from './testing/redis.ts';
import { runMocha, type RunOptions, type TestCounts } from './test/mocha.ts';
import { type Need, Needs } from './test/needs.ts';
import { exitWith } from './test/exitWith.ts';

const HELP = `npm test              lint, format, types, and the tests that need nothing but this machine
npm run test:all      these, the attacks, the tests that need other people's programs (*.all.test.ts), and the real cluster
npm test -- PATH…     the tests in these files or folders alone
`;
const FOLDERS = ['operator', 'guardrail', 'hack'];
const TESTS = '**/*.test.ts';
const ONLY_ALL = '.all.test.ts';
/** Long, and about nothing that takes time: they run beside the other tests that need other people's programs. */
const BESIDE: readonly string[] = ['guardrail/detection/training/build.all.test.ts', 'hack/test/npmCi.all.test.ts'];

/** Ends the real cluster. */
const aborted = new AbortController();
let clusterRuns = false;

const root = join(import.meta.dirname, '..');
const progress = new Progress();

/** A check that is no mocha test; it passes or fails as a whole. */
interface Check {
  title: string;
  command: [string, ...string[]];
}

const bin = (name: string): string => join(root, 'node_modules/.bin', name);
const ESLINT: Check = {
  title: 'ESLint',
  command: [
    bin('eslint'),
    '--config=hack/eslint.config.mjs',
    '--cache',
    '--cache-location=node_modules/.cache/eslint',
    '--max-warnings=0',
    '.',
  ],
};
/** ESLint takes as long as all these together, so they run one after the other beside it. */
const CHECKS: readonly Check[] = [
  { title: 'TypeScript', command: [bin('tsc')] },
  { title: 'TypeScript of the playground', command: [bin('tsc'), '--project', 'guardrail/http/playground'] },
  { title: 'Generated files', command: [process.execPath, 'hack/crdgen/main.ts', '--check'] },
  { title: 'Prettier', command: [bin('prettier'), '--check', '--log-level=warn', '--cache', '.'] },
];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { all: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const started = performance.now();
  const total: TestCounts = { passed: 0, failed: 0, failures: [] };
  const add = ({ passed, failed, failures }: TestCounts): void => {
    total.passed += passed;
    total.failed += failed;
    total.failures.push(...failures);
  };
  const chosen = positionals.length > 0;
  const all = values.all === true && !chosen;
  const files = (chosen ? positionals : FOLDERS).flatMap(testsIn);
  const others = chosen ? [] : files.filter((file) => file.endsWith(ONLY_ALL));
  const ordinary = files.filter((file) => !others.includes(file));
  const needs = new Needs();
  const needing = (need: Need, among: readonly string[]): string[] =>
    among.filter((file) => needs.of(join(root, file)).has(need));
  const selected = all ? files : ordinary;
  const withCluster = needing('controlPlane', ordinary);
  const runFiles = async (some: readonly string[], options?: RunOptions): Promise<void> => {
    if (some.length > 0) add(await runMocha(root, some, options));
  };
  /** Runs some files while it runs others, whose output is shown afterwards. */
  const runBoth = async (shown: readonly string[], beside: readonly string[]): Promise<void> => {
    const run = runFiles(shown);
    await Promise.all([run, runFiles(beside, { heldUntil: run })]);
  };

  const controlPlane = needing('controlPlane', selected).length > 0 ? fetchControlPlane() : undefined;
  if (needing('redis', selected).length > 0) await progress.step('Redis for tests', findRedisServer);
  if (!chosen) {
    const eslint = run(ESLINT);
    for (const check of CHECKS) add(await run(check));
    add(await eslint);
  }
  await controlPlane?.soFar();
  const withoutCluster = ordinary.filter((file) => !withCluster.includes(file));
  if (chosen) await runFiles(withoutCluster);
  // The guardrail's take longer than all others together.
  else await runBoth(...parted(withoutCluster, (file) => !file.startsWith('guardrail/')));
  await controlPlane?.there();
  // They time others' calls: before the programs of a node are built beside the tests.
  if (all) add(await attacked());
  if (all) buildAhead();
  await runFiles(withCluster);
  if (all) {
    await runBoth(...parted(others, (file) => BESIDE.includes(file)));
    add(await onRealCluster());
  }
  const minutes = (performance.now() - started) / 60_000;
  console.log(`\nTook ${minutes.toFixed(1)} minutes.`);
  for (const failure of total.failures) console.log(`FAILED ${failure.replace(`${root}/`, '')}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** The attacks on the guardrail and the operator, which are loaded only where they are run. */
async function attacked(): Promise<TestCounts> {
  try {
    const { defaultSeed, runAttacks } = await import('./attack/run.ts');
    return await runAttacks([], defaultSeed());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(why);
    return { passed: 0, failed: 1, failures: [`The attacks: ${why}`] };
  }
}

/** What cannot be tried here fails, with what it needs. */
async function onRealCluster(): Promise<TestCounts> {
  try {
    return await runE2e(CASES, {
      abort: aborted.signal,
      casesBegin: () => {
        clusterRuns = true;
      },
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(why);
    return { passed: 0, failed: 1, failures: [`The real cluster: ${why}`] };
  } finally {
    clusterRuns = false;
  }
}

/**
 * Begins to fetch what the tests start, before they are timed: on a new machine it is built for minutes, in which those
 * that do not need it can run.
 */
function fetchControlPlane(): { readonly soFar: () => Promise<unknown>; readonly there: () => Promise<unknown> } {
  let say: (line: string) => void = () => undefined;
  const binaries = ensureBinaries(['kube-apiserver', 'etcd', 'kubectl'], {
    report: (line) => {
      say(line);
    },
  });
  // Told when it is waited for.
  binaries.catch(() => undefined);
  return {
    // Rejects if it has failed already.
    soFar: () => Promise.race([binaries, Promise.resolve()]),
    there: () =>
      progress.step('Control plane for tests', (report) => {
        say = report;
        return binaries;
      }),
  };
}

/** The test files at a path, which may be a folder, relative to the project. */
function testsIn(path: string): string[] {
  const file = relative(root, resolve(path));
  const stats = statSync(join(root, file), { throwIfNoEntry: false });
  if (!stats) throw new Error(`There is no ${path} to test.`);
  if (!stats.isDirectory()) return [file];
  const found = globSync(join(file, TESTS), { cwd: root, exclude: (name) => name === 'node_modules' });
  if (found.length === 0) throw new Error(`There is no test in ${path}.`);
  return found.sort();
}

/** Those that a condition does not hold for, and those that it holds for. */
function parted<T>(all: readonly T[], condition: (one: T) => boolean): [readonly T[], readonly T[]] {
  return [all.filter((one) => !condition(one)), all.filter(condition)];
}

async function run({ title, command: [command, ...args] }: Check): Promise<TestCounts> {
  const output: string[] = [];
  const passes = progress.step(title, async () => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    }
    const code = await new Promise<number | null>((done, fail) => {
      child.once('error', fail);
      child.once('close', done);
    });
    if (code !== 0) throw new Error(title);
  });
  try {
    await passes;
    return { passed: 1, failed: 0, failures: [] };
  } catch (error) {
    console.log(output.join('') || String(error));
    return { passed: 0, failed: 1, failures: [title] };
  }
}

// By itself, a signal would end this process without its exit handlers, and leave the tests running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    // A cluster is taken down in order.
    if (clusterRuns) aborted.abort();
    else process.exit(1);
  });
}
await exitWith(main);
