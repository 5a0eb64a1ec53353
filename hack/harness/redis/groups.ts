import { join } from 'node:path';
import { READY_TIMEOUT_MS, type RedisOptions, type RedisServer, startRedis, startServer } from './server.ts';

const MASTERS = 3;

/** Several servers with one address. */
export interface RedisGroup {
  readonly url: string;
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

/**
 * Starts a Cluster of three masters, each with a third of the slots. There are no replicas, or one of the first master, which
 * is the fourth server.
 */
export async function startRedisCluster(
  options: RedisOptions & { readonly firstHasReplica?: true } = {},
): Promise<RedisGroup> {
  const servers: RedisServer[] = [];
  const stop = stopAll(servers);
  const size = options.firstHasReplica === true ? 4 : 3;
  try {
    for (let n = 0; n < size; n += 1) {
      servers.push(
        await startServer(options, (port, folder) => ({
          args: [
            ...['--port', String(port), '--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
            ...['--cluster-config-file', join(folder, 'nodes.conf'), '--cluster-require-full-coverage', 'no'],
          ],
          url: `redis://127.0.0.1:${port}`,
        })),
      );
    }
    await formCluster(servers);
  } catch (error) {
    await stop();
    throw error;
  }
  const hosts = servers.map((server) => `127.0.0.1:${server.port}`);
  return { url: `redis+cluster://${hosts.join(',')}`, servers, stop };
}

/** Distributes the slots, connects the servers, and makes the fourth one, if it exists, a replica of the first. */
async function formCluster(servers: readonly RedisServer[]): Promise<void> {
  const [first, ...others] = servers;
  if (!first) throw new Error('A Cluster needs a server.');
  for (const [at, server] of servers.slice(0, MASTERS).entries()) {
    const from = Math.floor((at * 16384) / MASTERS);
    const to = Math.floor(((at + 1) * 16384) / MASTERS);
    // One by one, because ADDSLOTSRANGE needs Redis 7.
    const slots = Array.from({ length: to - from }, (_, slot) => String(from + slot));
    await server.cli('CLUSTER', 'ADDSLOTS', ...slots);
    await server.cli('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
  }
  for (const other of others) await first.cli('CLUSTER', 'MEET', '127.0.0.1', String(other.port));
  await until(() => isFormed(servers), 'The Redis Cluster did not form.');
  const replica = servers[MASTERS];
  if (!replica) return;
  await replica.cli('CLUSTER', 'REPLICATE', (await first.cli('CLUSTER', 'MYID')).trim());
  await until(
    async () => (await first.cli('INFO', 'replication')).includes('state=online'),
    'The replica in the Redis Cluster did not reach its master.',
  );
}

async function isFormed(servers: readonly RedisServer[]): Promise<boolean> {
  for (const server of servers) {
    const info = await server.cli('CLUSTER', 'INFO');
    if (!info.includes('cluster_state:ok') || !info.includes(`cluster_known_nodes:${servers.length}`)) return false;
    if (!info.includes('cluster_slots_ok:16384')) return false;
  }
  return true;
}

/** Starts a master, its replica, and a Sentinel that fails over after half a second. `servers` is in this order. */
export async function startRedisSentinel(options: RedisOptions = {}): Promise<RedisGroup> {
  const servers: RedisServer[] = [];
  const stop = stopAll(servers);
  try {
    const master = await startRedis(options);
    servers.push(master);
    const replica = await startRedis({
      ...options,
      args: [
        ...(options.args ?? []),
        '--replicaof',
        '127.0.0.1',
        String(master.port),
        '--repl-diskless-sync-delay',
        '0',
      ],
    });
    servers.push(replica);
    await until(
      async () => (await replica.cli('INFO', 'replication')).includes('master_link_status:up'),
      'The Redis replica did not reach its master.',
    );
    const sentinel = await startServer(options, (port, folder) => ({
      // A Sentinel rewrites its configuration, so it needs a file, which can be empty.
      args: [join(folder, 'sentinel.conf'), '--sentinel', '--port', String(port)],
      config: 'sentinel.conf',
      url: `redis+sentinel://127.0.0.1:${port}/main/0`,
    }));
    servers.push(sentinel);
    await sentinel.cli('SENTINEL', 'MONITOR', 'main', '127.0.0.1', String(master.port), '1');
    await sentinel.cli('SENTINEL', 'SET', 'main', 'down-after-milliseconds', '500', 'failover-timeout', '3000');
    await until(
      async () => (await sentinel.cli('SENTINEL', 'REPLICAS', 'main')).includes(String(replica.port)),
      'The Sentinel did not find the replica.',
    );
    return { url: sentinel.url, servers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function stopAll(servers: readonly RedisServer[]): () => Promise<void> {
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
}

async function until(condition: () => Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(failure);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
