/**
 * Starts real Redis servers on free loopback ports, for tests, benchmarks and local runs: a single one, with TLS, a Cluster of
 * three masters, or one with a Sentinel. None of them outlives this process.
 */
export { type RedisGroup, startRedisCluster, startRedisSentinel } from './redis/groups.ts';
export { findRedisServer } from './redis/program.ts';
export { type RedisOptions, type RedisServer, startRedis, startRedisTls } from './redis/server.ts';
