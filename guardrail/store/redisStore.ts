import { createYielder } from '../eventLoop.ts';
import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';
import { createCipher, UnreadableValueError, type KeyRing } from './cipher.ts';
import {
  SLOT_CHARACTERS,
  StoreUnavailableError,
  type MappingStore,
  type PutResult,
  type SessionInfo,
} from './contract.ts';
import type { RedisAddress } from './redisAddress.ts';
import { connectRedis } from './redisConnection.ts';
import { SCRIPTS } from './redisScripts.ts';

export interface RedisStoreOptions {
  readonly address: RedisAddress;
  /** The secret that does not rotate. */
  readonly sessionKey: Buffer;
  /** Read at each use, so that a rotation takes effect at once. */
  readonly encryptionKeys: () => KeyRing;
  /** Sliding. Milliseconds. */
  readonly ttlMs: number;
  /** A command that takes longer has failed. Milliseconds; default 1000. */
  readonly timeoutMs?: number;
  /** How long an erasure is remembered: longer than the longest request. Milliseconds; default 10 minutes. */
  readonly tombstoneMs?: number;
  /** Told of a stored value that cannot be read and is therefore treated as absent. */
  readonly onUnreadable?: (error: UnreadableValueError) => void;
}

/** Keys of a server looked at to estimate the number of sessions. */
const SAMPLE_PAGES = 5;
const SAMPLE_PAGE = 1000;
const NOBODY = '' as SessionId;
const NOTHING = '' as Pseudonym;

/** Mappings in Redis 6.2 or later, or Valkey: standalone, Sentinel or Cluster; see redisScripts.ts for the keys. */
export function createRedisStore(options: RedisStoreOptions): MappingStore {
  const link = connectRedis(options.address, options.timeoutMs ?? 1000);
  const cipher = createCipher(options.sessionKey, options.encryptionKeys);
  // Now rather than in the first call: what the runtime does once for a cipher, and a key that is of no use.
  cipher.open(NOBODY, NOTHING, cipher.seal(NOBODY, NOTHING, ''));
  const ttl = String(options.ttlMs);
  const retention = String(options.tombstoneMs ?? 600_000);
  const isCluster = options.address.topology === 'cluster';

  async function erase(script: (typeof SCRIPTS)['eraseSession' | 'eraseSubject'], kind: string, id: string) {
    const keys = [keyOf(kind, id), keyOf('erased', id)];
    const args = [id, String(link.fence()), retention];
    const [erased, replicas] = await link.run(script, keys, args);
    // A fail-over brings back what the replica has not heard of: an erasure counts once it cannot be undone so.
    if (Number(replicas) > 0) await link.confirm(script, keys, args);
    // A fence taken from now on must be later than the tombstone; in a Cluster that takes hearing every node.
    if (isCluster) await link.beat();
    return Number(erased);
  }

  return {
    fence: () => link.fence(),

    async put({ session, subject, values, fence }): Promise<PutResult> {
      if (values.size === 0) return { kind: 'stored' };
      if (isCluster && subject !== undefined && slot(session) !== slot(subject)) {
        throw new Error('A session id must begin like the id of its end user where the store is a Redis Cluster.');
      }
      const keys = [keyOf('session', session), keyOf('erased', session)];
      if (subject !== undefined) keys.push(keyOf('erased', subject));
      const args: (string | Buffer)[] = [session, subject ?? '', String(fence), ttl, retention];
      const pseudonyms = new Map<string, Pseudonym>();
      const breathe = createYielder();
      for (const [pseudonym, value] of values) {
        const field = cipher.index(session, pseudonym);
        pseudonyms.set(field.toString('hex'), pseudonym);
        args.push(field, cipher.seal(session, pseudonym, value));
        await breathe();
      }
      const [kind, ...rest] = await link.run(SCRIPTS.put, keys, args);
      switch (String(kind)) {
        case 'stored':
          return { kind: 'stored' };
        case 'erased':
          // The call began while no node's time was known: whether it began before the erasure nobody can tell.
          if (fence === 0) throw new StoreUnavailableError('Redis could not be reached when the call began.');
          return { kind: 'erased' };
        default:
          return { kind: 'collision', taken: openTaken(session, pseudonyms, rest as Buffer[]) };
      }
    },

    async get(session, pseudonyms): Promise<ReadonlyMap<Pseudonym, string>> {
      const found = new Map<Pseudonym, string>();
      if (pseudonyms.length === 0) return found;
      const breathe = createYielder();
      const fields: Buffer[] = [];
      for (const pseudonym of pseudonyms) {
        fields.push(cipher.index(session, pseudonym));
        await breathe();
      }
      const values = await link.run(SCRIPTS.get, [keyOf('session', session)], [session, ttl, ...fields]);
      for (const [at, pseudonym] of pseudonyms.entries()) {
        await breathe();
        const sealed = values[at];
        if (!Buffer.isBuffer(sealed)) continue;
        try {
          found.set(pseudonym, cipher.open(session, pseudonym, sealed));
        } catch (error) {
          if (!(error instanceof UnreadableValueError)) throw error;
          options.onUnreadable?.(error);
        }
      }
      return found;
    },

    eraseSession: async (session) => (await erase(SCRIPTS.eraseSession, 'session', session)) > 0,
    eraseSubject: (subject) => erase(SCRIPTS.eraseSubject, 'subject', subject),

    async describe(session): Promise<SessionInfo | undefined> {
      const [pseudonyms, expiresIn] = await link.run(SCRIPTS.describe, [keyOf('session', session)], []);
      if (Number(pseudonyms) <= 0) return undefined;
      return { pseudonyms: Number(pseudonyms), expiresAt: new Date(Date.now() + Number(expiresIn)) };
    },

    async count(): Promise<number> {
      let sessions = 0;
      for (const node of link.masters()) {
        let cursor = '0';
        let seen = 0;
        let matching = 0;
        for (let page = 0; page < SAMPLE_PAGES; page += 1) {
          const [next, keys] = await link.bounded(node.scan(cursor, 'COUNT', SAMPLE_PAGE));
          seen += keys.length;
          matching += keys.filter((key) => /^guardrail:\{[^}]*\}:session:/.test(key)).length;
          cursor = next;
          if (cursor === '0') break;
        }
        const all = cursor === '0' || seen === 0 ? seen : await link.bounded(node.dbsize());
        sessions += seen === 0 ? 0 : Math.round((matching / seen) * all);
      }
      return sessions;
    },

    ping: () => link.health(),
    close: () => link.close(),
  };

  function openTaken(
    session: SessionId,
    pseudonyms: ReadonlyMap<string, Pseudonym>,
    reply: readonly Buffer[],
  ): ReadonlyMap<Pseudonym, string> {
    const taken = new Map<Pseudonym, string>();
    for (let at = 0; at + 1 < reply.length; at += 2) {
      const pseudonym = pseudonyms.get(reply[at]?.toString('hex') ?? '');
      const sealed = reply[at + 1];
      if (pseudonym === undefined || sealed === undefined) continue;
      try {
        taken.set(pseudonym, cipher.open(session, pseudonym, sealed));
      } catch (error) {
        if (!(error instanceof UnreadableValueError)) throw error;
        options.onUnreadable?.(error);
        throw new StoreUnavailableError('The store holds a value that none of the encryption keys opens.');
      }
    }
    return taken;
  }
}

function slot(id: SessionId | SubjectId): string {
  return id.slice(0, SLOT_CHARACTERS);
}

/** The hash tag, in braces, decides which node of a Cluster holds a key. */
function keyOf(kind: string, id: string): string {
  return `guardrail:{${id.slice(0, SLOT_CHARACTERS)}}:${kind}:${id}`;
}
