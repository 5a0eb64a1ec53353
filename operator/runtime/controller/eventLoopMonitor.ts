import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { RuntimeMetrics } from '../metrics.ts';

/** How often it is looked, in milliseconds: what runs by then is likely to be what blocked. */
const CHECK_INTERVAL_MS = 250;
const RESOLUTION_MS = 10;
/** A reconcile that blocks the event loop for longer holds up the lease and all others, in milliseconds. */
export const LONGEST_BLOCK_MS = 100;
const MAX_LOGGED_OBJECTS = 5;

/** What runs now. */
export interface RunningReconciles {
  readonly controller: string;
  /** Keys of the objects that are being reconciled. */
  readonly objects: readonly string[];
}

/**
 * Measures how long the event loop is blocked at a time while reconciles run: nothing tells which of them it was, so
 * that each controller with one under way is counted. What blocks for long is logged with the objects that it can be.
 * @returns ends it
 */
export function monitorEventLoop(dependencies: {
  readonly running: () => readonly RunningReconciles[];
  readonly metrics: RuntimeMetrics;
  readonly log: Logger;
}): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const timer = setInterval(() => {
    const blockedMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
    delays.reset();
    const running = dependencies.running().filter(({ objects }) => objects.length > 0);
    for (const { controller } of running) dependencies.metrics.blockSeconds.observe({ controller }, blockedMs / 1000);
    if (blockedMs <= LONGEST_BLOCK_MS || running.length === 0) return;
    const objects = running.flatMap(({ controller, objects: keys }) => keys.map((key) => `${controller} ${key}`));
    dependencies.log.warn(
      {
        blockedMs: Math.round(blockedMs),
        objects: objects.slice(0, MAX_LOGGED_OBJECTS),
        others: Math.max(0, objects.length - MAX_LOGGED_OBJECTS),
      },
      'The event loop was blocked while these objects were reconciled.',
    );
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}
