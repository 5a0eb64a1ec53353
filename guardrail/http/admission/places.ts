import type { Tenant } from '../../ids.ts';
import { createShares } from '../../fairness/fairness.ts';
import { busy, overloaded, ServiceError } from '../errors.ts';
import { createBodies } from './bodies.ts';

export interface PlaceOptions {
  /** Calls worked on at the same time. */
  readonly maxRunning: number;
  /** Calls that wait for their turn or are still being read; more are refused at once. */
  readonly maxWaiting: number;
  /** Bodies held at the same time, in bytes: what has been read of them, and what it inflates to. */
  readonly maxBytes: number;
  /** The largest body, in bytes: one of this size is let in beside any others, as long as there is room. */
  readonly maxBody?: number;
  /** Milliseconds of a clock that never goes back; for tests. */
  readonly now?: () => number;
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

/** The place of a call, and the bytes that it holds. */
export interface Place extends BodyReading {
  giveBack(): void;
}

export interface Places {
  /**
   * @param declared how many bytes the body is said to have; they are not held before they are read
   * @throws ServiceError 429 where there is no place for it
   */
  take(tenant: Tenant, declared: number): Place;
}

/** What the bodies in work have to tell each other. */
interface Holder {
  readonly heldBytes: () => number;
  readonly giveUp: () => void;
}

/** The places that there are for calls, and the bytes for their bodies. Where they run out, bodies that stalled are ended. */
export function createPlaces(options: PlaceOptions & { readonly expectedWaitMs: () => number }): Places {
  const { maxRunning, maxWaiting, maxBytes, maxBody = 0, expectedWaitMs, now = () => performance.now() } = options;
  const calls = createShares({ capacity: maxRunning + maxWaiting });
  const bytes = createShares({ capacity: maxBytes, guaranteed: maxBody });
  const bodies = createBodies<Holder>();

  /** Ends bodies that have stopped arriving, one by one, until there is room. @throws ServiceError 429 where there is none. */
  const makeRoom = (hasRoom: () => boolean, isOfUse: (holder: Holder) => boolean): void => {
    if (hasRoom()) return;
    for (const holder of bodies.stalled(now())) {
      if (!isOfUse(holder)) continue;
      holder.giveUp();
      if (hasRoom()) return;
    }
    throw overloaded(expectedWaitMs());
  };
  const anyone = (): boolean => true;
  const holdsBytes = ({ heldBytes }: Holder): boolean => heldBytes() > 0;

  const placeOf = (tenant: Tenant): Place => {
    const controller = new AbortController();
    let held = 0;
    let isGivenBack = false;
    const giveBack = (): void => {
      bodies.ended(holder);
      if (isGivenBack) return;
      isGivenBack = true;
      calls.give(tenant, 1);
      bytes.give(tenant, held);
    };
    const holder: Holder = {
      heldBytes: () => held,
      giveUp() {
        giveBack();
        controller.abort(stalled(expectedWaitMs()));
      },
    };
    bodies.began(holder, now());
    return {
      signal: controller.signal,
      hold(more) {
        // A body that was given up holds nothing any more; its reader hears of it by its signal.
        if (isGivenBack) return;
        bodies.arrived(holder, more, now());
        makeRoom(
          () => bytes.canTake(tenant, more),
          (other) => other !== holder && holdsBytes(other),
        );
        bytes.take(tenant, more);
        held += more;
      },
      done() {
        bodies.ended(holder);
      },
      giveBack,
    };
  };

  return {
    take(tenant, declared) {
      makeRoom(() => calls.canTake(tenant, 1), anyone);
      makeRoom(() => bytes.canTake(tenant, declared), holdsBytes);
      calls.take(tenant, 1);
      return placeOf(tenant);
    },
  };
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
