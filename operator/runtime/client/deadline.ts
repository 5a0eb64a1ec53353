/**
 * Does work that ends early when a time is over or another signal is aborted. Both are let go when the work has ended: the
 * timer of `AbortSignal.timeout` would remain until it fires, with an error that it creates for nobody.
 * @param work receives a signal. After the time, its reason is a TimeoutError; otherwise, it is that of the other signal
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal?.reason);
  };
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The time is over.', 'TimeoutError'));
  }, ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
