import type { Tenant } from '../../ids.ts';
import { createFairQueue, createShares, type Queued } from '../../sharing/sharing.ts';
import { overloaded } from '../errors.ts';

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

export interface TurnOptions {
  /** Calls worked on at the same time. */
  readonly maxRunning: number;
  /** The longest wait for a turn, in milliseconds; who would have to wait longer is refused at once. */
  readonly maxWaitMs: number;
  /** Milliseconds of a clock that never goes back; for tests. */
  readonly now?: () => number;
}

export interface Turns {
  /** Somebody has come. */
  noticed(): void;
  /** How long the calls in line take, at the pace of the last ones. */
  expectedWaitMs(): number;
  /** @throws ServiceError 429 where a call of this size, coming now, could not have its turn in time. */
  check(tenant: Tenant, bytes: number): void;
  /** Resolves when the caller may run; it must call `end` once it has. @throws ServiceError 429 */
  begin(tenant: Tenant, bytes: number): Promise<void>;
  end(tenant: Tenant): void;
}

interface Waiting extends Queued {
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
 *
 * Tenants share the line by what their calls weigh, and the places of those that run: the large calls of one do not keep
 * the small ones of another waiting, and neither do those that wait for Redis or for the reader of images.
 */
export function createTurns({ maxRunning, maxWaitMs, now = () => performance.now() }: TurnOptions): Turns {
  const running = createShares({ capacity: maxRunning });
  const mayRun = (tenant: Tenant): boolean => running.canTake(tenant, 1);
  const line = createFairQueue<Waiting>();
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

  const hasRoom = (tenant: Tenant): boolean => {
    if (line.size > 0 || !mayRun(tenant) || !isSettled) return false;
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
    if (isPumping || !isSettled || roundStart !== undefined || !line.peek(mayRun)) return;
    isPumping = true;
    let began: number | undefined;
    const startOne = (): void => {
      if (!line.peek(mayRun)) return;
      began ??= now();
      if (now() - began > ROUND_MS) return;
      const first = line.next(mayRun);
      if (!first) return;
      running.take(first.tenant, 1);
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

  const wait = (tenant: Tenant, weight: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        line.remove(one);
        lineWeight -= weight;
        clearTimeout(timer);
      };
      const one: Waiting = {
        tenant,
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
    for (const one of line.inOrder()) {
      const waitMs = expectedMs(ahead);
      if (time - one.since + waitMs > maxWaitMs) one.refuse(waitMs);
      else ahead += one.weight;
    }
  };

  const check = (tenant: Tenant, bytes: number): void => {
    const waitMs = expectedMs(line.weightBefore(tenant) + bytes + CALL_WEIGHT);
    if (waitMs > maxWaitMs && line.size > 0) throw overloaded(waitMs);
  };

  return {
    noticed() {
      arrivals += 1;
    },
    expectedWaitMs: () => expectedMs(lineWeight),
    check,
    async begin(tenant, bytes) {
      if (hasRoom(tenant)) {
        running.take(tenant, 1);
        return;
      }
      check(tenant, bytes);
      await wait(tenant, bytes + CALL_WEIGHT);
    },
    end(tenant) {
      running.give(tenant, 1);
      pump();
    },
  };
}
