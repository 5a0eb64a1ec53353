/** A thread that unpacks, reads, paints and packs pictures, one after the other. Nothing of this is on the event loop. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { UnreadableImageError, type Problem, type Reading } from './contract.ts';
import type { Task } from './workers.ts';
import { createOcr, type Ocr } from './ocr.ts';
import { hasBytesBehindPixels } from './pngExcess.ts';
import { greysOf, pack, paint, unpack, type Greys } from './raster.ts';

/** What is answered: a result, or what is wrong with the image. Any other failure ends the thread. */
export type Answer = { readonly reading: Reading } | { readonly bytes: Uint8Array } | { readonly problem: Problem };

/** An answer, with the kind of task that it is to: one of each kind is in work at the same time at most. */
export interface Answered {
  readonly kind: Task['kind'];
  readonly answer: Answer;
}

/** What libvips calls its threads. */
const IMAGE_THREAD = 'libvips worker';
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;

let ocr: Promise<Ocr> | undefined;

async function read({ bytes, format }: Task & { readonly kind: 'read' }): Promise<Answer> {
  const { greys, isAltered } = await greysIn(bytes);
  const hasMore = format === 'png' && (await hasBytesBehindPixels(bytes));
  ocr ??= createOcr();
  return { reading: { passes: await (await ocr).read(greys), isAltered: isAltered || hasMore } };
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
port.on('message', (task: Task) => {
  void answerTo(task).then((answer) => {
    stepBack();
    port.postMessage({ kind: task.kind, answer } satisfies Answered);
  });
});
