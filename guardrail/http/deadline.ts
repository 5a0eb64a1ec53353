import type { CallContext } from './context.ts';
import { busy } from './errors.ts';

/** Longer than any call should take, and shorter than erasures are remembered. */
export const CALL_TIMEOUT_MS = 25_000;

/**
 * Runs the work of a call under a signal that is aborted when the client has gone or the time is up.
 * @throws ServiceError 429 when the time is up, whether or not the work has heeded the signal.
 */
export async function underDeadline<T>(
  context: CallContext,
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(busy('timeout', 'The guardrail took too long to check this call: try again.', timeoutMs));
      abort();
    }, timeoutMs);
  });
  context.res.once('close', abort);
  // It may have gone while the call waited for its turn: then the event is over.
  if (context.res.destroyed) abort();
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    context.res.off('close', abort);
  }
}
