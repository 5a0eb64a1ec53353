import type { Redis } from 'ioredis';

/**
 * Lets the commands of calls that run in one round of the event loop leave in one write, which takes Redis one read. A write takes
 * several times as long as all else that a command needs.
 * @returns a function to call before such a command
 */
export function writingTogether(client: Redis): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting || client.status !== 'ready') return;
    isWaiting = true;
    // The client may have reconnected by then, so the function releases the connection that it has held.
    const { stream } = client;
    stream.cork();
    setImmediate(() => {
      isWaiting = false;
      stream.uncork();
    });
  };
}
