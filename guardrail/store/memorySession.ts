import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';
import type { Link } from '../linkedList.ts';
import type { Owner } from './owners.ts';

const MAX_PAIRS = 16;
/** Measured as in `testing/memoryFootprint.ts`: objects, table slots and string headers. */
const SESSION_BYTES = 340;
const SUBJECT_BYTES = 110;
const PAIR_BYTES = 48;
const MAP_ENTRY_BYTES = 76;

/** The mappings of one session in memory, and an estimate of their size. */
export class MemorySession {
  readonly id: SessionId;
  readonly subject: SubjectId | undefined;
  readonly owner: Owner<MemorySession>;
  /** Its place among the sessions of its owner. */
  readonly link: Link<MemorySession>;
  bytes: number;
  expiresAt: number;
  /**
   * Alternating pseudonyms and values, which take a fraction of a Map's memory. A Map replaces them when linear search
   * becomes slower than a lookup.
   */
  #entries: readonly string[] | Map<Pseudonym, string> = [];

  constructor(id: SessionId, subject: SubjectId | undefined, owner: Owner<MemorySession>, expiresAt: number) {
    this.id = ownCopy(id);
    this.subject = subject && ownCopy(subject);
    this.owner = owner;
    this.link = owner.sessions.add(this);
    this.expiresAt = expiresAt;
    this.bytes = SESSION_BYTES + (subject === undefined ? 0 : SUBJECT_BYTES);
  }

  get size(): number {
    return this.#entries instanceof Map ? this.#entries.size : this.#entries.length / 2;
  }

  find(pseudonym: Pseudonym): string | undefined {
    const entries = this.#entries;
    if (entries instanceof Map) return entries.get(pseudonym);
    for (let at = 0; at < entries.length; at += 2) {
      if (entries[at] === pseudonym) return entries[at + 1];
    }
    return undefined;
  }

  /** @returns the number of bytes that the entry adds. */
  add(sharedPseudonym: Pseudonym, sharedValue: string): number {
    const [pseudonym, value] = [ownCopy(sharedPseudonym), ownCopy(sharedValue)];
    const added = byteLength(pseudonym) + byteLength(value) + this.#insert(pseudonym, value);
    this.bytes += added;
    return added;
  }

  /** @returns the number of bytes that the entry adds, without its characters. */
  #insert(pseudonym: Pseudonym, value: string): number {
    const entries = this.#entries;
    if (entries instanceof Map) {
      entries.set(pseudonym, value);
      return MAP_ENTRY_BYTES;
    }
    if (entries.length < 2 * MAX_PAIRS) {
      // concat() allocates the exact size. push() reserves room for a dozen more elements.
      this.#entries = entries.length === 0 ? [pseudonym, value] : entries.concat(pseudonym, value);
      return PAIR_BYTES;
    }
    const map = new Map<Pseudonym, string>();
    for (let at = 0; at < entries.length; at += 2) map.set(entries[at] as Pseudonym, entries[at + 1] ?? '');
    this.#entries = map.set(pseudonym, value);
    return MAP_ENTRY_BYTES + MAX_PAIRS * (MAP_ENTRY_BYTES - PAIR_BYTES);
  }
}

/** Copies a string. In V8, a substring is a view that keeps the whole text alive. */
export function ownCopy<T extends string>(text: T): T {
  const encoding = isLatin1(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding) as T;
}

/** V8 stores a Latin-1 string in one byte per character, any other string in two. */
function byteLength(text: string): number {
  return isLatin1(text) ? text.length : 2 * text.length;
}

function isLatin1(text: string): boolean {
  return /^[\0-\xff]*$/.test(text);
}
