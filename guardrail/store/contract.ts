import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';

/**
 * A point in the store's own time, taken when a request begins. A write that carries a fence from before an erasure of
 * its session or subject is refused, so that a request already under way cannot bring erased data back.
 */
export type Fence = number;

/**
 * The id of a session that belongs to an end user begins with this many characters of that end user's SubjectId.
 * A Redis Cluster keeps keys with the same hash tag on the same node, and only there can one atomic step look at both
 * (whether the end user was erased, and the session's mapping). Session ids without an end user are free.
 */
export const SLOT_CHARACTERS = 4;

export type PutResult =
  /** All entries are stored (those that were there with the same value have had their expiry renewed). */
  | { readonly kind: 'stored' }
  /** Nothing was stored: these pseudonyms stand for other values already, which are given. */
  | { readonly kind: 'collision'; readonly taken: ReadonlyMap<Pseudonym, string> }
  /** Nothing was stored: the session or its subject was erased after the request had begun. */
  | { readonly kind: 'erased' };

export interface SessionInfo {
  readonly pseudonyms: number;
  readonly expiresAt: Date;
}

/** Where the mapping from pseudonyms to values is kept. Every method throws StoreUnavailableError when it cannot answer. */
export interface MappingStore {
  /** Taken at the beginning of a request; no I/O. */
  fence(): Fence;
  /**
   * Stores all entries in one atomic step, or none. At most one round trip. Renews the session's sliding expiry.
   * `subject` is the same in every call for a session, and shares its first SLOT_CHARACTERS with it.
   */
  put(entry: {
    readonly session: SessionId;
    /** The end user, where the gateway named one: erasing it erases this session. */
    readonly subject: SubjectId | undefined;
    readonly values: ReadonlyMap<Pseudonym, string>;
    readonly fence: Fence;
  }): Promise<PutResult>;
  /**
   * The values of those pseudonyms that the session knows; the others are absent, as is one whose stored value no
   * encryption key opens. At most one round trip. Renews the expiry.
   */
  get(session: SessionId, pseudonyms: readonly Pseudonym[]): Promise<ReadonlyMap<Pseudonym, string>>;
  /**
   * Both erasures may be repeated, and have to be where they throw: they may have been carried out in part, or not yet be
   * where no fail-over undoes them.
   * @returns whether there was anything to erase.
   */
  eraseSession(session: SessionId): Promise<boolean>;
  /** @returns how many sessions were erased. */
  eraseSubject(subject: SubjectId): Promise<number>;
  describe(session: SessionId): Promise<SessionInfo | undefined>;
  /** Sessions held now; an estimate where counting would cost. */
  count(): Promise<number>;
  /**
   * @returns a sentence on what is down, where that is only a part of the store and the other part is at work.
   * @throws StoreUnavailableError where nothing is at work.
   */
  ping(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The store cannot be reached, failed or took too long: 502 to the caller. Carries no value. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
