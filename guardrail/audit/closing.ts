import { setTimeout as sleep } from 'node:timers/promises';

/** How long waiting events may take at the end, in milliseconds. The process must end within the time of Kubernetes. */
const CLOSE_MS = 1000;

/** Waits for work that ends the audit stream, but not for long. */
export async function waitBriefly(work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = sleep(CLOSE_MS, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
