import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { RuntimeMetrics } from '../metrics.ts';

/** How often it is looked, in milliseconds: what runs by then is likely to be what blocked. */
const EVERY_MS = 250;
const RESOLUTION_MS = 10;
/** A reconcile that blocks the event loop for longer holds up the lease and all others, in milliseconds. */
export const LONGEST_BLOCK_MS = 100;
const SHOWN = 5;

/** What runs now. */
export interface Running {
  readonly controller: string;
  /** Keys of the objects that are being reconciled. */
  readonly objects: readonly string[];
}

/**
 * Measures how long the event loop is blocked at a time while reconciles run: nothing tells which of them it was, so
 * that each controller with one under way is counted. What blocks for long is logged with the objects that it can be.
 * @returns ends it
 */
export function watchLoop(parts: {
  readonly running: () => readonly Running[];
  readonly metrics: RuntimeMetrics;
  readonly log: Logger;
}): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const timer = setInterval(() => {
    const blockedMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
    delays.reset();
    const running = parts.running().filter(({ objects }) => objects.length > 0);
    for (const { controller } of running) parts.metrics.blockSeconds.observe({ controller }, blockedMs / 1000);
    if (blockedMs <= LONGEST_BLOCK_MS || running.length === 0) return;
    const objects = running.flatMap(({ controller, objects: keys }) => keys.map((key) => `${controller} ${key}`));
    parts.log.warn(
      {
        blockedMs: Math.round(blockedMs),
        objects: objects.slice(0, SHOWN),
        others: Math.max(0, objects.length - SHOWN),
      },
      'The event loop was blocked while these objects were being reconciled.',
    );
  }, EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}
