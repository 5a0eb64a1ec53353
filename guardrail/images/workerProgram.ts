/** The program of the process for images: it decodes, reads, redacts and encodes images. It has no secret and no network. */
import { writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { setImmediate as nextRound } from 'node:timers/promises';
import { UnreadableImageError } from './contract.ts';
import { loadNetworks, type Networks } from './networks.ts';
import { readPage } from './ocr.ts';
import { hasTrailingPixelData } from './pngTrailingData.ts';
import { decodeImage, encodeImage, fillAreas } from './raster.ts';
import type { Answer, Task, WorkerMessage, WorkerReply } from './workerProtocol.ts';

const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;

let networks: Promise<Networks> | undefined;
/** Aborted when the current read is cancelled. */
let currentRead = new AbortController();

async function read({ bytes, format }: Task & { readonly kind: 'read' }): Promise<Answer> {
  currentRead = new AbortController();
  const { signal } = currentRead;
  const raster = await decodeImage(bytes);
  const hasMore = format === 'png' && (await hasTrailingPixelData(bytes));
  networks ??= loadNetworks();
  const page = await readPage(await networks, raster, async () => {
    reply({ kind: 'read' });
    // Takes the messages that have arrived: the cancellation, and a rewrite.
    await nextRound();
    signal.throwIfAborted();
  });
  return page ? { result: { ...page, isAltered: raster.isAltered || hasMore } } : { problem: 'dense' };
}

async function runTask(task: Task): Promise<Answer> {
  try {
    if (task.kind === 'read') return await read(task);
    const raster = await decodeImage(task.bytes);
    fillAreas(raster, task.areas);
    return { bytes: await encodeImage(raster, task.format, task.isLossless) };
  } catch (error) {
    if (error instanceof UnreadableImageError) return { problem: error.problem };
    if (task.kind === 'read' && currentRead.signal.aborted) return { isStopped: true };
    throw error;
  }
}

function reply(message: WorkerReply): void {
  process.send?.(message);
}

/**
 * Gives text requests precedence, and makes this process the first one that ends when memory is short: a picture can be sent
 * again, but the end of the service ends all calls. Threads that start later inherit the priority.
 */
function yieldToOthers(): void {
  // A higher number is a lower priority. The whole service can have a low one already.
  if (getPriority() < PRIORITY) setPriority(PRIORITY);
  if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000');
}

try {
  yieldToOthers();
} catch {
  // Some sandboxes forbid it. Images are read all the same.
}
process.on('message', (message: WorkerMessage) => {
  if (message.kind === 'stop') {
    currentRead.abort();
    return;
  }
  void runTask(message).then((answer) => {
    reply({ kind: message.kind, answer });
  });
});
// The owner has ended.
process.on('disconnect', () => process.exit(0));
