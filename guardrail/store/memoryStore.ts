import { getHeapStatistics } from 'node:v8';
import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';
import type { Fence, MappingStore, PutResult, SessionInfo } from './contract.ts';

export interface MemoryStoreOptions {
  /** Sliding: a session not used for this long is forgotten. Milliseconds. */
  readonly ttlMs: number;
  /** How many pseudonyms to hold; default 2 million. */
  readonly maxEntries?: number;
  /** How many bytes of memory to hold, as estimated; default a quarter of the heap's limit, at most 512 MiB. */
  readonly maxBytes?: number;
  /** How long an erasure is remembered: longer than the longest request. Milliseconds; default 10 minutes. */
  readonly tombstoneMs?: number;
  /** Milliseconds of a clock that never goes back; for tests. */
  readonly now?: () => number;
}

/** The memory store, with what it holds, for metrics and benchmarks. */
export interface MemoryStore extends MappingStore {
  readonly usage: { readonly sessions: number; readonly entries: number; readonly bytes: number };
}

interface Session {
  /**
   * Pseudonym and value in turns: a fraction of a Map's memory for the few entries that a session has at first. A Map
   * takes over once searching would take longer than looking up.
   */
  entries: readonly string[] | Map<Pseudonym, string>;
  readonly subject: SubjectId | undefined;
  bytes: number;
  expiresAt: number;
}

interface Tombstone {
  readonly fence: Fence;
  readonly until: number;
}

const MAX_PAIRS = 16;
const SWEEP_MS = 60_000;
/** Measured with `hack/bench/store.ts`: objects, table slots and the headers of strings. */
const SESSION_BYTES = 260;
const SUBJECT_BYTES = 110;
const PAIR_BYTES = 48;
const MAP_ENTRY_BYTES = 76;

/**
 * Mappings in the memory of this process: bounded by entries and by bytes, the least recently used session out first.
 *
 * The expiry slides by the same span for every session, so the order of use is also the order of expiry: both what is
 * too old and what is too much stand at the head of one Map, and one timer a store gives idle memory back.
 */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const ttlMs = options.ttlMs;
  const maxEntries = options.maxEntries ?? 2_000_000;
  const maxBytes = options.maxBytes ?? Math.min(getHeapStatistics().heap_size_limit / 4, 512 * 1024 * 1024);
  const tombstoneMs = options.tombstoneMs ?? 600_000;
  const now = options.now ?? (() => performance.now());

  /** Least recently used first. */
  const sessions = new Map<SessionId, Session>();
  /** An end user mostly has one session. */
  const subjects = new Map<SubjectId, SessionId | Set<SessionId>>();
  /** Oldest first. */
  const tombstones = new Map<SessionId | SubjectId, Tombstone>();
  let entries = 0;
  let bytes = 0;
  let sequence = 0;

  const drop = (id: SessionId, session: Session): void => {
    sessions.delete(id);
    entries -= size(session);
    bytes -= session.bytes;
    if (session.subject === undefined) return;
    const ids = subjects.get(session.subject);
    if (ids instanceof Set) ids.delete(id);
    if (ids === id || (ids instanceof Set && ids.size === 0)) subjects.delete(session.subject);
  };

  const sweep = (): void => {
    const time = now();
    for (const [id, session] of sessions) {
      if (session.expiresAt > time && entries <= maxEntries && bytes <= maxBytes) break;
      drop(id, session);
    }
    for (const [id, tombstone] of tombstones) {
      if (tombstone.until > time) break;
      tombstones.delete(id);
    }
  };

  /** The session, if it has not expired, now the most recently used one. */
  const touch = (id: SessionId): Session | undefined => {
    const session = sessions.get(id);
    if (session === undefined) return undefined;
    if (session.expiresAt <= now()) {
      drop(id, session);
      return undefined;
    }
    session.expiresAt = now() + ttlMs;
    sessions.delete(id);
    sessions.set(id, session);
    return session;
  };

  const create = (id: SessionId, subject: SubjectId | undefined): Session => {
    const size = SESSION_BYTES + (subject === undefined ? 0 : SUBJECT_BYTES);
    const session: Session = { entries: [], subject, bytes: size, expiresAt: now() + ttlMs };
    sessions.set(id, session);
    bytes += size;
    if (subject !== undefined) {
      const ids = subjects.get(subject);
      if (ids instanceof Set) ids.add(id);
      else subjects.set(subject, ids === undefined ? id : new Set([ids, id]));
    }
    return session;
  };

  const bury = (id: SessionId | SubjectId): void => {
    sequence += 1;
    tombstones.delete(id);
    tombstones.set(id, { fence: sequence, until: now() + tombstoneMs });
  };

  const erasedSince = (id: SessionId | SubjectId | undefined, fence: Fence): boolean =>
    id !== undefined && fence < (tombstones.get(id)?.fence ?? 0);

  const timer = setInterval(sweep, SWEEP_MS);
  timer.unref();

  return {
    fence: () => sequence,

    put({ session: id, subject, values, fence }): Promise<PutResult> {
      if (erasedSince(id, fence) || erasedSince(subject, fence)) return Promise.resolve({ kind: 'erased' });
      let session = touch(id);
      const taken = new Map<Pseudonym, string>();
      const added: [Pseudonym, string][] = [];
      for (const [pseudonym, value] of values) {
        const stored = session && find(session, pseudonym);
        if (stored === undefined) added.push([pseudonym, value]);
        else if (stored !== value) taken.set(pseudonym, stored);
      }
      if (taken.size > 0) return Promise.resolve({ kind: 'collision', taken });
      if (added.length > 0) {
        session ??= create(ownCopy(id), subject && ownCopy(subject));
        for (const [pseudonym, value] of added) {
          const cost = add(session, ownCopy(pseudonym), ownCopy(value));
          session.bytes += cost;
          bytes += cost;
        }
        entries += added.length;
      }
      sweep();
      return Promise.resolve({ kind: 'stored' });
    },

    get(id, pseudonyms): Promise<ReadonlyMap<Pseudonym, string>> {
      const found = new Map<Pseudonym, string>();
      const session = touch(id);
      if (session) {
        for (const pseudonym of pseudonyms) {
          const value = find(session, pseudonym);
          if (value !== undefined) found.set(pseudonym, value);
        }
      }
      return Promise.resolve(found);
    },

    eraseSession(id): Promise<boolean> {
      bury(id);
      const session = sessions.get(id);
      if (session === undefined) return Promise.resolve(false);
      drop(id, session);
      return Promise.resolve(session.expiresAt > now());
    },

    eraseSubject(subject): Promise<number> {
      bury(subject);
      let erased = 0;
      const ids = subjects.get(subject) ?? [];
      for (const id of typeof ids === 'string' ? [ids] : [...ids]) {
        const session = sessions.get(id);
        if (session === undefined) continue;
        if (session.expiresAt > now()) erased += 1;
        drop(id, session);
      }
      return Promise.resolve(erased);
    },

    describe(id): Promise<SessionInfo | undefined> {
      const session = sessions.get(id);
      if (session === undefined || session.expiresAt <= now()) return Promise.resolve(undefined);
      const expiresAt = new Date(Date.now() + session.expiresAt - now());
      return Promise.resolve({ pseudonyms: size(session), expiresAt });
    },

    count(): Promise<number> {
      sweep();
      return Promise.resolve(sessions.size);
    },

    ping: () => Promise.resolve(undefined),

    close(): Promise<void> {
      clearInterval(timer);
      sessions.clear();
      subjects.clear();
      tombstones.clear();
      entries = 0;
      bytes = 0;
      return Promise.resolve();
    },

    get usage() {
      return { sessions: sessions.size, entries, bytes };
    },
  };
}

function size({ entries }: Session): number {
  return entries instanceof Map ? entries.size : entries.length / 2;
}

function find({ entries }: Session, pseudonym: Pseudonym): string | undefined {
  if (entries instanceof Map) return entries.get(pseudonym);
  for (let at = 0; at < entries.length; at += 2) {
    if (entries[at] === pseudonym) return entries[at + 1];
  }
  return undefined;
}

/** @returns how many bytes more the session takes now, as estimated. */
function add(session: Session, pseudonym: Pseudonym, value: string): number {
  const characters = byteLength(pseudonym) + byteLength(value);
  const { entries } = session;
  if (entries instanceof Map) {
    entries.set(pseudonym, value);
    return characters + MAP_ENTRY_BYTES;
  }
  if (entries.length < 2 * MAX_PAIRS) {
    // A copy has the size that it needs; an array that is pushed to has room for a dozen more.
    session.entries = entries.length === 0 ? [pseudonym, value] : entries.concat(pseudonym, value);
    return characters + PAIR_BYTES;
  }
  const map = new Map<Pseudonym, string>();
  for (let at = 0; at < entries.length; at += 2) map.set(entries[at] as Pseudonym, entries[at + 1] ?? '');
  session.entries = map.set(pseudonym, value);
  return characters + MAP_ENTRY_BYTES + MAX_PAIRS * (MAP_ENTRY_BYTES - PAIR_BYTES);
}

/** V8 keeps a string of Latin-1 characters in one byte each, any other in two. */
function byteLength(text: string): number {
  return isLatin1(text) ? text.length : 2 * text.length;
}

function isLatin1(text: string): boolean {
  return /^[\0-\xff]*$/.test(text);
}

/** A value cut from a text is, inside V8, a view that keeps the whole text alive; a copy of its own does not. */
function ownCopy<T extends string>(text: T): T {
  const encoding = isLatin1(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding) as T;
}
