/**
 * Repeats a check until it no longer throws.
 * @param check throws while its expectation is not met
 * @param withinMs the timeout; generous, because other work may share the machine
 * @throws the last error of the check
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 30_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }
}
