import { setTimeout as delay } from 'node:timers/promises';
import lockfile from 'proper-lockfile';

/** A holder that was killed is recognised by a lock that has not been renewed for this long. */
const STALE_MS = 5_000;

/**
 * Runs `work` while no other process runs under the same lock.
 * @param path an existing file or folder that names the lock; the lock itself is the folder `<path>.lock`
 * @param waiting called once if the lock is held by another process
 */
export async function withFileLock<T>(path: string, waiting: () => void, work: () => Promise<T>): Promise<T> {
  let told = false;
  for (;;) {
    const release = await tryLock(path);
    if (release) {
      try {
        return await work();
      } finally {
        await release();
      }
    }
    if (!told) waiting();
    told = true;
    await delay(500);
  }
}

/**
 * Takes the lock until the returned function is called. A lock whose holder was killed is free after five seconds.
 * @returns undefined when another process holds it
 */
export async function tryLock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lockfile.lock(path, {
      stale: STALE_MS,
      // Default: throw from a timer. A laptop that slept through five seconds loses the lock, and that alone harms nothing.
      onCompromised: () => undefined,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw error;
  }
}

/** As {@link tryLock}, trying again for so long: time for a killed holder's lock to become free. */
export async function tryLockFor(path: string, ms: number): Promise<(() => Promise<void>) | undefined> {
  const deadline = performance.now() + ms;
  for (;;) {
    const release = await tryLock(path);
    if (release || performance.now() > deadline) return release;
    await delay(250);
  }
}
