import type { Pseudonym, SessionId, SubjectId, Tenant } from '../ids.ts';

/**
 * A point in the time of the store, taken when a request begins. The store rejects a write whose fence is earlier than
 * an erasure of its session or subject, so a request in progress cannot restore erased data.
 */
export type Fence = number;

/**
 * The number of characters that the id of a session shares with the SubjectId of its end user. They are the hash tag in
 * a Redis Cluster: it puts both on one node, where one atomic step reads the tombstone of the end user and the mapping.
 */
export const SLOT_CHARACTERS = 4;

export type PutResult =
  /** All entries are stored. */
  | { readonly kind: 'stored' }
  /** Nothing is stored: these pseudonyms have other values already. */
  | { readonly kind: 'collision'; readonly taken: ReadonlyMap<Pseudonym, string> }
  /** Nothing is stored: the session or its subject was erased after the request began. */
  | { readonly kind: 'erased' };

export interface SessionInfo {
  readonly pseudonyms: number;
  readonly expiresAt: Date;
}

/** Stores the mappings. Every method throws StoreUnavailableError if the store fails. */
export interface MappingStore {
  /** The fence for a request that begins now. No I/O. */
  fence(): Fence;
  /**
   * For a call that neither reads nor writes. No I/O.
   * @throws StoreUnavailableError if the store is known to be unreachable
   */
  assertReachable(): void;
  /**
   * Stores all entries in one atomic step, or none, and renews the expiry of the session. At most one round trip.
   * `subject` is the same in every call for a session and shares its first SLOT_CHARACTERS with it.
   */
  put(entry: {
    readonly session: SessionId;
    /** The end user, if the gateway sent one. Its erasure erases this session. */
    readonly subject: SubjectId | undefined;
    /**
     * Whose share of a store in memory the session takes, the same in every call for it. Default: that of nobody, which all such
     * sessions share.
     */
    readonly tenant?: Tenant | undefined;
    readonly values: ReadonlyMap<Pseudonym, string>;
    readonly fence: Fence;
    /** The session expires after this time without use, in milliseconds. Default: the setting of the store. */
    readonly ttlMs?: number | undefined;
  }): Promise<PutResult>;
  /**
   * Returns the values of pseudonyms, without unknown ones and ones whose value cannot be decrypted. Renews the expiry.
   * At most one round trip.
   * @param ttlMs as for `put`; 0: the expiry stays as it is
   */
  get(session: SessionId, pseudonyms: readonly Pseudonym[], ttlMs?: number): Promise<ReadonlyMap<Pseudonym, string>>;
  /**
   * Both erasures are idempotent. Repeat an erasure that throws: it can be incomplete, or a failover can undo it.
   * @returns whether the session existed.
   */
  eraseSession(session: SessionId): Promise<boolean>;
  /** @returns the number of erased sessions. */
  eraseSubject(subject: SubjectId): Promise<number>;
  describe(session: SessionId): Promise<SessionInfo | undefined>;
  /** The number of sessions, estimated if counting is expensive. */
  count(): Promise<number>;
  /**
   * @returns a sentence about the failed part, if only a part of the store fails.
   * @throws StoreUnavailableError if the whole store fails.
   */
  ping(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The store is unreachable, failed or timed out. The caller receives 502. The message contains no value. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
