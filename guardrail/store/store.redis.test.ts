import { startRedis, startRedisCluster, startRedisSentinel, startRedisTls } from '../../hack/harness/redis.ts';
import { createMemoryStore } from './store.ts';
import { describeMappingStore } from './testing/contractTests.ts';
import { DAY, redisImplementation } from './testing/storeTestbed.ts';

describeMappingStore({
  name: 'memory',
  open: (options) => Promise.resolve(createMemoryStore({ ttlMs: DAY, ...options })),
});
describeMappingStore(redisImplementation('Redis', () => startRedis({ password: 'top-secret' })));
describeMappingStore(redisImplementation('Redis with TLS', startRedisTls));
describeMappingStore(redisImplementation('Redis Cluster', startRedisCluster));
describeMappingStore(redisImplementation('Redis behind Sentinel', startRedisSentinel));
