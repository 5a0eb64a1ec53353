import { startRedis, type RedisServer } from '../../hack/harness/redis.ts';

/**
 * Starts a Redis server for the tests of a `describe`, and stops it after them:
 *
 *     const redis = withRedis();
 *     it('…', () => startReady(redis().url));
 */
export function withRedis(): () => RedisServer {
  let server: RedisServer | undefined;
  before(async function () {
    this.timeout(60_000);
    server = await startRedis();
  });
  after(async () => {
    await server?.stop();
  });
  return () => {
    if (!server) throw new Error('Redis is available only inside tests and hooks, not during their declaration.');
    return server;
  };
}
