/** Flags of a word in the gazetteer. A word can have several; the tagger decides which one applies in a text. */
export const flags = {
  given: 1,
  family: 2,
  /** The full name of a town. */
  town: 4,
  /** One word of a longer place name. */
  townPart: 8,
  /** Countries, states, regions, rivers. */
  region: 16,
  /** Known organisations, legal forms, and words in names of organisations. */
  organization: 32,
  /** Words for streets and units: street, Weg, rue, Apt. */
  street: 64,
  /** A common word of a language. */
  ordinary: 128,
} as const;

/** Maps words to their {@link flags}: 32-bit hashes in an open-addressing table of two arrays, without strings. */
export class Gazetteer {
  private readonly keys: Int32Array;
  private readonly values: Uint8Array;
  private readonly mask: number;

  /** @param count the number of words that {@link set} will add. */
  constructor(count: number) {
    let size = 1024;
    while (size < count * 1.7) size *= 2;
    this.mask = size - 1;
    this.keys = new Int32Array(size);
    this.values = new Uint8Array(size);
  }

  static of(entries: ReadonlyMap<number, number>): Gazetteer {
    const gazetteer = new Gazetteer(entries.size);
    for (const [hash, flags] of entries) gazetteer.set(hash, flags);
    return gazetteer;
  }

  /** @param flags not 0. */
  set(hash: number, flags: number): void {
    let slot = (hash ^ (hash >>> 16)) & this.mask;
    while (this.values[slot] !== 0) slot = (slot + 1) & this.mask;
    this.keys[slot] = hash;
    this.values[slot] = flags;
  }

  /** @returns the flags of the word with this hash; 0 for an unknown word. */
  lookup(hash: number): number {
    let slot = (hash ^ (hash >>> 16)) & this.mask;
    for (;;) {
      const value = this.values[slot] ?? 0;
      if (value === 0 || this.keys[slot] === hash) return value;
      slot = (slot + 1) & this.mask;
    }
  }
}
