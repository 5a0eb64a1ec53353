/**
 * Repeats a check until it no longer throws.
 * @param check throws as long as things are not as they should be
 * @param withinMs how long that may take: far longer than it ever does, since other work may share the machine
 * @throws what the check threw last
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
