/**
 * The pause between two checks, in milliseconds. It grows with the time that has passed, because most checks are calls of the API
 * server, and many tests wait at the same time.
 */
const PAUSE_MS = { shortest: 15, longest: 60, ofPassed: 0.1 };

/**
 * Repeats a check until it no longer throws.
 * @param check throws while its expectation is not met
 * @param withinMs the timeout; generous, because other work may share the machine
 * @throws the last error of the check
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 30_000): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const passed = performance.now() - began;
      if (passed >= withinMs) throw error;
      const pause = Math.min(PAUSE_MS.longest, Math.max(PAUSE_MS.shortest, PAUSE_MS.ofPassed * passed));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
