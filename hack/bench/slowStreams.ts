/** The memory that many slow streams take in a proxy, over the time for which they are open. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher, Pool } from 'undici';
import type { Usage } from './proxyServers.ts';

/** How long the streams stay open after the last one has begun, in milliseconds. Their events keep coming meanwhile. */
const HOLD_MS = 30_000;
/** When the memory is measured, as parts of that time. */
const MOMENTS = [0, 0.5, 1];
const OPENED_AT_ONCE = 100;
/** How often a refused stream is tried again. */
const RETRIES = 10;

/** What the streams take at one moment, in bytes for each. */
export interface Moment {
  readonly rss: number;
  readonly live: number;
}

export interface Held {
  readonly moments: readonly Moment[];
  /** Parts that each stream has received during the time, on average. */
  readonly parts: number;
}

export interface HeldOptions {
  readonly pool: Pool;
  readonly count: number;
  /** Begins a stream. */
  readonly open: (pool: Pool) => Promise<Dispatcher.ResponseData>;
  /** What the proxy uses, after a collection. */
  readonly usage: () => Promise<Usage>;
}

/**
 * Opens streams, and measures at the beginning, in the middle and at the end of the time for which they are open.
 * @throws Error if a stream ends
 */
export async function memoryOverTime({ pool, count, open, usage }: HeldOptions): Promise<Held> {
  const before = await usage();
  const seen = { parts: 0, ended: 0 };
  let isOver = false;
  for (let n = 0; n < count; n += OPENED_AT_ONCE) {
    await Promise.all(
      Array.from({ length: OPENED_AT_ONCE }, async () => {
        const { body } = await accepted(pool, open);
        body.on('data', () => (seen.parts += 1));
        for (const end of ['end', 'error']) body.on(end, () => (seen.ended += isOver ? 0 : 1));
      }),
    );
  }
  // What opening them has left is freed.
  await delay(2000);
  seen.parts = 0;
  const moments: Moment[] = [];
  const begin = performance.now();
  for (const part of MOMENTS) {
    await delay(Math.max(0, begin + part * HOLD_MS - performance.now()));
    const { rss, live } = await usage();
    moments.push({ rss: (rss - before.rss) / count, live: (live - before.live) / count });
  }
  isOver = true;
  if (seen.ended > 0) throw new Error(`${seen.ended} streams ended.`);
  await pool.destroy();
  await delay(2000);
  return { moments, parts: seen.parts / count };
}

/** By how much the memory grows from the first moment to the last one, in bytes for each stream. */
export function growthOf(moments: readonly Moment[]): Moment {
  const [first, last] = [moments[0], moments.at(-1)];
  return { rss: (last?.rss ?? 0) - (first?.rss ?? 0), live: (last?.live ?? 0) - (first?.live ?? 0) };
}

/**
 * Opens a slow stream. On a busy machine, the wait of a hundred new calls is longer than admission allows, and a proxy
 * refuses some of them: they try again when it says, as clients do.
 */
async function accepted(pool: Pool, open: HeldOptions['open']): Promise<Dispatcher.ResponseData> {
  for (let retries = 0; ; retries += 1) {
    const answer = await open(pool);
    if (answer.statusCode === 200) return answer;
    const text = await answer.body.text();
    if (answer.statusCode !== 429 || retries === RETRIES)
      throw new Error(`The status was ${answer.statusCode}: ${text}`);
    await delay(1000 * Number(answer.headers['retry-after'] ?? 1));
  }
}
