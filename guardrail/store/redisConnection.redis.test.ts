import { expect } from 'chai';
import { startRedis, type RedisServer } from '../../hack/harness/redis.ts';
import { parseRedisAddress } from './redisAddress.ts';
import { RedisConnection } from './redisConnection.ts';

describe('the connection to Redis', () => {
  let redis: RedisServer;
  before(async function () {
    this.timeout(60_000);
    redis = await startRedis();
  });
  after(() => redis.stop());

  async function eventually(check: () => Promise<unknown>): Promise<void> {
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

  it('reconnects after its client has ended, but not after it is closed', async () => {
    const connection = new RedisConnection(parseRedisAddress(redis.url), 1000);
    await eventually(() => connection.pollTime());
    const [client] = connection.masters();
    const ended = new Promise((resolve) => client?.once('end', resolve));
    // ioredis ends its client in the same way when a failover is announced during a connection attempt.
    client?.disconnect();
    await ended;
    await eventually(() => connection.pollTime());
    connection.close();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(client?.status).to.equal('end');
  });

  it('runs a script again after Redis has lost its scripts', async () => {
    const connection = new RedisConnection(parseRedisAddress(redis.url), 1000);
    const describeSession = () => connection.run('describeSession', ['guardrail:{none}:session:none'], []);
    await eventually(describeSession);
    await redis.cli('SCRIPT', 'FLUSH');
    expect((await describeSession()).map(Number)).to.deep.equal([0, -2]);
    connection.close();
  });
});
