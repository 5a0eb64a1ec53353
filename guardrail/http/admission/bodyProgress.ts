/** A body that sends less than this, in bytes, within this time, in milliseconds, is stalled. A modem is faster. */
const PROGRESS_BYTES = 16 * 1024;
const STALLED_MS = 2000;

/** Tracks the bodies that are being read, and finds the stalled ones. Pure: callers pass the time. */
export class BodyProgress<T> {
  /** When each body last made progress, the longest ago first. */
  readonly #reading = new Map<T, { readonly since: number; bytes: number }>();

  start(body: T, now: number): void {
    this.#reading.set(body, { since: now, bytes: 0 });
  }

  advance(body: T, bytes: number, now: number): void {
    const progress = this.#reading.get(body);
    if (!progress) return;
    progress.bytes += bytes;
    if (progress.bytes < PROGRESS_BYTES) return;
    this.#reading.delete(body);
    this.start(body, now);
  }

  /** Stops tracking a body that is complete or was aborted. */
  end(body: T): void {
    this.#reading.delete(body);
  }

  /** The stalled bodies, the longest stalled first. */
  *stalled(now: number): Iterable<T> {
    for (const [body, { since }] of this.#reading) {
      if (now - since < STALLED_MS) return;
      yield body;
    }
  }
}
