/**
 * What pictures cost those who send text: the 99th percentile of calls with a text of 1 kB while four pictures are in
 * work all the time, as a ratio to that of the same calls without any, in turns in the same run. And what a picture
 * costs: processor time of reading and of rewriting one, as ratios to unpacking and packing it alone.
 *
 * node hack/bench/images.ts
 */
import { pino } from 'pino';
import sharp from 'sharp';
import { Pool } from 'undici';
import { startApp } from '../../guardrail/app.ts';
import { readConfig } from '../../guardrail/config.ts';
import { draw, PAGES } from '../../guardrail/images/testing/pictures.ts';

const KEY = 'key-for-the-bench';
const PATH = '/beta/litellm_basic_guardrail_api';
const CALLS = 600;
/** Milliseconds between two text calls: traffic, not saturation, whose queue would be measured otherwise. */
const PAUSE_MS = 5;
const ROUNDS = 4;
const PICTURES = 4;

const TEXT = 'Please write to anna.schmidt@example.org about the invoice. '.padEnd(1000, 'The figures look fine. ');

const config = readConfig({
  GUARDRAIL_PORT: '0',
  GUARDRAIL_HOST: '127.0.0.1',
  GUARDRAIL_API_KEYS: `bench:${KEY}`,
  GUARDRAIL_SESSION_KEY: 's'.repeat(32),
});
const app = await startApp(config, { logger: pino({ level: 'info' }, pino.destination('/dev/null')) });
const pool = new Pool(`http://127.0.0.1:${app.port}`, { connections: 16 });

/** @returns the status: pictures that a busy machine cannot read in time are refused, which is work too. */
async function call(fields: Record<string, unknown>): Promise<number> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: PATH,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ input_type: 'request', ...fields }),
  });
  await body.text();
  if (statusCode !== 200 && statusCode !== 502 && statusCode !== 503) throw new Error(`The answer was ${statusCode}.`);
  return statusCode;
}

async function textCalls(): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const start = performance.now();
    await call({ texts: [TEXT], request_data: { user_api_key_team_id: 'team', user_api_key_end_user_id: 'user' } });
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times;
}

const file = await draw(PAGES['an e-mail']).flatten({ background: '#fff' }).png().toBuffer();
const image = `data:image/png;base64,${file.toString('base64')}`;
let read = 0;

/** Keeps so many pictures in work; calls that nobody identifies share no reading. */
function pictures(): () => Promise<void> {
  let isOver = false;
  const loops = Array.from({ length: PICTURES }, async () => {
    while (!isOver) {
      if ((await call({ texts: [], images: [image] })) === 200) read += 1;
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

const percentile = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
const median = (values: readonly number[]): number => percentile(values, 0.5);

await textCalls();
await call({ texts: [], images: [image] });
const ratios: { p50: number; p99: number }[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const alone = await textCalls();
  const stop = pictures();
  const beside = await textCalls();
  await stop();
  ratios.push({
    p50: percentile(beside, 0.5) / percentile(alone, 0.5),
    p99: percentile(beside, 0.99) / percentile(alone, 0.99),
  });
  process.stdout.write(
    `text alone: p50 ${percentile(alone, 0.5).toFixed(2)} ms, p99 ${percentile(alone, 0.99).toFixed(2)} ms; ` +
      `beside ${PICTURES} pictures: ${percentile(beside, 0.5).toFixed(2)} ms, ${percentile(beside, 0.99).toFixed(2)} ms\n`,
  );
}
process.stdout.write(
  `ratio beside / alone, median of ${ROUNDS} rounds: p50 ${median(ratios.map(({ p50 }) => p50)).toFixed(2)}, ` +
    `p99 ${median(ratios.map(({ p99 }) => p99)).toFixed(2)} (${read} pictures read meanwhile)\n`,
);

/** Processor time, in milliseconds, of so many runs. */
async function cost(run: () => Promise<unknown>, times = 5): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}
const known = { user_api_key_team_id: 'team', user_api_key_end_user_id: 'reader' };
const first = await cost(() => call({ texts: [], images: [image] }));
await call({ texts: [], images: [image], request_data: known });
const again = await cost(() => call({ texts: [], images: [image], request_data: known }));
const bare = await cost(async () =>
  sharp(await sharp(file).raw().toBuffer(), { raw: { width: 900, height: 500, channels: 3 } })
    .png()
    .toBuffer(),
);
process.stdout.write(
  `a picture of ${file.length} bytes: ${(first / bare).toFixed(1)} times unpacking and packing it (${bare.toFixed(0)} ms); ` +
    `in its session again ${(again / bare).toFixed(1)} times\n`,
);
process.stdout.write(`memory: ${Math.round(process.memoryUsage.rss() / 1e6)} MB\n`);
await pool.close();
await app.drain();
