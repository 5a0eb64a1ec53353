/**
 * A thread that unpacks, reads, paints and packs pictures, one after the other. Nothing of this is on the event loop. The
 * engine that reads has a thread of its own below it, which is ended where a picture takes too long or is not wanted.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as delay } from 'node:timers/promises';
import { UnreadableImageError } from './contract.ts';
import { createOcr, type Ocr } from './ocr.ts';
import { hasBytesBehindPixels } from './pngTrailingData.ts';
import { greysOf, pack, paint, unpack, type Greys } from './raster.ts';
import type { Answer, Answered, Order, Task, ThreadData } from './workerThread.ts';

/** What libvips calls its threads. */
const IMAGE_THREAD = 'libvips worker';
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;

/** How often the processor time of a picture is looked at, in milliseconds: a small part of what it may take. */
const LOOK_MS = 100;
const { budgetMs } = workerData as ThreadData;

let ocr: Promise<Ocr> | undefined;
/** Aborted where the picture that is being read is not wanted any more. */
let reading = new AbortController();

async function read({ bytes, format }: Task & { readonly kind: 'read' }): Promise<Answer> {
  reading = new AbortController();
  const { signal } = reading;
  const { greys, isAltered } = await greysIn(bytes);
  const hasMore = format === 'png' && (await hasBytesBehindPixels(bytes));
  ocr ??= createOcr();
  const engine = await ocr;
  if (signal.aborted) return { isStopped: true };
  const passes = engine.read(greys);
  const watch = new AbortController();
  const end = watchOver(engine, AbortSignal.any([signal, watch.signal]));
  const verdict = await Promise.race([passes.then(() => 'read' as const), end]);
  watch.abort();
  if (verdict === 'read') return { reading: { passes: await passes, isAltered: isAltered || hasMore } };
  engine.end();
  // The next picture shall not wait for a new one longer than need be.
  ocr = createOcr();
  return verdict === 'dense' ? { problem: 'dense' } : { isStopped: true };
}

/**
 * Looks at processor time, not at the clock: what else the machine does decides about no picture.
 * @returns when the engine has used its budget, or the read is not wanted any more.
 */
async function watchOver(engine: Ocr, signal: AbortSignal): Promise<'dense' | 'stopped'> {
  const before = await engine.usedMs();
  const isWatched = (): Promise<boolean> => delay(LOOK_MS, true, { signal }).catch(() => false);
  while (await isWatched()) {
    if ((await engine.usedMs()) - before > budgetMs) return 'dense';
  }
  return 'stopped';
}

/** The colours are let go before the reading begins, which takes memory itself. */
async function greysIn(bytes: Uint8Array): Promise<{ greys: Greys; isAltered: boolean }> {
  const raster = await unpack(bytes);
  stepBack();
  return { greys: await greysOf(raster), isAltered: raster.isAltered };
}

async function answerTo(task: Task): Promise<Answer> {
  try {
    if (task.kind === 'read') return await read(task);
    const raster = await unpack(task.bytes);
    stepBack();
    paint(raster, task.boxes);
    return { bytes: await pack(raster, task.format, task.isLossless) };
  } catch (error) {
    if (error instanceof UnreadableImageError) return { problem: error.problem };
    throw error;
  }
}

/**
 * Text goes first. On Linux each thread has a priority of its own, which those that it starts inherit. Those of the image
 * library do not: it starts them from a pool of the whole process, when it needs them.
 */
function stepBack(): void {
  try {
    const own = basename(readlinkSync('/proc/thread-self'));
    for (const thread of readdirSync('/proc/self/task')) {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
      if (thread !== own && name !== IMAGE_THREAD) continue;
      // A higher number is a lower priority; the whole service may have been given one.
      if (getPriority(Number(thread)) < PRIORITY) setPriority(Number(thread), PRIORITY);
    }
  } catch {
    // Elsewhere the system shares its processors out as it sees fit.
  }
}

stepBack();
const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread alone.');
port.on('message', (order: Order) => {
  if (order.kind === 'stop') {
    reading.abort();
    return;
  }
  void answerTo(order).then((answer) => {
    stepBack();
    port.postMessage({ kind: order.kind, answer } satisfies Answered);
  });
});
