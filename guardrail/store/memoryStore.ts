import { getHeapStatistics } from 'node:v8';
import type { Pseudonym, SessionId, SubjectId, Tenant } from '../ids.ts';
import type { Fence, MappingStore, PutResult, SessionInfo } from './contract.ts';
import { MemorySession } from './memorySession.ts';
import { Owners, type Owner } from './owners.ts';

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
 * Creates a store in the memory of this process. It is limited by entries and by bytes. If it is full, the tenant that uses the
 * most of it loses its least recently used session.
 */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  return new LruMemoryStore(options);
}

/** The tenant of sessions for which none is named. */
const UNNAMED = '' as Tenant;

/**
 * Sessions of a tenant with the same sliding expiry are in the order of use and of expiry: sessions to expire and sessions to evict
 * are at the start of one list. With policies that set other expiries, an expired session can also stand behind another one.
 */
class LruMemoryStore implements MemoryStore {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #tombstoneMs: number;
  readonly #now: () => number;
  readonly #sweepTimer: NodeJS.Timeout;

  readonly #sessions = new Map<SessionId, MemorySession>();
  readonly #owners = new Owners<MemorySession>();
  /** Most end users have one session, which takes no Set. */
  readonly #subjects = new Map<SubjectId, SessionId | Set<SessionId>>();
  /** Oldest first. */
  readonly #tombstones = new Map<SessionId | SubjectId, Tombstone>();
  #entries = 0;
  #bytes = 0;
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

  assertReachable(): void {
    // It is in this process.
  }

  put({
    session: id,
    subject,
    tenant = UNNAMED,
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
      session ??= this.#create({ id, subject, tenant }, ttlMs);
      let bytes = 0;
      for (const [pseudonym, value] of added) bytes += session.add(pseudonym, value);
      this.#count(session.owner, added.length, bytes);
    }
    this.#sweep(session?.owner);
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
    this.#drop(session);
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
      this.#drop(session);
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
    this.#owners.clear();
    this.#subjects.clear();
    this.#tombstones.clear();
    this.#entries = 0;
    this.#bytes = 0;
    return Promise.resolve();
  }

  #create(
    { tenant, ...names }: { readonly id: SessionId; readonly subject: SubjectId | undefined; readonly tenant: Tenant },
    ttlMs: number,
  ): MemorySession {
    const owner = this.#owners.of(tenant);
    const session = new MemorySession(names.id, names.subject, owner, this.#now() + ttlMs);
    const { id } = session;
    this.#sessions.set(id, session);
    this.#count(owner, 0, session.bytes);
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
      this.#drop(session);
      return undefined;
    }
    if (ttlMs === 0) return session;
    session.expiresAt = this.#now() + ttlMs;
    session.owner.sessions.moveToEnd(session.link);
    return session;
  }

  /** Counts what is added to the store, or is removed from it. */
  #count(owner: Owner<MemorySession>, entries: number, bytes: number): void {
    this.#entries += entries;
    this.#bytes += bytes;
    this.#owners.add(owner, bytes);
  }

  #drop(session: MemorySession): void {
    const { id, owner } = session;
    this.#sessions.delete(id);
    owner.sessions.remove(session.link);
    this.#count(owner, -session.size, -session.bytes);
    if (session.subject === undefined) return;
    const ids = this.#subjects.get(session.subject);
    if (ids instanceof Set) ids.delete(id);
    if (ids === id || (ids instanceof Set && ids.size === 0)) this.#subjects.delete(session.subject);
  }

  /** Removes expired sessions of an owner, sessions beyond the limits, and expired tombstones. */
  #sweep(owner?: Owner<MemorySession>): void {
    const time = this.#now();
    for (const session of owner?.sessions.values() ?? []) {
      if (session.expiresAt > time) break;
      this.#drop(session);
    }
    while (this.#entries > this.#maxEntries || this.#bytes > this.#maxBytes) {
      const oldest = this.#owners.largest()?.sessions.first;
      if (!oldest) break;
      this.#drop(oldest.value);
    }
    for (const [id, tombstone] of this.#tombstones) {
      if (tombstone.until > time) break;
      this.#tombstones.delete(id);
    }
  }

  /** Removes the expired sessions of all owners, also those that stand behind one with a longer expiry. */
  #sweepAll(): void {
    this.#sweep();
    const time = this.#now();
    for (const session of this.#sessions.values()) if (session.expiresAt <= time) this.#drop(session);
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
