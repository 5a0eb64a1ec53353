import type { CallContext } from './context.ts';

/** Longer than any call should take, and shorter than erasures are remembered. */
export const CALL_TIMEOUT_MS = 25_000;

/** Runs the work of a call under a signal that is aborted when the client has gone or the time is up. */
export async function underDeadline<T>(context: CallContext, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  const timer = setTimeout(abort, CALL_TIMEOUT_MS);
  context.res.once('close', abort);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    context.res.off('close', abort);
  }
}
