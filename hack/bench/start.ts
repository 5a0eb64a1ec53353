/**
 * Measures the cost of a start and of the first calls, in processor time, which depends less on other work than elapsed
 * time: the start until ready as a ratio to Node.js that starts and exits, and the first call as a ratio to the fiftieth.
 *
 *     node hack/bench/start.ts
 */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { BENCH_KEY, startBenchService } from './benchService.ts';

const ROUNDS = 5;
const CALLS = 50;

/** @returns the processor time of this process so far, in milliseconds. */
function used(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

if (process.send !== undefined) {
  const app = await startBenchService();
  process.on('message', () => process.send?.({ port: app.port, used: used() }));
  process.send({ port: app.port, used: used() });
  process.once('disconnect', () => void app.drain());
} else {
  await measure();
}

interface Report {
  readonly port: number;
  readonly used: number;
}

async function measure(): Promise<void> {
  const ready: number[] = [];
  const calls: number[][] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const print = 'const {user,system}=process.cpuUsage();console.log((user+system)/1000)';
    bare.push(Number(spawnSync(process.execPath, ['--eval', print], { encoding: 'utf8' }).stdout));
    const service = fork(import.meta.filename);
    const report = async (): Promise<Report> => {
      const answer = once(service, 'message') as Promise<[Report]>;
      return (await answer)[0];
    };
    const first = await report();
    ready.push(first.used);
    let before = first.used;
    for (let n = 0; n < CALLS; n += 1) {
      await call(first.port);
      const next = report();
      service.send({});
      const after = (await next).used;
      (calls[n] ??= []).push(after - before);
      before = after;
    }
    service.disconnect();
    await once(service, 'exit');
  }
  const reference = median(bare);
  const warm = median(calls.at(-1) ?? []);
  print('Node alone', `${reference.toFixed(0)} ms of processor time, the reference`);
  print('start until ready', `${(median(ready) / reference).toFixed(1)} × (${median(ready).toFixed(0)} ms)`);
  print(`call ${CALLS}`, `${warm.toFixed(1)} ms, the reference`);
  for (const n of [1, 2, 3]) {
    const cold = median(calls[n - 1] ?? []);
    print(`call ${n}`, `${(cold / warm).toFixed(1)} × (${cold.toFixed(1)} ms)`);
  }
}

async function call(port: number): Promise<void> {
  const content =
    'My name is Ben Miller of 3 High Street, Leeds: ben@example.com, +44 20 7946 0123, GB33BUKB20201555555555.';
  const answer = await fetch(`http://127.0.0.1:${port}/beta/litellm_basic_guardrail_api`, {
    method: 'POST',
    headers: { 'x-api-key': BENCH_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      input_type: 'request',
      litellm_call_id: 'call',
      request_data: { user_api_key_hash: 'hash', user_api_key_end_user_id: 'user' },
      texts: [content],
      structured_messages: [{ role: 'user', content }],
    }),
  });
  await answer.text();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(24)} ${figure}\n`);
}
