import type { CallMiddleware } from './context.ts';
import { unavailable } from './errors.ts';

export interface AdmissionOptions {
  /** Calls worked on at the same time. */
  readonly maxRunning: number;
  /** Calls that wait for their turn or are still being read; more are refused at once. */
  readonly maxWaiting: number;
  /** The longest wait for a turn, in milliseconds. */
  readonly maxWaitMs: number;
  /** Bodies held at the same time, in bytes, as announced. */
  readonly maxBytes: number;
}

/**
 * Bounds what the process takes on, so that overload is a quick 503 rather than a queue without end; and counts it, so
 * that a drain knows when all is done.
 */
export interface Admission {
  /** Goes before the body is read. */
  readonly admit: CallMiddleware;
  /** Goes after the body is read: waits for a turn. */
  readonly takeTurn: CallMiddleware;
  /** From now on everything new is refused. Resolves when what was admitted is done. */
  drain(): Promise<void>;
  readonly draining: boolean;
}

export function createAdmission(options: AdmissionOptions): Admission {
  let admitted = 0;
  let bytes = 0;
  let running = 0;
  let draining = false;
  let onIdle: (() => void) | undefined;
  /** Those who wait, the longest first; a Set since one who has waited too long leaves from the middle. */
  const waiting = new Set<() => void>();

  return {
    get draining() {
      return draining;
    },

    async admit(context, next) {
      if (draining) {
        context.set('connection', 'close');
        throw unavailable('draining', 'This instance is shutting down: try another one.');
      }
      const size = Number(context.get('content-length'));
      if (admitted >= options.maxRunning + options.maxWaiting || bytes + size > options.maxBytes) {
        throw unavailable('overloaded', 'The guardrail has more calls than it can answer in time: try again.');
      }
      admitted += 1;
      bytes += size;
      try {
        await next();
      } finally {
        admitted -= 1;
        bytes -= size;
        if (admitted === 0) onIdle?.();
      }
    },

    async takeTurn(_context, next) {
      if (running < options.maxRunning) running += 1;
      else await turn(waiting, options.maxWaitMs);
      try {
        await next();
      } finally {
        // The place goes straight to the one who has waited longest.
        const [first] = waiting;
        if (first) first();
        else running -= 1;
      }
    },

    drain() {
      draining = true;
      if (admitted === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onIdle = resolve;
      });
    },
  };
}

function turn(waiting: Set<() => void>, maxWaitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const proceed = (): void => {
      waiting.delete(proceed);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(proceed);
      reject(unavailable('overloaded', 'The guardrail has more calls than it can answer in time: try again.'));
    }, maxWaitMs);
    waiting.add(proceed);
  });
}
