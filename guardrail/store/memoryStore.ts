import { getHeapStatistics } from 'node:v8';
import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';
import type { Fence, MappingStore, PutResult, SessionInfo } from './contract.ts';
import { MemorySession, ownCopy } from './memorySession.ts';

export interface MemoryStoreOptions {
  /** A session expires after this time without use. Milliseconds. */
  readonly ttlMs: number;
  /** The maximum number of pseudonyms; default 2 million. */
  readonly maxEntries?: number;
  /** The maximum estimated memory in bytes; default a quarter of the heap limit, at most 512 MiB. */
  readonly maxBytes?: number;
  /** How long an erasure is remembered: longer than the longest request. Milliseconds; default 10 minutes. */
  readonly tombstoneMs?: number;
  /** A monotonic clock in milliseconds, for tests. */
  readonly now?: () => number;
}

/** The memory store and its usage, for metrics and benchmarks. */
export interface MemoryStore extends MappingStore {
  readonly usage: { readonly sessions: number; readonly entries: number; readonly bytes: number };
}

interface Tombstone {
  readonly fence: Fence;
  readonly until: number;
}

const SWEEP_MS = 60_000;

/**
 * Creates a store in the memory of this process. It is limited by entries and by bytes, and evicts the least recently
 * used session first.
 */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  return new LruMemoryStore(options);
}

/**
 * Sessions with the same sliding expiry are in the order of use and of expiry: sessions to expire and sessions to evict are
 * at the start of one Map. With policies that set other expiries, an expired session can also stand behind another one.
 */
class LruMemoryStore implements MemoryStore {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #tombstoneMs: number;
  readonly #now: () => number;
  readonly #sweepTimer: NodeJS.Timeout;

  /** Least recently used first. */
  readonly #sessions = new Map<SessionId, MemorySession>();
  /** The last one there: the answer of a call often follows its request. */
  #newest: MemorySession | undefined;
  /** Most end users have one session, which takes no Set. */
  readonly #subjects = new Map<SubjectId, SessionId | Set<SessionId>>();
  /** Oldest first. */
  readonly #tombstones = new Map<SessionId | SubjectId, Tombstone>();
  #entries = 0;
  #bytes = 0;
  /** Whether a session has another expiry than the setting of the store. */
  #hasOtherExpiries = false;
  /** Counts erasures. */
  #sequence = 0;

  constructor(options: MemoryStoreOptions) {
    this.#ttlMs = options.ttlMs;
    this.#maxEntries = options.maxEntries ?? 2_000_000;
    this.#maxBytes = options.maxBytes ?? Math.min(getHeapStatistics().heap_size_limit / 4, 512 * 1024 * 1024);
    this.#tombstoneMs = options.tombstoneMs ?? 600_000;
    this.#now = options.now ?? (() => performance.now());
    this.#sweepTimer = setInterval(() => {
      this.#sweepAll();
    }, SWEEP_MS);
    this.#sweepTimer.unref();
  }

  get usage(): MemoryStore['usage'] {
    return { sessions: this.#sessions.size, entries: this.#entries, bytes: this.#bytes };
  }

  fence(): Fence {
    return this.#sequence;
  }

  put({
    session: id,
    subject,
    values,
    fence,
    ttlMs = this.#ttlMs,
  }: Parameters<MappingStore['put']>[0]): Promise<PutResult> {
    if (this.#isErasedSince(id, fence) || this.#isErasedSince(subject, fence)) {
      return Promise.resolve({ kind: 'erased' });
    }
    let session = this.#touch(id, ttlMs);
    const taken = new Map<Pseudonym, string>();
    const added: [Pseudonym, string][] = [];
    for (const [pseudonym, value] of values) {
      const stored = session?.find(pseudonym);
      if (stored === undefined) added.push([pseudonym, value]);
      else if (stored !== value) taken.set(pseudonym, stored);
    }
    if (taken.size > 0) return Promise.resolve({ kind: 'collision', taken });
    if (added.length > 0) {
      session ??= this.#create(ownCopy(id), subject, ttlMs);
      for (const [pseudonym, value] of added) this.#bytes += session.add(pseudonym, value);
      this.#entries += added.length;
    }
    this.#sweep();
    return Promise.resolve({ kind: 'stored' });
  }

  get(id: SessionId, pseudonyms: readonly Pseudonym[], ttlMs = this.#ttlMs): Promise<ReadonlyMap<Pseudonym, string>> {
    const found = new Map<Pseudonym, string>();
    const session = this.#touch(id, ttlMs);
    if (session) {
      for (const pseudonym of pseudonyms) {
        const value = session.find(pseudonym);
        if (value !== undefined) found.set(pseudonym, value);
      }
    }
    return Promise.resolve(found);
  }

  eraseSession(id: SessionId): Promise<boolean> {
    this.#addTombstone(id);
    const session = this.#sessions.get(id);
    if (session === undefined) return Promise.resolve(false);
    this.#drop(id, session);
    return Promise.resolve(session.expiresAt > this.#now());
  }

  eraseSubject(subject: SubjectId): Promise<number> {
    this.#addTombstone(subject);
    let erased = 0;
    const ids = this.#subjects.get(subject) ?? [];
    for (const id of typeof ids === 'string' ? [ids] : [...ids]) {
      const session = this.#sessions.get(id);
      if (session === undefined) continue;
      if (session.expiresAt > this.#now()) erased += 1;
      this.#drop(id, session);
    }
    return Promise.resolve(erased);
  }

  describe(id: SessionId): Promise<SessionInfo | undefined> {
    const session = this.#sessions.get(id);
    const time = this.#now();
    if (session === undefined || session.expiresAt <= time) return Promise.resolve(undefined);
    const expiresAt = new Date(Date.now() + session.expiresAt - time);
    return Promise.resolve({ pseudonyms: session.size, expiresAt });
  }

  count(): Promise<number> {
    this.#sweepAll();
    return Promise.resolve(this.#sessions.size);
  }

  ping(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    clearInterval(this.#sweepTimer);
    this.#sessions.clear();
    this.#newest = undefined;
    this.#subjects.clear();
    this.#tombstones.clear();
    this.#entries = 0;
    this.#bytes = 0;
    return Promise.resolve();
  }

  #create(id: SessionId, subject: SubjectId | undefined, ttlMs: number): MemorySession {
    const session = new MemorySession(subject, this.#expiry(ttlMs));
    this.#sessions.set(id, session);
    this.#newest = session;
    this.#bytes += session.bytes;
    if (session.subject !== undefined) {
      const ids = this.#subjects.get(session.subject);
      if (ids instanceof Set) ids.add(id);
      else this.#subjects.set(session.subject, ids === undefined ? id : new Set([ids, id]));
    }
    return session;
  }

  /**
   * @param ttlMs 0: the expiry stays as it is
   * @returns the session, which becomes the most recently used one, unless it has expired
   */
  #touch(id: SessionId, ttlMs: number): MemorySession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    if (session.expiresAt <= this.#now()) {
      this.#drop(id, session);
      return undefined;
    }
    if (ttlMs === 0) return session;
    session.expiresAt = this.#expiry(ttlMs);
    if (session !== this.#newest) {
      this.#sessions.delete(id);
      this.#sessions.set(id, session);
      this.#newest = session;
    }
    return session;
  }

  #drop(id: SessionId, session: MemorySession): void {
    this.#sessions.delete(id);
    if (session === this.#newest) this.#newest = undefined;
    this.#entries -= session.size;
    this.#bytes -= session.bytes;
    if (session.subject === undefined) return;
    const ids = this.#subjects.get(session.subject);
    if (ids instanceof Set) ids.delete(id);
    if (ids === id || (ids instanceof Set && ids.size === 0)) this.#subjects.delete(session.subject);
  }

  /** Removes expired sessions, sessions beyond the limits, and expired tombstones. */
  #sweep(): void {
    const time = this.#now();
    for (const [id, session] of this.#sessions) {
      if (session.expiresAt > time && this.#entries <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#drop(id, session);
    }
    for (const [id, tombstone] of this.#tombstones) {
      if (tombstone.until > time) break;
      this.#tombstones.delete(id);
    }
  }

  /** Also removes expired sessions that stand behind one with a longer expiry. */
  #sweepAll(): void {
    this.#sweep();
    if (!this.#hasOtherExpiries) return;
    const time = this.#now();
    for (const [id, session] of this.#sessions) {
      if (session.expiresAt <= time) this.#drop(id, session);
    }
  }

  #expiry(ttlMs: number): number {
    if (ttlMs !== this.#ttlMs) this.#hasOtherExpiries = true;
    return this.#now() + ttlMs;
  }

  #addTombstone(id: SessionId | SubjectId): void {
    this.#sequence += 1;
    this.#tombstones.delete(id);
    this.#tombstones.set(id, { fence: this.#sequence, until: this.#now() + this.#tombstoneMs });
  }

  #isErasedSince(id: SessionId | SubjectId | undefined, fence: Fence): boolean {
    return id !== undefined && fence < (this.#tombstones.get(id)?.fence ?? 0);
  }
}
