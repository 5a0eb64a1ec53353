/**
 * Measures how long a change of one instance's customer takes while many updates run at another instance's gateway, compared
 * with an idle operator. Uses a real API server and the development gateway.
 *
 *     node hack/bench/fairness.ts [UPDATES]
 */
import { customers } from '../../operator/api/kinds.ts';
import { each, NAMESPACE, NO_LIMIT, OperatorTestbed, pause, seconds } from './operatorTestbed.ts';

const UPDATES = Number(process.argv[2] ?? 1000);
const PROBES = 20;

const testbed = await OperatorTestbed.start();
await testbed.prepare();
await testbed.instance('busy', { qps: 50, burst: 50, maxConcurrent: 16 });
await testbed.instance('quiet', NO_LIMIT);
const busy = Array.from({ length: UPDATES }, (_, index) => `busy-${index}`);
await testbed.create('busy', busy);
await testbed.create('quiet', ['quiet']);
const operator = await testbed.startOperator();
await testbed.allSynced('busy');
await testbed.allSynced('quiet');

async function change(name: string, alias: string): Promise<void> {
  await testbed.client.patch(customers, { namespace: NAMESPACE, name }, { spec: { alias } });
}

/** @returns the seconds from a change until the resource is in sync again, for several changes. */
async function latencies(label: string): Promise<number[]> {
  const key = { namespace: NAMESPACE, name: 'quiet' };
  const found: number[] = [];
  for (let probe = 0; probe < PROBES; probe += 1) {
    const began = performance.now();
    await change('quiet', `${label}-${probe}`);
    for (;;) {
      const { status, metadata } = await testbed.client.get(customers, key);
      if (status?.synced === true && status.observedGeneration === metadata.generation) break;
      await pause(5);
    }
    found.push(seconds(began));
  }
  return found.sort((one, other) => one - other);
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;

const idle = await latencies('idle');
const began = performance.now();
await each(busy, (name) => change(name, 'changed'));
const loaded = await latencies('loaded');
const took = seconds(began);
await operator.stop();
await testbed.stop();
for (const [name, values] of [
  ['idle', idle],
  [`while ${UPDATES} updates run at another gateway`, loaded],
] as const) {
  console.log(`${name}: median ${at(values, 0.5).toFixed(3)} s, longest ${at(values, 1).toFixed(3)} s`);
}
console.log(
  `ratio of the medians ${(at(loaded, 0.5) / at(idle, 0.5)).toFixed(1)}; probes ended ${took.toFixed(1)} s after the first update`,
);
