import { createYielder } from '../eventLoop.ts';
import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';
import { createCipher, UnreadableValueError, type Cipher, type KeyRing } from './cipher.ts';
import {
  SLOT_CHARACTERS,
  StoreUnavailableError,
  type Fence,
  type MappingStore,
  type PutResult,
  type SessionInfo,
} from './contract.ts';
import { KnownMappings } from './knownMappings.ts';
import type { RedisAddress } from './redisAddress.ts';
import { RedisConnection } from './redisConnection.ts';

export interface RedisStoreOptions {
  readonly address: RedisAddress;
  /** The secret that is never rotated. */
  readonly sessionKey: Buffer;
  /** Read at each use, so a rotation takes effect immediately. */
  readonly encryptionKeys: () => KeyRing;
  /** A session expires after this time without use. Milliseconds. */
  readonly ttlMs: number;
  /** The timeout of a command. Milliseconds; default 1000. */
  readonly timeoutMs?: number;
  /** How long an erasure is remembered: longer than the longest request. Milliseconds; default 10 minutes. */
  readonly tombstoneMs?: number;
  /** Called for a stored value that cannot be decrypted and is treated as absent. */
  readonly onUnreadable?: (error: UnreadableValueError) => void;
}

/** The number of key pages per server that the estimate of sessions samples. */
const SAMPLE_PAGES = 5;
const SAMPLE_PAGE = 1000;
const NO_SESSION = '' as SessionId;
const NO_PSEUDONYM = '' as Pseudonym;

/**
 * Creates a store in Redis 6.2 or later, or Valkey: standalone, Sentinel or Cluster. See redisScripts.ts for the keys.
 */
export function createRedisStore(options: RedisStoreOptions): MappingStore {
  return new RedisStore(options);
}

class RedisStore implements MappingStore {
  readonly #options: RedisStoreOptions;
  readonly #connection: RedisConnection;
  readonly #cipher: Cipher;
  readonly #known: KnownMappings;
  readonly #ttl: string;
  readonly #tombstoneTtl: string;
  readonly #isCluster: boolean;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#connection = new RedisConnection(options.address, options.timeoutMs ?? 1000);
    this.#cipher = createCipher(options.sessionKey, options.encryptionKeys);
    this.#known = new KnownMappings(this.#cipher, options.encryptionKeys);
    // Initializes the cipher of the runtime and detects an invalid key now, not in the first call.
    this.#cipher.open(NO_SESSION, NO_PSEUDONYM, this.#cipher.seal(NO_SESSION, NO_PSEUDONYM, ''));
    this.#ttl = String(options.ttlMs);
    this.#tombstoneTtl = String(options.tombstoneMs ?? 600_000);
    this.#isCluster = options.address.topology === 'cluster';
  }

  fence(): Fence {
    return this.#connection.fence();
  }

  assertReachable(): void {
    this.#connection.assertReachable();
  }

  async put({ session, subject, values, fence, ttlMs }: Parameters<MappingStore['put']>[0]): Promise<PutResult> {
    if (values.size === 0) return { kind: 'stored' };
    if (this.#isCluster && subject !== undefined && slotOf(session) !== slotOf(subject)) {
      throw new Error('In a Redis Cluster, a session id must start like the id of its end user.');
    }
    const keys = [keyOf('session', session), keyOf('erased', session)];
    if (subject !== undefined) keys.push(keyOf('erased', subject));
    const args: (string | Buffer)[] = [session, subject ?? '', String(fence), this.#ttlOf(ttlMs), this.#tombstoneTtl];
    const send = async (isInFull: boolean): Promise<[kind: string, rest: Buffer[]]> => {
      const mappings = await this.#argumentsOf(session, values, isInFull);
      const [kind, ...rest] = await this.#connection.run('putMappings', keys, [...args, ...mappings]);
      return [String(kind), rest as Buffer[]];
    };
    let [kind, rest] = await send(false);
    // Some values have expired in Redis, or the key was rotated.
    if (kind === 'incomplete') [kind, rest] = await send(true);
    switch (kind) {
      case 'stored':
        return { kind: 'stored' };
      case 'erased':
        // Without the time of any node, the order of the call and the erasure is unknown.
        if (fence === 0) throw new StoreUnavailableError('Redis was unreachable when the call began.');
        return { kind: 'erased' };
      default:
        return { kind: 'collision', taken: this.#openTaken(session, [...values.keys()], rest) };
    }
  }

  /** @param isInFull whether known mappings are sealed again */
  async #argumentsOf(session: SessionId, values: ReadonlyMap<Pseudonym, string>, isInFull: boolean): Promise<Buffer[]> {
    const args: Buffer[] = [];
    const yieldIfDue = createYielder();
    for (const [pseudonym, value] of values) {
      const stamp = isInFull ? undefined : this.#known.stamp(session, pseudonym, value);
      args.push(this.#known.index(session, pseudonym), stamp ?? this.#known.seal(session, pseudonym, value));
      await yieldIfDue();
    }
    return args;
  }

  async get(
    session: SessionId,
    pseudonyms: readonly Pseudonym[],
    ttlMs?: number,
  ): Promise<ReadonlyMap<Pseudonym, string>> {
    const found = new Map<Pseudonym, string>();
    if (pseudonyms.length === 0) return found;
    const yieldIfDue = createYielder();
    const fields: Buffer[] = [];
    for (const pseudonym of pseudonyms) {
      fields.push(this.#known.index(session, pseudonym));
      await yieldIfDue();
    }
    const args = [session, this.#ttlOf(ttlMs), ...fields];
    const values = await this.#connection.run('getMappings', [keyOf('session', session)], args);
    for (const [at, pseudonym] of pseudonyms.entries()) {
      await yieldIfDue();
      const sealed = values[at];
      if (!Buffer.isBuffer(sealed)) continue;
      const value = this.#open(session, pseudonym, sealed);
      if (value !== undefined) found.set(pseudonym, value);
    }
    return found;
  }

  async eraseSession(session: SessionId): Promise<boolean> {
    return (await this.#erase('eraseSession', 'session', session)) > 0;
  }

  eraseSubject(subject: SubjectId): Promise<number> {
    return this.#erase('eraseSubject', 'subject', subject);
  }

  async describe(session: SessionId): Promise<SessionInfo | undefined> {
    const [pseudonyms, ttl] = await this.#connection.run('describeSession', [keyOf('session', session)], []);
    if (Number(pseudonyms) <= 0) return undefined;
    return { pseudonyms: Number(pseudonyms), expiresAt: new Date(Date.now() + Number(ttl)) };
  }

  async count(): Promise<number> {
    let sessions = 0;
    for (const server of this.#connection.masters()) {
      let cursor = '0';
      let seen = 0;
      let matching = 0;
      for (let page = 0; page < SAMPLE_PAGES; page += 1) {
        const [next, keys] = await this.#connection.bounded(server.scan(cursor, 'COUNT', SAMPLE_PAGE));
        seen += keys.length;
        matching += keys.filter((key) => /^guardrail:\{[^}]*\}:session:/.test(key)).length;
        cursor = next;
        if (cursor === '0') break;
      }
      const total = cursor === '0' || seen === 0 ? seen : await this.#connection.bounded(server.dbsize());
      sessions += seen === 0 ? 0 : Math.round((matching / seen) * total);
    }
    return sessions;
  }

  ping(): Promise<string | undefined> {
    return this.#connection.health();
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }

  #ttlOf(ttlMs: number | undefined): string {
    return ttlMs === undefined ? this.#ttl : String(Math.round(ttlMs));
  }

  async #erase(script: 'eraseSession' | 'eraseSubject', kind: string, id: string): Promise<number> {
    const keys = [keyOf(kind, id), keyOf('erased', id)];
    const args = [id, String(this.#connection.fence()), this.#tombstoneTtl];
    const [erased, replicas] = await this.#connection.run(script, keys, args);
    // A failover restores data whose erasure has not reached the replica, so the erasure must be replicated first.
    if (Number(replicas) > 0) await this.#connection.runReplicated(script, keys, args);
    // The next fence must be later than the tombstone. In a Cluster, this requires the time of every node.
    if (this.#isCluster) await this.#connection.pollTime();
    return Number(erased);
  }

  /** @returns undefined for a value that cannot be decrypted. */
  #open(session: SessionId, pseudonym: Pseudonym, sealed: Buffer): string | undefined {
    try {
      return this.#cipher.open(session, pseudonym, sealed);
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error;
      this.#options.onUnreadable?.(error);
      return undefined;
    }
  }

  #openTaken(
    session: SessionId,
    pseudonyms: readonly Pseudonym[],
    reply: readonly Buffer[],
  ): ReadonlyMap<Pseudonym, string> {
    const byField = new Map(pseudonyms.map((one) => [this.#known.index(session, one).toString('hex'), one]));
    const taken = new Map<Pseudonym, string>();
    for (let at = 0; at + 1 < reply.length; at += 2) {
      const pseudonym = byField.get(reply[at]?.toString('hex') ?? '');
      const sealed = reply[at + 1];
      if (pseudonym === undefined || sealed === undefined) continue;
      const value = this.#open(session, pseudonym, sealed);
      if (value === undefined) throw new StoreUnavailableError('No configured encryption key opens a stored value.');
      taken.set(pseudonym, value);
    }
    return taken;
  }
}

function slotOf(id: SessionId | SubjectId): string {
  return id.slice(0, SLOT_CHARACTERS);
}

/** The hash tag, in braces, determines the Cluster node of a key. */
function keyOf(kind: string, id: string): string {
  return `guardrail:{${id.slice(0, SLOT_CHARACTERS)}}:${kind}:${id}`;
}
