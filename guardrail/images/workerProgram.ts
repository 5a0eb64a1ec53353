/**
 * The program of a worker thread: it decodes, reads, redacts and encodes images, off the event loop. The OCR engine has
 * its own thread, which is terminated if an image exceeds its budget or its read is cancelled.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as delay } from 'node:timers/promises';
import { UnreadableImageError } from './contract.ts';
import { createOcr, type Ocr } from './ocr.ts';
import { hasTrailingPixelData } from './pngTrailingData.ts';
import { toGray, encodeImage, fillBoxes, decodeImage, type GrayImage } from './raster.ts';
import type { Answer, Task, WorkerMessage, WorkerReply, WorkerSettings } from './workerProtocol.ts';

/** The name of libvips threads. */
const LIBVIPS_THREAD = 'libvips worker';
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;

/** The interval of checks of the processor time, in milliseconds: a small part of the budget. */
const CHECK_MS = 100;
const { budgetMs } = workerData as WorkerSettings;

let ocr: Promise<Ocr> | undefined;
/** Aborted when the current read is cancelled. */
let currentRead = new AbortController();

async function read({ bytes, format }: Task & { readonly kind: 'read' }): Promise<Answer> {
  currentRead = new AbortController();
  const { signal } = currentRead;
  const { gray, isAltered } = await decodeGray(bytes);
  const hasMore = format === 'png' && (await hasTrailingPixelData(bytes));
  ocr ??= createOcr();
  const engine = await ocr;
  if (signal.aborted) return { isStopped: true };
  const passes = engine.read(gray);
  const watch = new AbortController();
  const end = watchBudget(engine, AbortSignal.any([signal, watch.signal]));
  const verdict = await Promise.race([passes.then(() => 'read' as const), end]);
  watch.abort();
  if (verdict === 'read') return { result: { passes: await passes, isAltered: isAltered || hasMore } };
  engine.end();
  // Starts the next engine now, so that the next image does not wait for it.
  ocr = createOcr();
  return verdict === 'dense' ? { problem: 'dense' } : { isStopped: true };
}

/**
 * Waits until the engine has used its budget or the read is cancelled. The budget is processor time, so the load of the
 * machine does not matter.
 */
async function watchBudget(engine: Ocr, signal: AbortSignal): Promise<'dense' | 'stopped'> {
  const before = await engine.usedMs();
  const isWatched = (): Promise<boolean> => delay(CHECK_MS, true, { signal }).catch(() => false);
  while (await isWatched()) {
    if ((await engine.usedMs()) - before > budgetMs) return 'dense';
  }
  return 'stopped';
}

/** Drops the colors before OCR, which needs the memory. */
async function decodeGray(bytes: Uint8Array): Promise<{ gray: GrayImage; isAltered: boolean }> {
  const raster = await decodeImage(bytes);
  lowerPriority();
  return { gray: await toGray(raster), isAltered: raster.isAltered };
}

async function runTask(task: Task): Promise<Answer> {
  try {
    if (task.kind === 'read') return await read(task);
    const raster = await decodeImage(task.bytes);
    lowerPriority();
    fillBoxes(raster, task.boxes);
    return { bytes: await encodeImage(raster, task.format, task.isLossless) };
  } catch (error) {
    if (error instanceof UnreadableImageError) return { problem: error.problem };
    throw error;
  }
}

/**
 * Gives text requests precedence. On Linux, each thread has its own priority, which its child threads inherit. The
 * threads of libvips do not inherit it: libvips starts them on demand from a pool of the whole process.
 */
function lowerPriority(): void {
  try {
    const own = basename(readlinkSync('/proc/thread-self'));
    for (const thread of readdirSync('/proc/self/task')) {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
      if (thread !== own && name !== LIBVIPS_THREAD) continue;
      // A higher number is a lower priority. The whole service can have a low one already.
      if (getPriority(Number(thread)) < PRIORITY) setPriority(Number(thread), PRIORITY);
    }
  } catch {
    // Other systems have no priority per thread.
  }
}

lowerPriority();
const port = parentPort;
if (!port) throw new Error('This module runs only in a worker thread.');
port.on('message', (message: WorkerMessage) => {
  if (message.kind === 'stop') {
    currentRead.abort();
    return;
  }
  void runTask(message).then((answer) => {
    lowerPriority();
    port.postMessage({ kind: message.kind, answer } satisfies WorkerReply);
  });
});
