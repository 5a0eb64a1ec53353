import type { HttpScope } from './context.ts';
import { ServiceError } from './errors.ts';

/** Time limit of a call. Must be shorter than the time for which the store remembers erasures. */
export const CALL_TIMEOUT_MS = 25_000;

/**
 * Runs the work of a call with a signal that is aborted when the client disconnects or the time limit is exceeded.
 * @throws ServiceError 429 if the time limit is exceeded, even if the work ignores the signal.
 */
export function withDeadline<T>(
  { res }: Pick<HttpScope, 'res'>,
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<T> {
  const follow: Follow = (abort) => {
    res.once('close', abort);
    // The client may have disconnected before this function was called: then there is no event.
    if (res.destroyed) abort();
    return () => res.off('close', abort);
  };
  return limited(follow, work, timeoutMs);
}

/**
 * Runs work with a signal that is aborted with `client`, or when the time limit is exceeded.
 * @throws ServiceError 429 if the time limit is exceeded, even if the work ignores the signal.
 */
export function withTimeLimit<T>(
  client: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<T> {
  const follow: Follow = (abort) => {
    client.addEventListener('abort', abort, { once: true });
    if (client.aborted) abort();
    return () => {
      client.removeEventListener('abort', abort);
    };
  };
  return limited(follow, work, timeoutMs);
}

/** Calls `abort` when the client is gone. @returns a function that ends this */
type Follow = (abort: () => void) => () => unknown;

async function limited<T>(follow: Follow, work: (signal: AbortSignal) => Promise<T>, timeoutMs: number): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ServiceError('timeout', { waitMs: timeoutMs }));
      abort();
    }, timeoutMs);
  });
  const unfollow = follow(abort);
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    unfollow();
  }
}
