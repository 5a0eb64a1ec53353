/**
 * What a program pays for the built-in detector before its first answer: for itself, in a process where nothing else is
 * loaded. Prints one line of JSON; `hack/bench/detection.ts` starts it.
 */
export interface DetectorStart {
  /** Milliseconds of processor time of the thread, to load the modules. */
  readonly loadMs: number;
  /** The same, to the first answer. */
  readonly readyMs: number;
  /** Bytes more in memory than before, modules included. */
  readonly bytes: number;
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
const start: DetectorStart = {
  loadMs: loaded - begun,
  readyMs: answered - begun,
  bytes: process.memoryUsage.rss() - bytes,
};
process.stdout.write(`${JSON.stringify(start)}\n`);
