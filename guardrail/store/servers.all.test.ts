import { startRedis, startRedisCluster, startRedisSentinel } from '../../hack/harness/redis.ts';
import { findRedisVersion, REDIS_VERSIONS } from '../../hack/harness/redis/versions.ts';
import { describeMappingStore } from './testing/contractTests.ts';
import { describeReplicas } from './testing/replicaTests.ts';
import { redisImplementation } from './testing/storeTestbed.ts';

for (const version of REDIS_VERSIONS) {
  const on =
    <T>(start: (options: { program: string }) => Promise<T>) =>
    async (): Promise<T> =>
      start({ program: await findRedisVersion(version) });
  describeMappingStore(redisImplementation(version.name, on(startRedis)));
  describeMappingStore(redisImplementation(`${version.name}, Cluster`, on(startRedisCluster)));
  describeMappingStore(redisImplementation(`${version.name} behind Sentinel`, on(startRedisSentinel)));
  describeReplicas(version.name, () => findRedisVersion(version));
}
