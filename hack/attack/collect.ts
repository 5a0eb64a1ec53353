/**
 * Preloaded into a program under attack, see memory.ts. At SIGUSR2, it collects the garbage of all threads, and writes its
 * memory and for how long the event loop was blocked. A thread that waits for work does not collect its own garbage, which can be buffers of many
 * megabytes.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { threadMs } from './measure.ts';

const TICK_MS = 20;
/** Signals reach the main thread only. */
const channel = new BroadcastChannel('attack/collect');
channel.unref();

function collect(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

if (isMainThread) {
  const file = `${new URL(import.meta.url).searchParams.get('reports') ?? ''}/${process.pid}`;
  let [last, blockedMs] = [threadMs(), 0];
  setInterval(() => {
    const now = threadMs();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  }, TICK_MS).unref();
  process.on('SIGUSR2', () => {
    blockedMs = Math.max(blockedMs, threadMs() - last);
    channel.postMessage('collect');
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify({ blockedMs, liveBytes: heapUsed + external }));
    renameSync(`${file}.new`, file);
    [last, blockedMs] = [threadMs(), 0];
  });
} else {
  channel.onmessage = collect;
}
