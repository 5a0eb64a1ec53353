/**
 * Measures the cost of the built-in detector until its first answer, in a process with no other modules. Prints one line of
 * JSON. Started by `hack/bench/detection.ts`.
 */
export interface DetectorStart {
  /** The thread's processor time for loading the modules, in milliseconds. */
  readonly loadMs: number;
  /** The thread's processor time until the first answer, in milliseconds. */
  readonly readyMs: number;
  /** The growth of memory in bytes at the first answer, including the modules. */
  readonly bytes: number;
  /** The same after a collection: what the detector keeps. */
  readonly keptBytes: number;
}

function clock(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

globalThis.gc?.();
const bytes = process.memoryUsage.rss();
const begun = clock();
const { createBuiltinDetector } = await import('../../guardrail/detection/builtinDetector.ts');
const loaded = clock();
const text = 'Hello, I am Anna Schmidt. Call +49 30 23125 437 or write to anna@example.org.';
await createBuiltinDetector().detect([text], { signal: new AbortController().signal });
const answered = clock();
const atAnswer = process.memoryUsage.rss();
globalThis.gc?.();
const start: DetectorStart = {
  loadMs: loaded - begun,
  readyMs: answered - begun,
  bytes: atAnswer - bytes,
  keptBytes: process.memoryUsage.rss() - bytes,
};
process.stdout.write(`${JSON.stringify(start)}\n`);
