/** The bodies that are being read, and those among them that have stopped arriving. Pure: the clock is handed in. */

/** So many bytes, at least, in so many milliseconds: else a body is as good as one that never ends. A modem is faster. */
const PROGRESS_BYTES = 16 * 1024;
const STALLED_MS = 2000;

export interface Bodies<T> {
  began(body: T, now: number): void;
  arrived(body: T, bytes: number, now: number): void;
  /** It is whole, or given up. */
  ended(body: T): void;
  /** Those that have stopped arriving, the longest ago first. */
  stalled(now: number): Iterable<T>;
}

export function createBodies<T>(): Bodies<T> {
  /** When each body last made progress, the longest ago first. */
  const reading = new Map<T, { readonly since: number; bytes: number }>();
  return {
    began(body, now) {
      reading.set(body, { since: now, bytes: 0 });
    },
    arrived(body, bytes, now) {
      const progress = reading.get(body);
      if (!progress) return;
      progress.bytes += bytes;
      if (progress.bytes < PROGRESS_BYTES) return;
      reading.delete(body);
      reading.set(body, { since: now, bytes: 0 });
    },
    ended(body) {
      reading.delete(body);
    },
    *stalled(now) {
      for (const [body, { since }] of reading) {
        if (now - since < STALLED_MS) return;
        yield body;
      }
    },
  };
}
