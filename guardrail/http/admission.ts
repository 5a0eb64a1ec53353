import type { CallMiddleware } from './context.ts';
import { unavailable, type ServiceError } from './errors.ts';

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
  let draining = false;
  let onIdle: (() => void) | undefined;
  const turns = createTurns(options);

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
      if (admitted >= options.maxRunning + options.maxWaiting || bytes + size > options.maxBytes) throw overloaded();
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
      await turns.begin();
      try {
        await next();
      } finally {
        turns.end();
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

/** Work that starts in one round of the event loop, in milliseconds, before sockets and timers are looked at again. */
const ROUND_MS = 10;
/** Calls of those who wait that may start in one round. */
const MOST_STARTS = 32;

interface Turns {
  /** Resolves when the caller may run; it must call `end` once it has. @throws ServiceError 503 */
  begin(): Promise<void>;
  end(): void;
}

/**
 * Looking for entities keeps the process busy for as long as a text is long. Were each call to run as soon as it is
 * read, a burst of large ones would keep everything else waiting, health probes and refusals too: so what would start
 * late in a round of the event loop waits in line, from where each round starts what it has time for. Who cannot have a turn in time,
 * at the pace of the last ones, is refused at once.
 */
function createTurns({ maxRunning, maxWaitMs }: AdmissionOptions): Turns {
  let running = 0;
  /** Those who wait, the longest first; a Set since one who has waited too long leaves from the middle. */
  const waiting = new Set<() => void>();
  let roundStart: number | undefined;
  let isPumping = false;
  /** Milliseconds between two calls that ended while others waited: a moving average. */
  let pace = 0;
  let lastEnd = 0;

  const isRoundSpent = (): boolean => {
    const now = performance.now();
    if (roundStart === undefined) {
      roundStart = now;
      setImmediate(() => {
        roundStart = undefined;
      });
    }
    return now - roundStart > ROUND_MS;
  };

  const pump = (): void => {
    if (isPumping || waiting.size === 0 || running >= maxRunning) return;
    isPumping = true;
    let begun: number | undefined;
    const startOne = (): void => {
      const [first] = waiting;
      if (!first || running >= maxRunning) return;
      const now = performance.now();
      begun ??= now;
      if (now - begun > ROUND_MS) return;
      running += 1;
      first();
    };
    // What a call does before it first waits, it does between two of these, which all belong to one round.
    for (let n = Math.min(waiting.size, MOST_STARTS); n > 0; n -= 1) setImmediate(startOne);
    setImmediate(() => {
      isPumping = false;
      pump();
    });
  };

  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const proceed = (): void => {
        waiting.delete(proceed);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(proceed);
        reject(overloaded());
      }, maxWaitMs);
      if (waiting.size === 0) lastEnd = performance.now();
      waiting.add(proceed);
      pump();
    });

  return {
    begin() {
      if (waiting.size === 0 && running < maxRunning && !isRoundSpent()) {
        running += 1;
        return Promise.resolve();
      }
      return waiting.size * pace > maxWaitMs ? Promise.reject(overloaded()) : wait();
    },
    end() {
      running -= 1;
      if (waiting.size === 0) return;
      const now = performance.now();
      pace += (now - lastEnd - pace) / 8;
      lastEnd = now;
      pump();
    },
  };
}

function overloaded(): ServiceError {
  return unavailable('overloaded', 'The guardrail has more calls than it can answer in time: try again.');
}
