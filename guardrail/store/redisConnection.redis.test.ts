import { expect } from 'chai';
import { startRedis, type RedisServer } from '../../hack/testing/redis.ts';
import { parseRedisAddress } from './redisAddress.ts';
import { connectRedis } from './redisConnection.ts';

describe('the link to Redis', () => {
  let redis: RedisServer;
  before(async function () {
    this.timeout(60_000);
    redis = await startRedis();
  });
  after(() => redis.stop());

  async function answers(check: () => Promise<unknown>): Promise<void> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      try {
        await check();
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  it('comes back after its client has given up for good, and no more once it is closed', async () => {
    const link = connectRedis(parseRedisAddress(redis.url), 1000);
    await answers(() => link.beat());
    const [client] = link.masters();
    const ended = new Promise((resolve) => client?.once('end', resolve));
    // As it ends where a fail-over is announced at a bad moment.
    client?.disconnect();
    await ended;
    await answers(() => link.beat());
    await link.close();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(client?.status).to.equal('end');
  });
});
