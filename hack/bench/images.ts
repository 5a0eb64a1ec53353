/**
 * Measures how images slow down text calls: the 99th percentile of calls with 1 kB of text while four images are always in
 * OCR, as a ratio to the same calls without images, in alternation in the same run. The ratio is given for the full
 * duration, and for the duration without the time in which the service or the client waits for a processor, which depends on
 * the machine's processors and not on the service. Also measures the cost of an image: its memory, and the processor time of
 * reading and rewriting it as a ratio to decoding and encoding it only.
 *
 * The sender of the images is a process of its own, because its work must not count as the service's time on either side of the
 * ratio.
 *
 *     node hack/bench/images.ts [rounds]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import sharp, { type OverlayOptions } from 'sharp';
import { Pool } from 'undici';
import { draw, PAGES } from '../../guardrail/images/testing/drawings.ts';
import { residentBytes, waitedMs } from '../attack/memory.ts';
import {
  BASIC,
  BENCH_KEY,
  type BenchProcess,
  median,
  print,
  processorTime,
  quantile,
  startGuardrail,
} from './harness.ts';

const CALLS = 600;
/** The time between two text calls in milliseconds. It gives ordinary traffic; saturation would measure the queue instead. */
const PAUSE_MS = 5;
/** The number of images in work at any time. */
const IMAGES = 4;
/** The number of runs over which the cost of an image is averaged. */
const COST_RUNS = 5;
const TEXT = 'Please write to anna.schmidt@example.org about the invoice. '.padEnd(1000, 'The figures look fine. ');

/** The images: a page of an e-mail, and a laptop screen full of windows, one of which shows a photograph. */
const SIZES = { 'an e-mail': mail, 'a whole screen': screen } as const;
type Size = keyof typeof SIZES;

async function mail(): Promise<Buffer> {
  return draw(PAGES['an e-mail']).flatten({ background: '#fff' }).png().toBuffer();
}

async function screen(): Promise<Buffer> {
  const window = async (name: keyof typeof PAGES, left: number, top: number): Promise<OverlayOptions> => ({
    input: await draw(PAGES[name]).png().toBuffer(),
    left,
    top,
  });
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const spots = sharp({ create: { width: 75, height: 55, channels: 3, background: '#678', noise } });
  const photograph = sharp(await spots.png().toBuffer()).resize(600, 440, { kernel: 'cubic' });
  return sharp({ create: { width: 1920, height: 1080, channels: 3, background: '#2f4f4f' } })
    .composite([
      await window('an e-mail', 40, 30),
      await window('a table', 40, 560),
      await window('a form', 980, 30),
      { input: await photograph.png().toBuffer(), left: 1100, top: 610 },
    ])
    .png()
    .toBuffer();
}

const encoded = (fields: object): Buffer => Buffer.from(JSON.stringify({ input_type: 'request', ...fields }));
const imagesOf = (file: Buffer, more: object = {}): Buffer =>
  encoded({ texts: [], images: [`data:image/png;base64,${file.toString('base64')}`], ...more });

/** @returns the status. A busy machine rejects images that it cannot read in time, which is work too. */
async function call(pool: Pool, body: Buffer): Promise<number> {
  const headers = { 'x-api-key': BENCH_KEY, 'content-type': 'application/json' };
  const { body: answer, statusCode } = await pool.request({ method: 'POST', path: BASIC, headers, body });
  await answer.dump({ limit: Infinity });
  if (![200, 429, 502].includes(statusCode)) throw new Error(`The response status was ${statusCode}.`);
  return statusCode;
}

/** The sender: keeps this many images in work between two messages, and reports how many were read. */
async function sendImages(url: string): Promise<void> {
  const pool = new Pool(url, { connections: IMAGES });
  let [isOn, read, loops]: [boolean, number, Promise<void>[]] = [false, 0, []];
  const turn = async (size: Size | 'stop'): Promise<void> => {
    isOn = size !== 'stop';
    await Promise.all(loops);
    if (size === 'stop') {
      process.send?.(read);
      return;
    }
    read = 0;
    // Calls without an end user do not share OCR results.
    const body = imagesOf(await SIZES[size]());
    loops = Array.from({ length: IMAGES }, async () => {
      while (isOn) if ((await call(pool, body)) === 200) read += 1;
    });
  };
  process.on('message', (size: Size | 'stop') => void turn(size));
  process.send?.('ready');
  await new Promise((resolve) => process.once('disconnect', resolve));
  await pool.close();
}

/** Durations of calls in milliseconds, and their parts without the waits for a processor. */
interface Times {
  readonly took: readonly number[];
  readonly worked: readonly number[];
}

async function timedTextCalls(pool: Pool, pid: number): Promise<Times> {
  const body = encoded({
    texts: [TEXT],
    request_data: { user_api_key_team_id: 'team', user_api_key_end_user_id: 'user' },
  });
  const waited = (): number => waitedMs(pid) + waitedMs(process.pid);
  const [took, worked]: [number[], number[]] = [[], []];
  for (let n = 0; n < CALLS; n += 1) {
    const [before, start] = [waited(), performance.now()];
    await call(pool, body);
    const time = performance.now() - start;
    took.push(time);
    worked.push(Math.max(0, time - (waited() - before)));
    await delay(PAUSE_MS);
  }
  return { took, worked };
}

const memoryOf = ({ pid }: BenchProcess): string => `${Math.round(residentBytes(pid) / 1e6)} MB`;

/** Measures text calls alone, and then beside images of one size, in rounds. */
async function measureBeside(size: Size, service: BenchProcess, sender: ChildProcess, pool: Pool): Promise<void> {
  const rounds: (readonly [alone: Times, beside: Times])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await timedTextCalls(pool, service.pid);
    sender.send(size);
    const beside = await timedTextCalls(pool, service.pid);
    const memory = memoryOf(service);
    sender.send('stop');
    const [read] = (await once(sender, 'message')) as [number];
    const [one, other] = [alone, beside].map(({ took }) =>
      [0.5, 0.99, 1].map((part) => quantile(took, part).toFixed(2)).join(' / '),
    );
    print(
      '  p50 / p99 / longest in ms',
      `alone ${one}, beside ${IMAGES} images ${other}; ${read} were read, ${memory}`,
    );
    rounds.push([alone, beside]);
  }
  const ratio = (of: keyof Times, part: number): string =>
    median(rounds.map(([alone, beside]) => quantile(beside[of], part) / quantile(alone[of], part))).toFixed(2);
  print(
    `beside ${size}, to alone`,
    `p50 ${ratio('took', 0.5)}, p99 ${ratio('took', 0.99)}; ` +
      `without waits for a processor p50 ${ratio('worked', 0.5)}, p99 ${ratio('worked', 0.99)}`,
  );
}

/** Measures the processor time of an image: for the first call, for a repetition in its session, and without the service. */
async function measureCost(size: Size, { pid }: BenchProcess, pool: Pool): Promise<void> {
  const request_data = { user_api_key_team_id: 'team', user_api_key_end_user_id: 'reader' };
  const file = await SIZES[size]();
  const averaged = async (of: number, run: () => Promise<unknown>): Promise<number> => {
    const before = processorTime(of);
    for (let n = 0; n < COST_RUNS; n += 1) await run();
    return (processorTime(of) - before) / COST_RUNS;
  };
  const first = await averaged(pid, () => call(pool, imagesOf(file)));
  await call(pool, imagesOf(file, { request_data }));
  const again = await averaged(pid, () => call(pool, imagesOf(file, { request_data })));
  const { width, height } = await sharp(file).metadata();
  const bare = await averaged(process.pid, async () => {
    const raw = await sharp(file).raw().toBuffer();
    await sharp(raw, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
  });
  print(
    `cost of ${size}`,
    `${(first / bare).toFixed(1)} times decoding and encoding it (${bare.toFixed(0)} ms); ` +
      `again in its session ${(again / bare).toFixed(1)} times`,
  );
}

const ROUNDS = Number(process.argv[2] ?? 5);
if (process.send !== undefined) await sendImages(process.argv[2] ?? '');
else {
  const service = await startGuardrail();
  const pool = new Pool(service.url, { connections: 4 });
  const sender = fork(import.meta.filename, [service.url]);
  await once(sender, 'message');
  await timedTextCalls(pool, service.pid);
  print('memory before the first image', memoryOf(service));
  for (const size of Object.keys(SIZES) as Size[]) {
    await call(pool, imagesOf(await SIZES[size]()));
    await measureBeside(size, service, sender, pool);
  }
  for (const size of Object.keys(SIZES) as Size[]) await measureCost(size, service, pool);
  print('memory at the end', memoryOf(service));
  sender.disconnect();
  await pool.close();
  await service.stop();
}
