/**
 * Preloaded into a program under attack, see memory.ts: collects the garbage of all its threads at SIGUSR2. A thread that
 * waits for work does not collect its own garbage, which can be buffers of many megabytes.
 */
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** Signals reach the main thread only. */
const channel = new BroadcastChannel('attack/collect');
channel.unref();

function collect(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

if (isMainThread) {
  process.on('SIGUSR2', () => {
    channel.postMessage('collect');
    collect();
  });
} else {
  channel.onmessage = collect;
}
