/**
 * Measures a burst beyond the service's capacity: many large calls at once from another process. The figures are ratios to
 * one such call alone in the same run: the latency of accepted calls, of shed calls, and of health probes.
 *
 *     node hack/bench/overload.ts [calls] [bytes]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { BENCH_KEY, startBenchService } from './benchService.ts';

const [CALLS = 500, BYTES = 100_000] = process.argv.slice(2).map(Number);

interface Timed {
  readonly status: number;
  readonly ms: number;
}

if (process.send !== undefined) {
  const app = await startBenchService();
  process.send(app.port);
  await new Promise((resolve) => process.once('disconnect', resolve));
  await app.drain();
} else {
  await measure();
}

async function measure(): Promise<void> {
  const service = fork(import.meta.filename);
  const [port] = (await once(service, 'message')) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const agent = new Agent({ connections: CALLS, headersTimeout: 120_000, bodyTimeout: 120_000 });
  const probes = new Agent({ connections: 1 });
  const body = JSON.stringify({ input_type: 'request', texts: [text(BYTES)], litellm_call_id: 'call' });

  const call = async (): Promise<Timed> => {
    const start = performance.now();
    const answer = await agent.request({
      origin,
      path: '/beta/litellm_basic_guardrail_api',
      method: 'POST',
      headers: { 'x-api-key': BENCH_KEY, 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump();
    return { status: answer.statusCode, ms: performance.now() - start };
  };

  const alone: number[] = [];
  for (let n = 0; n < 12; n += 1) alone.push((await call()).ms);
  const reference = median(alone.slice(4));
  process.stdout.write(`one call of ${BYTES} bytes alone: ${reference.toFixed(1)} ms, the reference\n`);
  for (const burst of [1, 2]) {
    let longest = 0;
    const state = { over: false };
    const probing = (async () => {
      while (!state.over) {
        const start = performance.now();
        await (await probes.request({ origin, path: '/healthz', method: 'GET' })).body.dump();
        longest = Math.max(longest, performance.now() - start);
        await delay(20);
      }
    })();
    const start = performance.now();
    const outcomes = await Promise.all(Array.from({ length: CALLS }, call));
    const took = performance.now() - start;
    state.over = true;
    await probing;
    process.stdout.write(`burst ${burst}: ${CALLS} calls, all answered after ${times(took, reference)}\n`);
    for (const status of [200, 429]) {
      const of = outcomes.filter((one) => one.status === status).map(({ ms }) => ms);
      if (of.length === 0) continue;
      process.stdout.write(
        `  ${of.length} × ${status}: p50 ${times(median(of), reference)}, longest ${times(Math.max(...of), reference)}\n`,
      );
    }
    process.stdout.write(`  slowest health probe: ${times(longest, reference)}\n`);
    await delay(500);
  }
  await Promise.all([agent.close(), probes.close()]);
  service.disconnect();
}

function text(bytes: number): string {
  const sentence =
    'Please write to anna.schmidt@example.org about the invoice of Mr Miller, and ask her to call back. ';
  return sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function times(ms: number, reference: number): string {
  return `${(ms / reference).toFixed(1)} × (${ms.toFixed(0)} ms)`;
}
