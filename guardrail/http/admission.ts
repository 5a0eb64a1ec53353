import { setTimeout as sleep } from 'node:timers/promises';
import type { CallMiddleware } from './context.ts';
import { busy, draining as drainingError, type ServiceError } from './errors.ts';

export interface AdmissionOptions {
  /** Calls worked on at the same time. */
  readonly maxRunning: number;
  /** Calls that wait for their turn or are still being read; more are refused at once. */
  readonly maxWaiting: number;
  /** The longest wait for a turn, in milliseconds; who would have to wait longer is refused at once. */
  readonly maxWaitMs: number;
  /** Bodies held at the same time, in bytes, as announced. */
  readonly maxBytes: number;
  /** Milliseconds of a clock that never goes back; for tests. */
  readonly now?: () => number;
}

/**
 * Bounds what the process takes on, so that overload is a quick 429 rather than a queue without end; and counts it, so
 * that a drain knows when all is done.
 */
export interface Admission {
  /** Goes before the body is read. */
  readonly admit: CallMiddleware;
  /** Goes after the body is read: waits for a turn. */
  readonly takeTurn: CallMiddleware;
  /**
   * From now on each answer asks its client to close the connection, so that its next call goes to another instance: one
   * that is refused, or whose connection ends under it, is a failed call. Resolves when nobody has called for a while.
   * @param quietMs so long
   * @param atMostMs whoever goes on calling is not waited for longer
   */
  windDown(quietMs: number, atMostMs: number): Promise<void>;
  /** From now on everything new is refused. Resolves when what was admitted is done. */
  drain(): Promise<void>;
  /** Whether the process is on its way out. */
  readonly draining: boolean;
}

const LOOK_MS = 50;

export function createAdmission(options: AdmissionOptions): Admission {
  let admitted = 0;
  let bytes = 0;
  let windingDown = false;
  let draining = false;
  let lastCall = 0;
  let onIdle: (() => void) | undefined;
  const turns = createTurns(options);

  return {
    get draining() {
      return windingDown || draining;
    },

    async admit(context, next) {
      lastCall = performance.now();
      if (windingDown || draining) context.set('connection', 'close');
      if (draining) {
        throw drainingError();
      }
      turns.noticed();
      const size = Number(context.get('content-length'));
      turns.check(size);
      if (admitted >= options.maxRunning + options.maxWaiting || bytes + size > options.maxBytes) {
        throw overloaded(turns.expectedWaitMs());
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

    async takeTurn(context, next) {
      const bytes = context.state.bodyBytes ?? 0;
      turns.noticed();
      await turns.begin(bytes);
      try {
        await next();
      } finally {
        turns.end();
      }
    },

    async windDown(quietMs, atMostMs) {
      windingDown = true;
      const began = performance.now();
      lastCall = Math.max(lastCall, began);
      while (performance.now() - lastCall < quietMs && performance.now() - began < atMostMs) await sleep(LOOK_MS);
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
/** After so many rounds in which nobody came, those who were at the door are in: a connection takes one, its call the next. */
const QUIET_ROUNDS = 2;
/** What a call costs beside its body, told in bytes of it. */
const CALL_WEIGHT = 2048;
/** Over how many calls the pace is a moving average: many, so that one pause of the machine does not turn all away. */
const PACE_CALLS = 32;

interface Turns {
  /** Somebody has come. */
  noticed(): void;
  /** How long the calls in line take, at the pace of the last ones. */
  expectedWaitMs(): number;
  /** @throws ServiceError 429 where a call of this size, coming now, could not have its turn in time. */
  check(bytes: number): void;
  /** Resolves when the caller may run; it must call `end` once it has. @throws ServiceError 429 */
  begin(bytes: number): Promise<void>;
  end(): void;
}

interface Waiting {
  readonly weight: number;
  readonly since: number;
  proceed(): void;
  /** @param waitMs how long it would have to wait. */
  refuse(waitMs: number): void;
}

/**
 * Looking for entities keeps the process busy for as long as a text is long. Were each call to run as soon as it is
 * read, a burst of large ones would keep everything else waiting, health probes and refusals too: so what would start
 * late in a round of the event loop waits in line, from where each round starts what it has time for. Node accepts one
 * connection a round, so after a round that was spent, the next work waits until nobody is left at the door, for as long
 * at most as the last took: else a burst would be let in, and refused, one by one between two pieces of work.
 *
 * Who cannot have a turn in time, at the pace of the last ones, is refused as soon as that is known.
 */
function createTurns({ maxRunning, maxWaitMs, now = () => performance.now() }: AdmissionOptions): Turns {
  let running = 0;
  /** Those who wait, the longest first; a Set since one who has waited too long leaves from the middle. */
  const line = new Set<Waiting>();
  let lineWeight = 0;
  let roundStart: number | undefined;
  let isPumping = false;
  /** Whether those at the door have been let in since the last round that was spent. */
  let isSettled = true;
  let arrivals = 0;
  /**
   * Of the last calls that started from the line, the later the more: how long until the next could start, and how large
   * they were. Not until they ended: one that waits for Redis keeps nobody from starting.
   */
  const pace = { ms: 0, weight: 0 };
  let lastStart: { readonly time: number; readonly weight: number } | undefined;

  const expectedMs = (weightAhead: number): number => (pace.weight === 0 ? 0 : (weightAhead * pace.ms) / pace.weight);

  const settle = (work: number): void => {
    isSettled = false;
    arrivals = 0;
    let quiet = 0;
    const until = now() + work;
    const look = (): void => {
      quiet = arrivals === 0 ? quiet + 1 : 0;
      arrivals = 0;
      if (quiet < QUIET_ROUNDS && now() < until) {
        setImmediate(look);
        return;
      }
      isSettled = true;
      pump();
    };
    setImmediate(look);
  };

  const closeRound = (began: number): void => {
    const work = now() - began;
    if (work > ROUND_MS) settle(work);
    else pump();
  };

  const hasRoom = (): boolean => {
    if (line.size > 0 || running >= maxRunning || !isSettled) return false;
    if (roundStart === undefined) {
      const began = now();
      roundStart = began;
      setImmediate(() => {
        roundStart = undefined;
        closeRound(began);
      });
    }
    return now() - roundStart <= ROUND_MS;
  };

  const pump = (): void => {
    if (isPumping || !isSettled || roundStart !== undefined || line.size === 0 || running >= maxRunning) return;
    isPumping = true;
    let began: number | undefined;
    const startOne = (): void => {
      const [first] = line;
      if (!first || running >= maxRunning) return;
      began ??= now();
      if (now() - began > ROUND_MS) return;
      running += 1;
      first.proceed();
      started(first.weight);
    };
    // What a call does before it first waits, it does between two of these, which all belong to one round.
    for (let n = Math.min(line.size, MOST_STARTS); n > 0; n -= 1) setImmediate(startOne);
    setImmediate(() => {
      isPumping = false;
      closeRound(began ?? now());
    });
  };

  const started = (weight: number): void => {
    const time = now();
    if (lastStart) {
      pace.ms += time - lastStart.time - pace.ms / PACE_CALLS;
      pace.weight += lastStart.weight - pace.weight / PACE_CALLS;
    }
    lastStart = line.size > 0 ? { time, weight } : undefined;
    refuseTheLate(weight);
  };

  const wait = (weight: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        line.delete(one);
        lineWeight -= weight;
        clearTimeout(timer);
      };
      const one: Waiting = {
        weight,
        since: now(),
        proceed() {
          leave();
          resolve();
        },
        refuse(waitMs) {
          leave();
          reject(overloaded(waitMs));
        },
      };
      const timer = setTimeout(() => {
        // A call that comes now waits no less than this one did.
        one.refuse(maxWaitMs);
      }, maxWaitMs);
      line.add(one);
      lineWeight += weight;
      pump();
    });

  const refuseTheLate = (weightStarted: number): void => {
    const time = now();
    let ahead = weightStarted;
    for (const one of line) {
      const waitMs = expectedMs(ahead);
      if (time - one.since + waitMs > maxWaitMs) one.refuse(waitMs);
      else ahead += one.weight;
    }
  };

  const check = (bytes: number): void => {
    const waitMs = expectedMs(lineWeight + bytes + CALL_WEIGHT);
    if (waitMs > maxWaitMs && line.size > 0) throw overloaded(waitMs);
  };

  return {
    noticed() {
      arrivals += 1;
    },
    expectedWaitMs: () => expectedMs(lineWeight),
    check,
    async begin(bytes) {
      if (hasRoom()) {
        running += 1;
        return;
      }
      check(bytes);
      await wait(bytes + CALL_WEIGHT);
    },
    end() {
      running -= 1;
      pump();
    },
  };
}

function overloaded(waitMs: number): ServiceError {
  return busy('overloaded', 'The guardrail has more calls than it can answer in time: try again.', waitMs);
}
