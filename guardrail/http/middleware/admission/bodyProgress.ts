import { LinkedList, type Link } from '../../../linkedList.ts';

/** A body that sends less than this, in bytes, within this time, in milliseconds, is stalled. A modem is faster. */
const PROGRESS_BYTES = 16 * 1024;
const STALLED_MS = 2000;

interface Progress<T> {
  readonly body: T;
  since: number;
  bytes: number;
}

/** A body that is being read. */
export type Reading<T> = Link<Progress<T>>;

/** Tracks the bodies that are being read, and finds the stalled ones. Pure: callers pass the time. */
export class BodyProgress<T> {
  /** When each body last made progress, the longest ago first. */
  readonly #reading = new LinkedList<Progress<T>>();

  start(body: T, now: number): Reading<T> {
    return this.#reading.add({ body, since: now, bytes: 0 });
  }

  advance(reading: Reading<T>, bytes: number, now: number): void {
    const progress = reading.value;
    progress.bytes += bytes;
    if (progress.bytes < PROGRESS_BYTES) return;
    progress.since = now;
    progress.bytes = 0;
    this.#reading.moveToEnd(reading);
  }

  /** Stops tracking a body that is complete or was aborted. Idempotent. */
  end(reading: Reading<T>): void {
    this.#reading.remove(reading);
  }

  /** The stalled bodies, the longest stalled first. */
  *stalled(now: number): Iterable<T> {
    for (const { body, since } of this.#reading.values()) {
      if (now - since < STALLED_MS) return;
      yield body;
    }
  }
}
