/** When the server could begin to write a message: values that are erased since then stay erased. */
import { ProxyError } from '../proxy/proxy.ts';
import type { Fence } from '../store/store.ts';

export interface Moment {
  readonly fence: Fence;
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
}

/** How long a store knows of an erasure. */
export const MAX_CALL_MS = 600_000;

export function momentOf({ fence }: { readonly fence: () => Fence }): Moment {
  return { fence: fence(), at: performance.now() };
}

/**
 * The fence of a message.
 * @throws ProxyError 504 if an erasure since its moment may be forgotten
 */
export function fenceOf({ fence, at }: Moment, now: number): Fence {
  if (now - at > MAX_CALL_MS) throw new ProxyError('call_too_long');
  return fence;
}

/** Tells when the events of a stream arrived. */
export class Arrivals {
  readonly #now: () => Moment;
  /** When the first byte of the event that is not complete arrived. */
  #first: Moment | undefined;
  /** Bytes of that event. */
  #waiting = 0;

  constructor(now: () => Moment) {
    this.#now = now;
  }

  /**
   * @param length of a part of the stream that arrives now, in bytes
   * @param events those that the part completes
   * @returns when the first byte of the first of them arrived
   */
  add(length: number, events: readonly { readonly raw: string }[]): Moment {
    const now = this.#now();
    const moment = this.#waiting === 0 ? now : (this.#first ?? now);
    this.#waiting += length - events.reduce((sum, { raw }) => sum + Buffer.byteLength(raw), 0);
    this.#first = events.length > 0 ? now : moment;
    return moment;
  }
}
