/** The memory that many slow streams take in a proxy, over the time for which they are open. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher, Pool } from 'undici';
import { collected } from '../attack/memory.ts';

/** How long the streams stay open after the last one has begun, in milliseconds. Their events keep coming meanwhile. */
const HOLD_MS = 30_000;
/** When the memory is measured, as parts of that time. */
const MOMENTS = [0, 0.5, 1];
const OPENED_AT_ONCE = 100;
/** How often a refused stream is tried again. */
const RETRIES = 10;
const SETTLE_MS = 2000;

/**
 * Opens streams, and measures at the beginning, in the middle and at the end of the time for which they are open.
 *
 * @param pid the process id of the proxy, which was started with `collectable()`
 * @param open begins a stream
 * @returns the memory of a stream in kB
 * @throws Error if a stream ends
 */
export async function memoryOverTime(
  pid: number,
  pool: Pool,
  count: number,
  open: () => Promise<Dispatcher.ResponseData>,
): Promise<string> {
  const before = await collected(pid);
  const seen = { parts: 0, ended: 0 };
  let isOver = false;
  for (let n = 0; n < count; n += OPENED_AT_ONCE) {
    await Promise.all(
      Array.from({ length: OPENED_AT_ONCE }, async () => {
        const { body } = await accepted(open);
        body.on('data', () => (seen.parts += 1));
        for (const end of ['end', 'error']) body.on(end, () => (seen.ended += isOver ? 0 : 1));
      }),
    );
  }
  // What opening them has left is freed.
  await delay(SETTLE_MS);
  seen.parts = 0;
  const [resident, live]: [number[], number[]] = [[], []];
  const begin = performance.now();
  for (const part of MOMENTS) {
    await delay(Math.max(0, begin + part * HOLD_MS - performance.now()));
    const { bytes, liveBytes } = await collected(pid);
    resident.push((bytes - before.bytes) / count / 1000);
    live.push((liveBytes - before.liveBytes) / count / 1000);
  }
  isOver = true;
  if (seen.ended > 0) throw new Error(`${seen.ended} streams ended.`);
  await pool.destroy();
  await delay(SETTLE_MS);
  const listed = (values: readonly number[]): string =>
    `${values.map((one) => one.toFixed(2)).join(', ')} (growth ${((values.at(-1) ?? 0) - (values[0] ?? 0)).toFixed(2)})`;
  return (
    `kB each at the beginning, in the middle and at the end: resident ${listed(resident)}, live ${listed(live)}; ` +
    `${(seen.parts / count).toFixed(1)} events each meanwhile`
  );
}

/**
 * Opens a slow stream. On a busy machine, the wait of a hundred new calls is longer than admission allows, and a proxy
 * refuses some of them: they try again when it says, as clients do.
 */
async function accepted(open: () => Promise<Dispatcher.ResponseData>): Promise<Dispatcher.ResponseData> {
  for (let retries = 0; ; retries += 1) {
    const answer = await open();
    if (answer.statusCode === 200) return answer;
    const text = await answer.body.text();
    if (answer.statusCode !== 429 || retries === RETRIES)
      throw new Error(`The status was ${answer.statusCode}: ${text}`);
    await delay(1000 * Number(answer.headers['retry-after'] ?? 1));
  }
}
