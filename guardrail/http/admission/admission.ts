import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from '../../ids.ts';
import { createShares } from '../../sharing/sharing.ts';
import type { CallContext, CallMiddleware } from '../context.ts';
import { busy, draining as drainingError, overloaded, ServiceError } from '../errors.ts';
import { createBodies } from './bodies.ts';
import { createTurns, type TurnOptions } from './turns.ts';

export interface AdmissionOptions extends TurnOptions {
  /** Calls that wait for their turn or are still being read; more are refused at once. */
  readonly maxWaiting: number;
  /** Bodies held at the same time, in bytes: what has been read of them, and what it inflates to. */
  readonly maxBytes: number;
  /** The largest body, in bytes: one of this size is let in beside any others, as long as there is room. */
  readonly maxBody?: number;
}

/**
 * Bounds what the process takes on, so that overload is a quick 429 rather than a queue without end; and counts it, so
 * that a drain knows when all is done. Tenants share each bound: none of them keeps another one out.
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

/** What reading a body has to do with admission. */
export interface BodyReading {
  /** Counts what was read. @throws ServiceError 429 where that is more than the tenant, or all of them, may hold. */
  hold(bytes: number): void;
  /** Aborted, with a ServiceError, where the body has stopped arriving and another call needs its place. */
  readonly signal: AbortSignal;
  /** The body is whole. */
  done(): void;
}

/** What a call holds. */
interface Place {
  readonly tenant: Tenant;
  readonly controller: AbortController;
  bytes: number;
  isGivenBack: boolean;
}

const LOOK_MS = 50;

export function createAdmission(options: AdmissionOptions): Admission {
  const { maxRunning, maxWaiting, maxBytes, maxBody = 0, now = () => performance.now() } = options;
  const calls = createShares({ capacity: maxRunning + maxWaiting });
  const bytes = createShares({ capacity: maxBytes, guaranteed: maxBody });
  const bodies = createBodies<Place>();
  const turns = createTurns(options);
  let admitted = 0;
  let windingDown = false;
  let draining = false;
  let lastCall = 0;
  let onIdle: (() => void) | undefined;

  const giveBack = (place: Place): void => {
    bodies.ended(place);
    if (place.isGivenBack) return;
    place.isGivenBack = true;
    calls.give(place.tenant, 1);
    bytes.give(place.tenant, place.bytes);
  };

  /** Ends bodies that have stopped arriving, one by one, until there is room. @returns whether there is. */
  const makeRoom = (hasRoom: () => boolean, isOfUse: (place: Place) => boolean): boolean => {
    if (hasRoom()) return true;
    for (const place of bodies.stalled(now())) {
      if (!isOfUse(place)) continue;
      giveBack(place);
      place.controller.abort(stalled(turns.expectedWaitMs()));
      if (hasRoom()) return true;
    }
    return false;
  };

  const enter = (tenant: Tenant, declared: number): Place => {
    turns.check(tenant, declared);
    const isFree =
      makeRoom(
        () => calls.canTake(tenant, 1),
        () => true,
      ) && makeRoom(() => bytes.canTake(tenant, declared), holdsBytes);
    if (!isFree) throw overloaded(turns.expectedWaitMs());
    calls.take(tenant, 1);
    const place: Place = { tenant, controller: new AbortController(), bytes: 0, isGivenBack: false };
    bodies.began(place, now());
    return place;
  };

  const hold = (place: Place, more: number): void => {
    // A body that was given up holds nothing any more; its reader hears of it by its signal.
    if (place.isGivenBack) return;
    bodies.arrived(place, more, now());
    const isFree = makeRoom(
      () => bytes.canTake(place.tenant, more),
      (other) => other !== place && holdsBytes(other),
    );
    if (!isFree) throw overloaded(turns.expectedWaitMs());
    bytes.take(place.tenant, more);
    place.bytes += more;
  };

  const readingOf = (place: Place): BodyReading => ({
    hold: (more) => {
      hold(place, more);
    },
    signal: place.controller.signal,
    done: () => {
      bodies.ended(place);
    },
  });

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
      const place = enter(tenantOf(context), Number(context.get('content-length')) || 0);
      admitted += 1;
      try {
        context.state.reading = readingOf(place);
        await next();
      } finally {
        giveBack(place);
        admitted -= 1;
        if (admitted === 0) onIdle?.();
      }
    },

    async takeTurn(context, next) {
      const tenant = tenantOf(context);
      turns.noticed();
      await turns.begin(tenant, context.state.bodyBytes ?? 0);
      try {
        await next();
      } finally {
        turns.end(tenant);
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

function tenantOf({ state }: CallContext): Tenant {
  if (state.tenant === undefined) throw new Error('Admission is mounted without authentication.');
  return state.tenant;
}

function holdsBytes({ bytes }: Place): boolean {
  return bytes > 0;
}

/** The rest of the body is not waited for: the connection ends with the answer. */
function stalled(waitMs: number): Error {
  const { status, code, message, headers } = busy(
    'slow_body',
    'The body arrives too slowly while other calls wait: send it again.',
    waitMs,
  );
  return new ServiceError(status, code, message, { ...headers, connection: 'close' });
}
