/**
 * What the operator, as a process of its own, makes of a restart with many customers that are in sync: until it has looked
 * at all of them again, with a gateway's limit that nothing reaches. Beside it, in the same run, what cannot be saved: one
 * list of them all, and the same calls of the gateway from as many loops with nothing around them. Nothing has changed, so
 * that nothing may be written: neither at the gateway, nor at the API server.
 *
 * node hack/bench/restart.ts [customers]
 */
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { customers } from '../../operator/api/kinds.ts';
import { each, MASTER_KEY, NAMESPACE, OperatorTestbed, pause, seconds } from './operatorTestbed.ts';

const COUNT = Number(process.argv[2] ?? 10_000);
/** How long it is watched after that for what it should not do. */
const AFTER_MS = 3_000;

const testbed = await OperatorTestbed.start();
const { client, proxy, plane } = testbed;

/** Requests that change something which the API server has served, by verb and resource. */
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

/** What a process needs now and has needed at most, in MiB. */
function memory(pid: number): readonly [now: string, most: string] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): string =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024).toFixed(0);
  return [of('VmRSS'), of('VmHWM')];
}

/** Processor time of a process until now, in seconds. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

try {
  await testbed.prepare();
  const names = Array.from({ length: COUNT }, (_, at) => `c${at}`);
  await testbed.create('fast', names);
  const first = await testbed.startOperator();
  await testbed.counted('fast', COUNT);
  await first.stop();
  console.log(`${COUNT} customers are there, and in sync`);

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
  const isAbout = (path: string): boolean => path.startsWith('/customer/info') && !path.endsWith('gcust-probe');
  let seenUntil = 0;
  let seen = 0;
  while (seen < COUNT) {
    await pause(20);
    for (; seenUntil < proxy.calls.length; seenUntil++) if (isAbout(proxy.calls[seenUntil]?.path ?? '')) seen++;
  }
  const took = seconds(began);
  const busy = processorTime(operator.pid);
  const firstCall = ((proxy.calls.find(({ path }) => isAbout(path))?.at ?? began) - began) / 1000;
  await pause(AFTER_MS);
  const [now, most] = memory(operator.pid);
  const after = await writes();
  const written = [...after].filter(([key, count]) => count !== (before.get(key) ?? 0));
  const about = proxy.calls.filter(({ path }) => isAbout(path)).length;
  const others = proxy.calls.filter(({ path }) => !isAbout(path)).map(({ method, path }) => `${method} ${path}`);
  console.log(
    `restart: all looked at after ${took.toFixed(1)} s (the first after ${firstCall.toFixed(1)} s), ` +
      `${(took / (listed + asked)).toFixed(2)} × list and calls alone; ${busy.toFixed(1)} s of processor time, ` +
      `${((busy / COUNT) * 1000).toFixed(2)} ms a customer`,
  );
  console.log(
    `calls: ${(about / COUNT).toFixed(2)} a customer, and ${others.length} others: ${[...new Set(others)].join(', ')}`,
  );
  console.log(
    `writes at the API server: ${written.length === 0 ? 'none' : written.map(([key, count]) => `${count - (before.get(key) ?? 0)} × ${key}`).join(', ')}`,
  );
  console.log(`memory: ${now} MiB, at most ${most} MiB`);
  await operator.stop();
} finally {
  await testbed.stop();
}
