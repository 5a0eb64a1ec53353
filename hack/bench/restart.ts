/**
 * Measures a restart of the operator, as a separate process, with many customers in sync: the time until it is at rest, and
 * its gateway calls, without an effective rate limit. The reference in the same run is one list of all customers at the API
 * server, and one gateway call for each in as many plain loops. Nothing has changed, so the operator must not write anything
 * to the gateway or the API server.
 *
 *     node hack/bench/restart.ts [customers]
 */
import { request } from 'undici';
import { customers } from '../../operator/api/kinds.ts';
import { mebibytes } from '../attack/measure.ts';
import { peakBytes, residentBytes } from '../attack/memory.ts';
import { processorTime } from './harness.ts';
import { atRest, each, MASTER_KEY, NAMESPACE, OperatorTestbed, pause, seconds } from './operatorTestbed.ts';

const COUNT = Number(process.argv[2] ?? 10_000);
/** How long the operator is watched afterwards for unwanted actions. */
const AFTER_MS = 3_000;

const testbed = await OperatorTestbed.start();
const { client, proxy, plane } = testbed;

/** @returns the writing requests that the API server has served, by verb and resource. */
async function writes(): Promise<Map<string, number>> {
  const text = await plane.kubectl(['get', '--raw', '/metrics']);
  const counts = new Map<string, number>();
  for (const [, labels = '', count = ''] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const of = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    if (!['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'].includes(of('verb')) || of('resource') === 'leases') continue;
    const key = `${of('verb')} ${of('resource')}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(count));
  }
  return counts;
}

try {
  await testbed.prepare();
  const names = Array.from({ length: COUNT }, (_, at) => `c${at}`);
  await testbed.create('fast', names);
  const first = await testbed.startOperator();
  await testbed.counted('fast', COUNT);
  await first.stop();
  console.log(`${COUNT} customers are in sync`);

  let began = performance.now();
  await client.list(customers, { namespace: NAMESPACE });
  const listed = seconds(began);
  began = performance.now();
  await each(names, async (name) => {
    const url = `${proxy.url}/customer/info?end_user_id=${name}`;
    const { body } = await request(url, { headers: { authorization: `Bearer ${MASTER_KEY}` } });
    await body.json();
  });
  const asked = seconds(began);
  console.log(
    `without an operator: one list of them ${listed.toFixed(1)} s, asking the gateway for each ${asked.toFixed(1)} s`,
  );

  const before = await writes();
  proxy.calls.length = 0;
  began = performance.now();
  const operator = await testbed.startOperator();
  while (proxy.calls.length === 0) await pause(20);
  const took = ((await atRest(operator.pid)) - began) / 1000;
  const busy = processorTime(operator.pid) / 1000;
  await pause(AFTER_MS);
  const memory = `memory: ${mebibytes(residentBytes(operator.pid))}, peak ${mebibytes(peakBytes(operator.pid))}`;
  const after = await writes();
  const written = [...after].filter(([key, count]) => count !== (before.get(key) ?? 0));
  const calls = new Map<string, number>();
  for (const { method, path } of proxy.calls) {
    const call = `${method} ${path.replace(/\?.*/, '')}`;
    calls.set(call, (calls.get(call) ?? 0) + 1);
  }
  console.log(
    `restart: at rest after ${took.toFixed(1)} s, ${(took / (listed + asked)).toFixed(2)} × only the list and the calls; ` +
      `${busy.toFixed(1)} s of processor time, ${((busy / COUNT) * 1000).toFixed(2)} ms per customer`,
  );
  console.log(`calls: ${[...calls].map(([call, count]) => `${count} × ${call}`).join(', ')}`);
  console.log(
    `writes at the API server: ${written.length === 0 ? 'none' : written.map(([key, count]) => `${count - (before.get(key) ?? 0)} × ${key}`).join(', ')}`,
  );
  console.log(memory);
  await operator.stop();
} finally {
  await testbed.stop();
}
