/**
 * Measures the memory of the operator, as a separate process with the options of its Deployment and the environment of its
 * image: without customers, and after a restart with many in sync. The reference in the same run is Node with an empty program.
 * Steps that would begin after the time limit are left out.
 *
 *     node hack/bench/memory.ts [customers,… [seconds]]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakBytes } from '../attack/memory.ts';
import { operatorContainer } from '../harness/operatorContainer.ts';
import { temporaryFolder } from '../harness/processes.ts';
import { atRest, OperatorTestbed, pause, seconds } from './operatorTestbed.ts';

const COUNTS = (process.argv[2] ?? '1000,10000').split(',').map(Number);
const LIMIT_S = Number(process.argv[3] ?? 300);
const ROOT = join(import.meta.dirname, '../..');
/** A document of the user is processed on a thread that ends after 5 s, and V8 returns its pages 10 s later. */
const SETTLE_MS = 16_000;

/** The environment of the operator's container, as far as it matters for memory. */
function containerEnv(): Record<string, string> {
  const container = operatorContainer();
  const limit = Number.parseInt(container.resources.limits.memory, 10);
  const options = process.env.NODE_OPTIONS ?? container.env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
  // Without a container, the share would be one of the whole machine. V8 collects more often in a small heap.
  const nodeOptions = options?.replace(
    /--max-old-space-size-percentage=(\d+)/,
    (_, share: string) => `--max-old-space-size=${Math.floor((limit * Number(share)) / 100)}`,
  );
  const malloc = /^ENV (MALLOC_MMAP_THRESHOLD_)=(\d+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const compiled = temporaryFolder('bench-compiled-');
  return {
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: compiled,
    ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }),
    ...(malloc !== null && { [malloc[1] ?? '']: malloc[2] ?? '' }),
    ...Object.fromEntries(
      container.env.filter(({ name }) => name.startsWith('MALLOC_')).map(({ name, value = '' }) => [name, value]),
    ),
  };
}

/** The memory of a process in MiB: in RAM, of these not from files, and its share with pages of other processes divided. */
function memory(pid: number): { readonly rss: number; readonly anonymous: number; readonly pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024);
  return { rss: of('Rss'), anonymous: of('Anonymous'), pss: of('Pss') };
}

function report(name: string, pid: number): void {
  const { rss, anonymous, pss } = memory(pid);
  console.log(
    `${name.padEnd(28)} RSS ${rss} MiB (anonymous ${anonymous}, files ${rss - anonymous}), PSS ${pss} MiB, ` +
      `peak ${(peakBytes(pid) / 2 ** 20).toFixed(0)} MiB`,
  );
}

const began = performance.now();
const env = containerEnv();
const testbed = await OperatorTestbed.start();

/** Reports the memory of an operator that has been started with all customers in sync, and has come to rest. */
async function measure(name: string): Promise<void> {
  const operator = await testbed.startOperator(undefined, env);
  await pause(SETTLE_MS);
  await atRest(operator.pid);
  report(name, operator.pid);
  await operator.stop();
}

try {
  console.log(`NODE_OPTIONS=${env.NODE_OPTIONS ?? ''}`);
  const bare = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 60_000)'], {
    env: { ...process.env, ...env },
  });
  await once(bare, 'spawn');
  await pause(1_000);
  if (bare.pid !== undefined) report('bare Node', bare.pid);
  bare.kill();

  // Fills the compile cache, as the build of the image does.
  await testbed.prepare(env);
  await measure('idle operator');
  let created = 0;
  for (const count of COUNTS) {
    if (seconds(began) > LIMIT_S) {
      console.log(`${count} customers: left out, after ${LIMIT_S} s`);
      continue;
    }
    const more = Array.from({ length: count - created }, (_, at) => `c${created + at}`);
    created = count;
    await testbed.create('fast', more);
    const writer = await testbed.startOperator(undefined, env);
    await testbed.counted('fast', count);
    await pause(SETTLE_MS);
    await atRest(writer.pid);
    report(`${count} customers created`, writer.pid);
    await writer.stop();
    await measure(`${count} customers, restarted`);
  }
} finally {
  await testbed.stop();
}
