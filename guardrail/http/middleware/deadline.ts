import type { CallContext } from './context.ts';
import { ServiceError } from './errors.ts';
import { TimeLimit } from '../../timeLimit.ts';

/** Time limit of a call. Must be shorter than the time for which the store remembers erasures. */
export const CALL_TIMEOUT_MS = 25_000;

/**
 * Runs the work of a call with a signal that is aborted when the client disconnects or the time limit is exceeded.
 * @throws ServiceError 429 if the time limit is exceeded, even if the work ignores the signal.
 */
export function withDeadline<T>(
  { res }: Pick<CallContext, 'res'>,
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<T> {
  const follow: Follow = (abort) => {
    res.on('close', abort);
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

/** One timer for each limit in use, which are those of the gateways. */
const limits = new Map<number, TimeLimit>();

function limitOf(timeoutMs: number): TimeLimit {
  const known = limits.get(timeoutMs) ?? new TimeLimit(timeoutMs);
  limits.set(timeoutMs, known);
  return known;
}

// Not Promise.race(), which makes four promises for each call.
function limited<T>(follow: Follow, work: (signal: AbortSignal) => Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    const limit = limitOf(timeoutMs);
    const expire = (): void => {
      unfollow();
      reject(new ServiceError('timeout', { waitMs: timeoutMs }));
      abort();
    };
    const running = limit.enter(expire);
    const unfollow = follow(abort);
    const run = async (): Promise<T> => {
      try {
        return await work(controller.signal);
      } finally {
        limit.leave(running);
        unfollow();
      }
    };
    run().then(resolve, reject);
  });
}
