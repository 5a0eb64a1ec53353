import type { Tenant } from '../../ids.ts';
import { createShares } from '../../fairness/fairness.ts';
import { createLine } from './line.ts';

/** Work that starts in one round of the event loop, in milliseconds, before sockets and timers are looked at again. */
const ROUND_MS = 10;
/** Calls of those who wait that may start in one round. */
const MOST_STARTS = 32;
/** After so many rounds in which nobody came, those who were at the door are in: a connection takes one, its call the next. */
const QUIET_ROUNDS = 2;

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
  const start = (tenant: Tenant): void => {
    running.take(tenant, 1);
  };
  const line = createLine({ maxWaitMs, now });
  let roundStart: number | undefined;
  let isPumping = false;
  /** Whether those at the door have been let in since the last round that was spent. */
  let isSettled = true;
  let arrivals = 0;

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
    if (isPumping || !isSettled || roundStart !== undefined || !line.hasNext(mayRun)) return;
    isPumping = true;
    let began: number | undefined;
    const startOne = (): void => {
      if (!line.hasNext(mayRun)) return;
      began ??= now();
      if (now() - began > ROUND_MS) return;
      line.startNext(mayRun, start);
    };
    // What a call does before it first waits, it does between two of these, which all belong to one round.
    for (let n = Math.min(line.size, MOST_STARTS); n > 0; n -= 1) setImmediate(startOne);
    setImmediate(() => {
      isPumping = false;
      closeRound(began ?? now());
    });
  };

  return {
    noticed() {
      arrivals += 1;
    },
    expectedWaitMs: () => line.expectedWaitMs(),
    check: (tenant, bytes) => {
      line.check(tenant, bytes);
    },
    async begin(tenant, bytes) {
      if (hasRoom(tenant)) {
        start(tenant);
        return;
      }
      line.check(tenant, bytes);
      const turn = line.wait(tenant, bytes);
      pump();
      await turn;
    },
    end(tenant) {
      running.give(tenant, 1);
      pump();
    },
  };
}
