/** The mapping store: its contract and its implementations, in memory and in Redis. */
export * from './contract.ts';
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memoryStore.ts';
export { createRedisStore, type RedisStoreOptions } from './redisStore.ts';
export { parseRedisAddress, REDIS_ADDRESS_FORMS, type RedisAddress } from './redisAddress.ts';
export type { KeyRing, UnreadableValueError } from './cipher.ts';
