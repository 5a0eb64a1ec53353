/**
 * Measures how images slow down text calls: the 99th percentile of calls with 1 kB of text while four images are always in
 * OCR, as a ratio to the same calls without images, in alternation in the same run. The ratio is given for the full
 * duration, and for the duration without the time in which the service or the client waits for a processor, which depends on
 * the machine's processors and not on the service. Also measures the cost of an image: its memory, and the processor time of
 * reading and rewriting it as a ratio to decoding and encoding it only.
 *
 * The service runs in a separate process, as shipped. So does the sender of the images, because its work must not count as
 * the service's time on either side of the ratio.
 *
 *     node hack/bench/images.ts
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import sharp, { type OverlayOptions } from 'sharp';
import { Pool } from 'undici';
import { draw, PAGES } from '../../guardrail/images/testing/drawings.ts';

const KEY = 'key-for-the-bench';
const PATH = '/beta/litellm_basic_guardrail_api';
const CALLS = 600;
/**
 * The time between two text calls in milliseconds. It gives ordinary traffic; saturation would measure the queue instead.
 */
const PAUSE_MS = 5;
const ROUNDS = 5;
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

type Fields = Record<string, unknown>;
const encoded = (fields: Fields): Buffer => Buffer.from(JSON.stringify({ input_type: 'request', ...fields }));
const imagesOf = (file: Buffer, more: Fields = {}): Buffer =>
  encoded({ texts: [], images: [`data:image/png;base64,${file.toString('base64')}`], ...more });

/** @returns the status. A busy machine rejects images that it cannot read in time, which is work too. */
async function call(pool: Pool, body: Buffer): Promise<number> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  const answer = await pool.request({ method: 'POST', path: PATH, headers, body });
  await answer.body.dump({ limit: Infinity });
  const { statusCode } = answer;
  if (statusCode !== 200 && statusCode !== 429 && statusCode !== 502)
    throw new Error(`The response status was ${statusCode}.`);
  return statusCode;
}

/** The sender: keeps this many images in work between two messages, and reports how many were read. */
async function sendImages(port: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: IMAGES });
  let isOn = false;
  let read = 0;
  let loops: Promise<void>[] = [];
  process.on('message', (size: Size | 'stop') => {
    void turn(size);
  });
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
  process.send?.('ready');
  await new Promise((resolve) => process.once('disconnect', resolve));
  await pool.close();
}

interface Timed {
  readonly took: number;
  /** The part of `took` without the waits for a processor. */
  readonly worked: number;
}

const percentile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
const median = (values: readonly number[]): number => percentile(values, 0.5);
const summary = (times: readonly number[]): string =>
  [0.5, 0.99, 1].map((part) => percentile(times, part).toFixed(2)).join(' / ');
const ratioOf = (beside: readonly Timed[], alone: readonly Timed[], of: keyof Timed, part: number): number =>
  percentile(
    beside.map((one) => one[of]),
    part,
  ) /
  percentile(
    alone.map((one) => one[of]),
    part,
  );

/**
 * @returns how long the first thread of a process has waited for a processor, in milliseconds; 0 on other systems than
 * Linux.
 */
function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The guardrail as a process. */
interface Service {
  readonly port: number;
  readonly metricsPort: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

async function startService(): Promise<Service> {
  const program = fileURLToPath(new URL('../../guardrail/main.ts', import.meta.url));
  const service = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      GUARDRAIL_PORT: '0',
      GUARDRAIL_METRICS_PORT: '0',
      GUARDRAIL_HOST: '127.0.0.1',
      GUARDRAIL_API_KEYS: `bench:${KEY}`,
      GUARDRAIL_SESSION_KEY: 's'.repeat(32),
    },
  });
  const lines = createInterface({ input: service.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  const { port, metricsPort } = JSON.parse(line) as { port: number; metricsPort: number };
  const stop = async (): Promise<void> => {
    service.kill('SIGTERM');
    await once(service, 'exit');
  };
  return { port, metricsPort, pid: service.pid ?? 0, stop };
}

async function measure(): Promise<void> {
  const service = await startService();
  const pool = new Pool(`http://127.0.0.1:${service.port}`, { connections: 4 });
  const sender = fork(import.meta.filename, [String(service.port)]);
  await once(sender, 'message');
  const textCalls = (): Promise<Timed[]> => timedTextCalls(pool, service.pid);

  await textCalls();
  process.stdout.write(`memory before the first image: ${await megabytes(service)}\n`);
  for (const size of Object.keys(SIZES) as Size[]) {
    const file = await SIZES[size]();
    await call(pool, imagesOf(file));
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound(size, service, sender, textCalls));
    const ratio = (of: keyof Timed, part: number): string =>
      median(rounds.map(({ alone, beside }) => ratioOf(beside, alone, of, part))).toFixed(2);
    process.stdout.write(
      `${size}, ${file.length} bytes: beside / alone, median of ${ROUNDS} rounds: ` +
        `p50 ${ratio('took', 0.5)}, p99 ${ratio('took', 0.99)}; ` +
        `without waits for a processor p50 ${ratio('worked', 0.5)}, p99 ${ratio('worked', 0.99)}\n`,
    );
  }
  for (const size of Object.keys(SIZES) as Size[]) await measureCost(size, service, pool);
  process.stdout.write(`memory at the end: ${await megabytes(service)}\n`);
  sender.disconnect();
  await pool.close();
  await service.stop();
}

async function timedTextCalls(pool: Pool, pid: number): Promise<Timed[]> {
  const who = { user_api_key_team_id: 'team', user_api_key_end_user_id: 'user' };
  const body = encoded({ texts: [TEXT], request_data: who });
  const waited = (): number => waitedMs(pid) + waitedMs(process.pid);
  const times: Timed[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const before = waited();
    const start = performance.now();
    await call(pool, body);
    const took = performance.now() - start;
    times.push({ took, worked: Math.max(0, took - (waited() - before)) });
    await delay(PAUSE_MS);
  }
  return times;
}

interface Round {
  readonly alone: readonly Timed[];
  readonly beside: readonly Timed[];
}

/** Measures text calls alone, and then beside images of one size. */
async function measureRound(
  size: Size,
  service: Service,
  sender: ChildProcess,
  textCalls: () => Promise<Timed[]>,
): Promise<Round> {
  const alone = await textCalls();
  sender.send(size);
  const beside = await textCalls();
  const memory = await megabytes(service);
  sender.send('stop');
  const [read] = (await once(sender, 'message')) as [number];
  const took = (times: readonly Timed[]): string => summary(times.map((one) => one.took));
  process.stdout.write(
    `  text alone ${took(alone)} ms (p50 / p99 / longest), beside ${IMAGES} images ${took(beside)} ms; ` +
      `${read} were read during or just after it, ${memory}\n`,
  );
  return { alone, beside };
}

/** Measures the processor time of an image: for the first call, for a repetition in its session, and without the service. */
async function measureCost(size: Size, service: Service, pool: Pool): Promise<void> {
  const known = { user_api_key_team_id: 'team', user_api_key_end_user_id: 'reader' };
  const file = await SIZES[size]();
  const first = await serviceCpuMs(service, () => call(pool, imagesOf(file)));
  await call(pool, imagesOf(file, { request_data: known }));
  const again = await serviceCpuMs(service, () => call(pool, imagesOf(file, { request_data: known })));
  const bare = await codecCpuMs(file);
  process.stdout.write(
    `${size}: ${(first / bare).toFixed(1)} times decoding and encoding it (${bare.toFixed(0)} ms); ` +
      `again in its session ${(again / bare).toFixed(1)} times\n`,
  );
}

/** @returns the service's processor time per run, in milliseconds */
async function serviceCpuMs(service: Service, run: () => Promise<unknown>): Promise<number> {
  const before = await metric(service, 'process_cpu_seconds_total');
  for (let n = 0; n < COST_RUNS; n += 1) await run();
  return (1000 * ((await metric(service, 'process_cpu_seconds_total')) - before)) / COST_RUNS;
}

/** @returns this process's processor time for decoding and encoding an image, in milliseconds */
async function codecCpuMs(file: Buffer): Promise<number> {
  const { width, height } = await sharp(file).metadata();
  const before = process.cpuUsage();
  for (let n = 0; n < COST_RUNS; n += 1) {
    const raw = await sharp(file).raw().toBuffer();
    await sharp(raw, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / COST_RUNS;
}

async function metric({ metricsPort }: Service, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

async function megabytes(service: Service): Promise<string> {
  return `${Math.round((await metric(service, 'process_resident_memory_bytes')) / 1e6)} MB`;
}

const [port] = process.argv.slice(2);
await (port === undefined ? measure() : sendImages(Number(port)));
