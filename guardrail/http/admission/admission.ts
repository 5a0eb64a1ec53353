import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from '../../ids.ts';
import type { CallContext, CallMiddleware } from '../context.ts';
import { draining as drainingError } from '../errors.ts';
import { createPlaces, type PlaceOptions } from './places.ts';
import { createTurns, type TurnOptions } from './turns.ts';

export type AdmissionOptions = TurnOptions & PlaceOptions;

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
   * @param atMostMs the longest wait, also where calls go on coming
   */
  windDown(quietMs: number, atMostMs: number): Promise<void>;
  /** From now on everything new is refused. Resolves when what was admitted is done. */
  drain(): Promise<void>;
  /** Whether the process is on its way out. */
  readonly draining: boolean;
}

const LOOK_MS = 50;

export function createAdmission(options: AdmissionOptions): Admission {
  const turns = createTurns(options);
  const places = createPlaces({ ...options, expectedWaitMs: () => turns.expectedWaitMs() });
  let admitted = 0;
  let windingDown = false;
  let draining = false;
  let lastCall = 0;
  let onIdle: (() => void) | undefined;

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
      const tenant = tenantOf(context);
      const declared = Number(context.get('content-length')) || 0;
      turns.check(tenant, declared);
      const place = places.take(tenant, declared);
      admitted += 1;
      try {
        context.state.reading = place;
        await next();
      } finally {
        place.giveBack();
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
