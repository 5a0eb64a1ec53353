import { setTimeout as delay } from 'node:timers/promises';
import lockfile from 'proper-lockfile';

/** A lock that was not renewed for this time belongs to a killed process. */
const STALE_MS = 5_000;

/**
 * Runs `work` while no other process runs under the same lock.
 * @param path an existing file or folder that names the lock; the lock itself is the folder `<path>.lock`
 * @param waiting called once if another process has the lock
 */
export async function withFileLock<T>(path: string, waiting: () => void, work: () => Promise<T>): Promise<T> {
  let release = await tryLock(path);
  if (release === undefined) {
    waiting();
    release = await tryLockFor(path, Infinity);
  }
  try {
    return await work();
  } finally {
    await release?.();
  }
}

/**
 * Acquires the lock until the returned function is called. The lock of a killed process is free after five seconds.
 * @returns undefined if another process has the lock
 */
export async function tryLock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lockfile.lock(path, {
      stale: STALE_MS,
      // The default throws from a timer. A laptop that sleeps for five seconds loses the lock, which alone does no harm.
      onCompromised: () => undefined,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw error;
  }
}

/** Like {@link tryLock}, with retries for `ms` milliseconds: the lock of a killed process becomes free in five seconds. */
export async function tryLockFor(path: string, ms: number): Promise<(() => Promise<void>) | undefined> {
  const deadline = performance.now() + ms;
  for (;;) {
    const release = await tryLock(path);
    if (release || performance.now() > deadline) return release;
    await delay(250);
  }
}
