import { Cluster, Redis, type CommonRedisOptions } from 'ioredis';
import type { ConnectionOptions } from 'node:tls';
import type { RedisAddress } from './redisAddress.ts';

const CONNECT_TIMEOUT_MS = 1000;
const RECONNECT_MS = 200;

/** An ioredis client that reports errors only through its commands and reconnects until it is closed. */
export interface RedisClient {
  readonly client: Redis | Cluster;
  close(): void;
}

export function openRedisClient(address: RedisAddress, timeoutMs: number): RedisClient {
  const client = createClient(address, timeoutMs);
  let isClosed = false;
  // Without a listener, an 'error' event ends the process.
  client.on('error', () => undefined);
  if (client instanceof Cluster) client.on('node error', () => undefined);
  // If Sentinel announces a failover during a connection attempt, ioredis ends the client despite its retry strategy.
  client.on('end', () => {
    if (isClosed) return;
    setTimeout(() => {
      if (!isClosed) client.connect().catch(() => undefined);
    }, RECONNECT_MS).unref();
  });
  return {
    client,
    close() {
      isClosed = true;
      client.disconnect();
    },
  };
}

type CommonOptions = CommonRedisOptions & { tls?: ConnectionOptions; replyMapping: 'legacy' };

function createClient(address: RedisAddress, timeoutMs: number): Redis | Cluster {
  const common: CommonOptions = {
    replyMapping: 'legacy',
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    db: address.db,
    connectionName: 'guardrail',
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Limits the commands that ioredis sends itself on a new connection. The commands of the store end earlier.
    commandTimeout: timeoutMs + 250,
    // Commands fail immediately while the client is disconnected: callers have their own retries.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    reconnectOnError: (error) => /^(READONLY|LOADING|MASTERDOWN)/.test(error.message),
    ...(address.tls ? { tls: address.tls } : {}),
  };
  switch (address.topology) {
    case 'cluster':
      return createClusterClient(address, common, timeoutMs);
    case 'sentinel':
      return new Redis({
        ...common,
        enableOfflineQueue: false,
        retryStrategy: retryDelay,
        sentinels: [...address.hosts],
        name: address.master,
        sentinelPassword: address.sentinelPassword,
        sentinelRetryStrategy: retryDelay,
        sentinelCommandTimeout: timeoutMs,
        failoverDetector: true,
        ...(address.tls ? { enableTLSForSentinelMode: true, sentinelTLS: address.tls } : {}),
      });
    case 'standalone':
      return new Redis({ ...common, ...address.hosts[0], enableOfflineQueue: false, retryStrategy: retryDelay });
  }
}

function createClusterClient(address: RedisAddress, redisOptions: CommonOptions, timeoutMs: number): Cluster {
  return new Cluster([...address.hosts], {
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelay,
    clusterNodeRetryStrategy: retryDelay,
    slotsRefreshTimeout: timeoutMs,
    slotsRefreshInterval: 2000,
    retryDelayOnFailover: 50,
    retryDelayOnClusterDown: 100,
    redisOptions,
    // With TLS, a node is identified by the name in its certificate, not by its address.
    ...(address.tls
      ? {
          dnsLookup: (host: string, done: (error: null, address: string) => void) => {
            done(null, host);
          },
        }
      : {}),
  });
}

function retryDelay(attempt: number): number {
  return Math.min(25 * 2 ** Math.min(attempt, 10), 500) + Math.random() * 50;
}
