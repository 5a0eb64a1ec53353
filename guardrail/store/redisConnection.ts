import { Cluster, Redis, type CommonRedisOptions } from 'ioredis';
import type { ConnectionOptions } from 'node:tls';
import { StoreUnavailableError, type Fence } from './contract.ts';
import type { RedisAddress } from './redisAddress.ts';
import { RedisClock } from './redisClock.ts';
import type { Script } from './redisScripts.ts';

const BEAT_MS = 500;
const BEAT_WHEN_DOWN_MS = 200;
const CONNECT_TIMEOUT_MS = 1000;
const RECONNECT_MS = 200;
/** At first, connections are still being made: a master that does not answer by then is down. */
const FIRST_CONTACT_MS = 5000;
/** Of the time for a command, what replicas have to confirm it. */
const WAIT_SHARE = 0.8;

/** A connection to Redis that answers or fails within its time-out, and comes back by itself. */
export interface RedisLink {
  /**
   * Runs a script whose reply is `{stamp, …}`; one round trip, two where Redis does not have the script yet.
   * @returns the reply without the stamp.
   * @throws StoreUnavailableError within the time-out; at once while Redis is known to hang.
   */
  run(script: Script, keys: readonly string[], args: readonly (string | Buffer)[]): Promise<unknown[]>;
  /** See {@link RedisClock}. */
  fence(): Fence;
  /** Runs a script once more, and waits until a replica has all that it wrote. @throws StoreUnavailableError if none has in time. */
  confirm(script: Script, keys: readonly string[], args: readonly (string | Buffer)[]): Promise<void>;
  /** Asks every master for its time. @throws StoreUnavailableError where none tells it. */
  beat(): Promise<void>;
  /**
   * Whether commands are carried out.
   * @returns a sentence on what is down, where that is only a part.
   * @throws StoreUnavailableError where none are.
   */
  health(): Promise<string | undefined>;
  /** Each server that holds a part of the keys. */
  masters(): readonly Redis[];
  /** Bounds a command that is no script in the same way. @throws StoreUnavailableError */
  bounded<T>(command: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Client {
  readonly client: Redis | Cluster;
  close(): void;
}

export function connectRedis(address: RedisAddress, timeoutMs: number): RedisLink {
  const main = openClient(address, timeoutMs);
  const { client } = main;
  const clock = new RedisClock();
  /** Set while Redis takes commands and does not answer them: the next ones need not wait to find that out. */
  let hangs = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  if (client instanceof Redis) client.on('close', forgetTime);

  function forgetTime(): void {
    clock.keepOnly(new Set());
  }

  const masters = (): readonly Redis[] => (client instanceof Cluster ? client.nodes('master') : [client]);

  const onTimeout = (): void => {
    // A Cluster has other nodes, which answer.
    if (client instanceof Cluster || hangs) return;
    hangs = true;
    // The connection may be dead without either side's knowing.
    client.disconnect(true);
  };

  async function bounded<T>(command: Promise<T>, onLate = onTimeout): Promise<T> {
    let deadline: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      deadline = setTimeout(() => {
        // Where this process itself was busy, the reply may lie in the socket: it is read before this runs.
        setImmediate(() => {
          reject(new StoreUnavailableError(`Redis did not answer within ${timeoutMs} ms.`));
        });
      }, timeoutMs);
    });
    try {
      return await Promise.race([command, late]);
    } catch (error) {
      if (error instanceof StoreUnavailableError) onLate();
      throw asUnavailable(error);
    } finally {
      clearTimeout(deadline);
    }
  }

  async function evaluate(script: Script, keys: readonly string[], args: readonly (string | Buffer)[]) {
    const rest = [keys.length, ...keys, ...args];
    try {
      return await client.callBuffer('EVALSHA', script.sha, ...rest);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await client.callBuffer('EVAL', script.source, ...rest);
    }
  }

  /** What a script has replied, but for the time, which is taken note of: in a Cluster it is of one node of several. */
  function unstamped(reply: unknown): unknown[] {
    if (!Array.isArray(reply)) throw new StoreUnavailableError('Redis gave an answer that no script gives.');
    const [stamp, ...rest] = reply as unknown[];
    if (client instanceof Redis) clock.heard(nameOf(client), Number(String(stamp)));
    return rest;
  }

  /** Asks each master, and fails where not one of them answers as wanted. @returns how many do not. */
  async function ask(nodes: readonly Redis[], question: (node: Redis) => Promise<void>): Promise<number> {
    if (nodes.length === 0) throw new StoreUnavailableError('No node of the Redis Cluster can be reached.');
    const answers = await Promise.allSettled(nodes.map((node) => bounded(question(node))));
    const failed = answers.filter((answer) => answer.status === 'rejected');
    if (failed.length === nodes.length) throw asUnavailable(failed[0]?.reason);
    return failed.length;
  }

  const nameOf = (node: Redis): string => `${node.options.host ?? ''}:${node.options.port ?? ''}`;

  async function hear(node: Redis): Promise<void> {
    const [seconds, micros] = await node.time();
    clock.heard(nameOf(node), Number(seconds) * 1_000_000 + Number(micros));
  }

  async function beat(): Promise<void> {
    const nodes = masters();
    await ask(nodes, hear);
    // One that is silent still counts: its time goes on from where it was last heard, and it may come back.
    clock.keepOnly(new Set(nodes.map(nameOf)));
    hangs = false;
  }

  const opened = performance.now();
  let wasWhole = false;

  async function health(): Promise<string | undefined> {
    if (client instanceof Redis) {
      await beat();
      return undefined;
    }
    const nodes = masters();
    const down = await ask(nodes, async (node) => {
      const info = String(await node.call('CLUSTER', 'INFO'));
      // A Cluster that wants all slots covered answers for none while one is not.
      if (!info.includes('cluster_state:ok')) throw new StoreUnavailableError('The Redis Cluster is down.');
    });
    if (down === 0) {
      wasWhole = true;
      return undefined;
    }
    if (!wasWhole && performance.now() - opened < FIRST_CONTACT_MS) {
      throw new StoreUnavailableError('Not every master of the Redis Cluster has been reached yet.');
    }
    return `${down} of ${nodes.length} masters of the Redis Cluster cannot be used: calls for their part of the sessions fail.`;
  }

  /** Waiting for replicas holds up all that comes after it on a connection, so that is done on one of its own. */
  let aside: Client | undefined;

  function closeAside(): void {
    aside?.close();
    aside = undefined;
  }

  async function openAside(): Promise<Redis | Cluster> {
    aside ??= openClient(address, timeoutMs);
    const own = aside.client;
    if (own.status !== 'ready') await bounded(new Promise((resolve) => own.once('ready', resolve)), closeAside);
    return own;
  }

  async function confirm(script: Script, keys: readonly string[], args: readonly (string | Buffer)[]): Promise<void> {
    const commands = (await openAside()).pipeline();
    // Both on one connection, since Redis waits for what the same connection has written.
    commands.call('EVAL', script.source, keys.length, ...keys, ...args);
    commands.call('WAIT', 1, Math.ceil(timeoutMs * WAIT_SHARE));
    const [written, waited] = (await bounded(commands.exec(), closeAside)) ?? [];
    const error = written?.[0] ?? waited?.[0];
    if (error) throw asUnavailable(error);
    // A fence from now on must be later than what was just written.
    unstamped(written?.[1]);
    if (!(Number(waited?.[1]) >= 1)) {
      throw new StoreUnavailableError(
        'Redis has erased it, but no replica has confirmed that in time: erase it again.',
      );
    }
  }

  const schedule = (delay: number): void => {
    if (closed) return;
    timer = setTimeout(() => {
      beat().then(
        () => {
          schedule(BEAT_MS);
        },
        () => {
          schedule(BEAT_WHEN_DOWN_MS);
        },
      );
    }, delay);
    timer.unref();
  };
  client.on('ready', () => {
    clearTimeout(timer);
    schedule(0);
  });
  schedule(BEAT_WHEN_DOWN_MS);

  return {
    async run(script, keys, args) {
      if (hangs) throw new StoreUnavailableError('Redis does not answer.');
      return unstamped(await bounded(evaluate(script, keys, args)));
    },
    fence: () => clock.lowerBound(),
    confirm,
    beat,
    health,
    masters,
    bounded,
    close() {
      closed = true;
      clearTimeout(timer);
      closeAside();
      main.close();
      return Promise.resolve();
    },
  };
}

/** A client whose trouble shows in its commands alone, and that goes on trying for as long as it is not closed. */
function openClient(address: RedisAddress, timeoutMs: number): Client {
  const client = createClient(address, timeoutMs);
  let isClosed = false;
  // Without a listener an 'error' event would end the process.
  client.on('error', () => undefined);
  if (client instanceof Cluster) client.on('node error', () => undefined);
  // A fail-over that Sentinel announces while a connection is being made ends the client, whatever its retry strategy.
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

function createClient(address: RedisAddress, timeoutMs: number): Redis | Cluster {
  const common: CommonRedisOptions & { tls?: ConnectionOptions; replyMapping: 'legacy' } = {
    replyMapping: 'legacy',
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    db: address.db,
    connectionName: 'guardrail',
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Bounds what ioredis asks by itself on a new connection; what is asked here has ended before.
    commandTimeout: timeoutMs + 250,
    // Fail at once while not connected: the caller has its own way to wait and to try again.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    reconnectOnError: (error) => /^(READONLY|LOADING|MASTERDOWN)/.test(error.message),
    ...(address.tls ? { tls: address.tls } : {}),
  };
  const retry = (times: number): number => Math.min(25 * 2 ** Math.min(times, 10), 500) + Math.random() * 50;

  if (address.topology === 'cluster') {
    return new Cluster([...address.hosts], {
      enableOfflineQueue: false,
      clusterRetryStrategy: retry,
      clusterNodeRetryStrategy: retry,
      slotsRefreshTimeout: timeoutMs,
      slotsRefreshInterval: 2000,
      retryDelayOnFailover: 50,
      retryDelayOnClusterDown: 100,
      redisOptions: common,
      // With TLS a node is known by the name in its certificate, not by its address.
      ...(address.tls
        ? {
            dnsLookup: (host: string, done: (error: null, address: string) => void) => {
              done(null, host);
            },
          }
        : {}),
    });
  }
  if (address.topology === 'sentinel') {
    return new Redis({
      ...common,
      enableOfflineQueue: false,
      retryStrategy: retry,
      sentinels: [...address.hosts],
      name: address.master,
      sentinelPassword: address.sentinelPassword,
      sentinelRetryStrategy: retry,
      sentinelCommandTimeout: timeoutMs,
      failoverDetector: true,
      ...(address.tls ? { enableTLSForSentinelMode: true, sentinelTLS: address.tls } : {}),
    });
  }
  return new Redis({ ...common, ...address.hosts[0], enableOfflineQueue: false, retryStrategy: retry });
}

/** Errors of ioredis carry the command with its arguments; what is passed on is a sentence with the code alone. */
function asUnavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const message = error instanceof Error ? error.message : '';
  const code = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  if (code !== undefined) return new StoreUnavailableError(`Redis refused a command with ${code}.`);
  if (message === 'Command timed out') return new StoreUnavailableError('Redis did not answer in time.');
  return new StoreUnavailableError('Redis cannot be reached.');
}
