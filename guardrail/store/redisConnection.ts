import { Cluster, Redis } from 'ioredis';
import { SLOT_CHARACTERS, StoreUnavailableError, type Fence } from './contract.ts';
import { inSpan, type SpanStart } from '../telemetry/telemetry.ts';
import type { RedisAddress } from './redisAddress.ts';
import { openRedisClient, type RedisClient } from './redisClient.ts';
import { RedisClock } from './redisClock.ts';
import { RedisRefusalError, toUnavailableError } from './redisErrors.ts';
import { slotOfKey } from './redisSlot.ts';
import { TimeLimit } from '../timeLimit.ts';
import { writingTogether } from './redisWrites.ts';
import { defineScripts, SCRIPTS, type ScriptClient, type ScriptName } from './redisScripts.ts';

const POLL_MS = 500;
const POLL_WHEN_DOWN_MS = 200;
/** After this time, a Cluster master that has not responded yet counts as down instead of connecting. */
const FIRST_CONTACT_MS = 5000;
/** How long a key is stored that only shows whether Redis accepts writes: nothing needs it. */
const PROBE_TTL_MS = 1;
/** The number of hash tags that are tried for a key on a certain server: each server of a Cluster has some of them. */
const PROBE_TAGS = 0x10000;
/** The part of the command timeout in which a replica must confirm a write. */
const WAIT_SHARE = 0.8;

type Arguments = readonly (string | Buffer)[];

/**
 * A connection to Redis whose commands succeed or fail within a timeout and which reconnects by itself.
 * All methods that send commands throw StoreUnavailableError.
 */
export class RedisConnection {
  readonly #address: RedisAddress;
  readonly #timeoutMs: number;
  readonly #limit: TimeLimit;
  readonly #main: RedisClient;
  readonly #scripts: ScriptClient;
  /** Call it before a command that can leave together with others. */
  readonly #writeSoon: () => void;
  readonly #spans: Readonly<Record<ScriptName, SpanStart>>;
  readonly #clock = new RedisClock();
  readonly #openedAt = performance.now();
  /**
   * True while Redis accepts commands but does not respond: the next commands fail without waiting for their timeout.
   */
  #isUnresponsive = false;
  /** Whether no master answered when it was asked last. */
  #isDown = false;
  #isClosed = false;
  /** Whether all masters of the Cluster have been healthy at the same time. */
  #wasHealthy = false;
  #pollTimer: NodeJS.Timeout | undefined;
  /** WAIT blocks its connection, so it uses a separate connection. */
  #blockingClient: RedisClient | undefined;

  constructor(address: RedisAddress, timeoutMs: number) {
    this.#address = address;
    this.#timeoutMs = timeoutMs;
    this.#limit = new TimeLimit(timeoutMs);
    this.#spans = scriptSpans(address);
    this.#main = openRedisClient(address, timeoutMs);
    const { client } = this.#main;
    this.#scripts = defineScripts(client);
    this.#writeSoon = client instanceof Redis ? writingTogether(client) : nothing;
    if (client instanceof Redis) {
      client.on('close', () => {
        this.#clock.keepOnly(new Set());
      });
    }
    client.on('ready', () => {
      this.#schedulePoll(0);
    });
    this.#schedulePoll(POLL_WHEN_DOWN_MS);
  }

  /**
   * Runs a script in one round trip, or two if Redis has lost its scripts. Fails immediately while Redis is
   * unresponsive.
   * @returns the reply without its first element, the time of the server.
   */
  run(script: ScriptName, keys: readonly string[], args: Arguments): Promise<unknown[]> {
    return inSpan(this.#spans[script], async () => {
      if (this.#isUnresponsive) throw new StoreUnavailableError('Redis does not respond.');
      this.#writeSoon();
      return this.#recordTime(await this.bounded(this.#scripts[script](keys.length, ...keys, ...args)));
    });
  }

  /** See {@link RedisClock}. */
  fence(): Fence {
    return this.#clock.lowerBound();
  }

  /** @throws StoreUnavailableError if no server has answered since the connection was lost, or answers now */
  assertReachable(): void {
    if (this.#isDown || this.#isUnresponsive || this.fence() === 0) {
      throw new StoreUnavailableError('Redis is unreachable.');
    }
  }

  /** Runs a script again and waits until a replica has everything that the script wrote. */
  async runReplicated(script: ScriptName, keys: readonly string[], args: Arguments): Promise<void> {
    const commands = (await this.#readyBlockingClient()).pipeline();
    // WAIT covers only writes of its own connection. Uses EVAL, because a pipeline cannot resend a missing script.
    commands.call('EVAL', SCRIPTS[script], keys.length, ...keys, ...args);
    commands.call('WAIT', 1, Math.ceil(this.#timeoutMs * WAIT_SHARE));
    const [written, waited] = (await this.bounded(commands.exec(), this.#closeBlockingClient)) ?? [];
    const error = written?.[0] ?? waited?.[0];
    if (error) throw toUnavailableError(error);
    // The next fence must be later than this write.
    this.#recordTime(written?.[1]);
    if (!(Number(waited?.[1]) >= 1)) {
      throw new StoreUnavailableError(
        'Redis erased the data, but no replica confirmed the erasure in time. Repeat the erasure.',
      );
    }
  }

  /** Reads the time of every master. Throws if no master responds. */
  async pollTime(): Promise<void> {
    const masters = this.masters();
    await this.#askAll(masters, async (master) => {
      const [seconds, micros] = await master.time();
      this.#clock.record(addressOf(master), Number(seconds) * 1_000_000 + Number(micros));
    });
    // A master that does not respond still counts: its time continues from its last response, and it can recover.
    this.#clock.keepOnly(new Set(masters.map(addressOf)));
    this.#isUnresponsive = false;
  }

  /**
   * Checks that Redis executes commands, and that it accepts writes.
   * @returns a sentence about the failed part, if only a part of a Cluster fails, or if only writes do.
   */
  async health(): Promise<string | undefined> {
    const isCluster = this.#main.client instanceof Cluster;
    // Without a time, a call for a session that was erased would fail.
    if (!isCluster || this.fence() === 0) await this.pollTime();
    const masters = this.masters();
    if (!isCluster) return this.#writeProblem(masters);
    const failed = await this.#askAll(masters, async (master) => {
      const info = String(await master.call('CLUSTER', 'INFO'));
      // With cluster-require-full-coverage, a Cluster serves no slot while one slot is uncovered.
      if (!info.includes('cluster_state:ok')) throw new StoreUnavailableError('The Redis Cluster is down.');
    });
    if (failed === 0) {
      this.#wasHealthy = true;
      return this.#writeProblem(masters);
    }
    if (!this.#wasHealthy && performance.now() - this.#openedAt < FIRST_CONTACT_MS) {
      throw new StoreUnavailableError('Not all masters of the Redis Cluster are connected yet.');
    }
    return `${failed} of ${masters.length} masters of the Redis Cluster are unavailable. Calls for their sessions fail.`;
  }

  /** @returns a sentence if a server refuses a write. @throws StoreUnavailableError if none answers */
  async #writeProblem(masters: readonly Redis[]): Promise<string | undefined> {
    const refusals = new Set<string>();
    await this.#askAll(masters, async (master) => {
      try {
        await this.bounded(master.set(this.#probeKeyOf(master), '', 'PX', PROBE_TTL_MS));
      } catch (error) {
        if (!(error instanceof RedisRefusalError)) throw error;
        refusals.add(error.code);
      }
    });
    if (refusals.size === 0) return undefined;
    const why = refusals.has('OOM') ? 'Redis is full, and refuses' : `Redis refuses (${[...refusals].join(', ')})`;
    return `${why} to store new mappings. Calls with new values fail; answers are restored.`;
  }

  /** A key on this server. */
  #probeKeyOf(master: Redis): string {
    const { client } = this.#main;
    const keyOf = (tag: number): string => `guardrail:{${tag.toString(16).padStart(SLOT_CHARACTERS, '0')}}:probe`;
    if (client instanceof Redis) return keyOf(0);
    let tag = 0;
    while (tag < PROBE_TAGS && client.slots[slotOfKey(keyOf(tag))]?.[0] !== addressOf(master)) tag += 1;
    return keyOf(tag);
  }

  /** Every server that stores a part of the keys. */
  masters(): readonly Redis[] {
    const { client } = this.#main;
    if (client instanceof Redis) return [client];
    // While ioredis connects, a command to one of its nodes makes the attempt fail.
    return client.status === 'ready' ? client.nodes('master') : [];
  }

  /** Applies the command timeout. */
  bounded<T>(command: Promise<T>, onTimeout = this.#onTimeout): Promise<T> {
    // Not Promise.race(), which makes four promises for each command.
    return new Promise((resolve, reject) => {
      let isDone = false;
      const end = (): void => {
        isDone = true;
        this.#limit.leave(call);
      };
      const fail = (error: unknown): void => {
        if (isDone) return;
        end();
        if (error instanceof StoreUnavailableError) onTimeout();
        reject(toUnavailableError(error));
      };
      const expire = (): void => {
        // If this process was busy, the reply may be in the socket already. It is read before setImmediate runs.
        setImmediate(fail, new StoreUnavailableError(`Redis did not respond within ${this.#timeoutMs} ms.`));
      };
      const call = this.#limit.enter(expire);
      command.then((reply) => {
        end();
        resolve(reply);
      }, fail);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    this.#closeBlockingClient();
    this.#main.close();
  }

  readonly #onTimeout = (): void => {
    const { client } = this.#main;
    // The other nodes of a Cluster still respond.
    if (client instanceof Cluster || this.#isUnresponsive) return;
    this.#isUnresponsive = true;
    // A dead connection can look open to both sides.
    client.disconnect(true);
  };

  /** Records the time at the start of a script's reply. In a Cluster, the replying node is unknown. */
  #recordTime(reply: unknown): unknown[] {
    if (!Array.isArray(reply)) throw new StoreUnavailableError('Redis returned an unexpected reply to a script.');
    const [time, ...rest] = reply as unknown[];
    const { client } = this.#main;
    if (client instanceof Redis) this.#clock.record(addressOf(client), Number(String(time)));
    return rest;
  }

  /** Asks every master. @returns the number of masters that fail; throws if all fail. */
  async #askAll(masters: readonly Redis[], ask: (master: Redis) => Promise<void>): Promise<number> {
    if (masters.length === 0) throw new StoreUnavailableError('All nodes of the Redis Cluster are unreachable.');
    const answers = await Promise.allSettled(masters.map((master) => this.bounded(ask(master))));
    const failed = answers.filter((answer) => answer.status === 'rejected');
    if (failed.length === masters.length) throw toUnavailableError(failed[0]?.reason);
    return failed.length;
  }

  async #readyBlockingClient(): Promise<Redis | Cluster> {
    this.#blockingClient ??= openRedisClient(this.#address, this.#timeoutMs);
    const { client } = this.#blockingClient;
    if (client.status !== 'ready') {
      await this.bounded(new Promise((resolve) => client.once('ready', resolve)), this.#closeBlockingClient);
    }
    return client;
  }

  readonly #closeBlockingClient = (): void => {
    this.#blockingClient?.close();
    this.#blockingClient = undefined;
  };

  #schedulePoll(delayMs: number): void {
    clearTimeout(this.#pollTimer);
    if (this.#isClosed) return;
    this.#pollTimer = setTimeout(() => {
      this.pollTime().then(
        () => {
          this.#isDown = false;
          this.#schedulePoll(POLL_MS);
        },
        () => {
          this.#isDown = true;
          this.#schedulePoll(POLL_WHEN_DOWN_MS);
        },
      );
    }, delayMs);
    this.#pollTimer.unref();
  }
}

/** The spans of the scripts, by OpenTelemetry's conventions for databases: no key and no value. */
function scriptSpans({ topology, hosts, db }: RedisAddress): Readonly<Record<ScriptName, SpanStart>> {
  const [host, ...others] = hosts;
  // Of a Cluster and behind Sentinel, the server of a call is not known.
  const server = topology === 'standalone' && others.length === 0 ? host : undefined;
  const span = (script: string): SpanStart => ({
    name: `EVALSHA ${script}`,
    kind: 'client',
    attributes: {
      'db.system.name': 'redis',
      'db.operation.name': 'EVALSHA',
      'db.stored_procedure.name': script,
      'db.namespace': String(db),
      ...(server && { 'server.address': server.host, 'server.port': server.port }),
    },
  });
  const names = Object.keys(SCRIPTS) as ScriptName[];
  return Object.fromEntries(names.map((script) => [script, span(script)])) as Record<ScriptName, SpanStart>;
}

function nothing(): void {
  // The connections of a Cluster are its own.
}

function addressOf({ options }: Redis): string {
  return `${options.host ?? ''}:${options.port ?? ''}`;
}
