import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { RuntimeMetrics } from '../metrics.ts';

/** How often the monitor checks, in milliseconds. A short interval makes it likely that the blocking reconcile still runs. */
const CHECK_INTERVAL_MS = 250;
const RESOLUTION_MS = 10;
/** The longest acceptable block, in milliseconds. A longer one delays lease renewals and all other reconciles. */
export const LONGEST_BLOCK_MS = 100;
const MAX_LOGGED_OBJECTS = 5;

/** The running reconciles of one controller. */
export interface RunningReconciles {
  readonly controller: string;
  /** Keys of the objects that are being reconciled. */
  readonly objects: readonly string[];
}

/**
 * Measures how long the event loop is blocked while reconciles run. The blocking reconcile is unknown, so every controller with
 * a running reconcile is counted. Logs long blocks with all candidate objects.
 * @returns a function that stops the monitor
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
