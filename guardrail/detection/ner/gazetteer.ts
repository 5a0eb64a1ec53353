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

/** The logarithm of the fewest slots. With fewer, a slot does not tell the high half of a hash. */
const LEAST_LOG = 16;
/** The most slots between a word and the first slot of its hash. The shipped tables, almost half full, need 8. */
const MOST_STEPS = 255;
/** The bits of the flags in a slot. */
const FLAGS = 0xff;

/**
 * Maps words to their {@link flags}: 32-bit hashes in an open-addressing table, without strings. A slot is one number, so that
 * a lookup loads one cache line: the low half of the hash, the steps from the first slot of the hash, and the flags. The high
 * half of the hash follows from the slot. The first slots have the order of the hashes, so that adding sorted hashes writes the
 * table from its beginning to its end.
 */
export class Gazetteer {
  private readonly entries: Int32Array;
  private readonly mask: number;
  /** The bits of a hash below those that tell its first slot. */
  private readonly shift: number;

  /** @param count the number of words that {@link set} will add. */
  constructor(count: number) {
    const log = Math.max(LEAST_LOG, Math.ceil(Math.log2(count * 1.7)));
    this.shift = 32 - log;
    this.mask = 2 ** log - 1;
    this.entries = new Int32Array(2 ** log);
  }

  static of(entries: ReadonlyMap<number, number>): Gazetteer {
    const gazetteer = new Gazetteer(entries.size);
    for (const [hash, flags] of entries) gazetteer.set(hash, flags);
    return gazetteer;
  }

  /** @param flags not 0. */
  set(hash: number, flags: number): void {
    const first = hash >>> this.shift;
    let steps = 0;
    while (this.entries[(first + steps) & this.mask] !== 0) steps++;
    if (steps > MOST_STEPS) throw new Error('Too many words of the gazetteer have similar hashes.');
    this.entries[(first + steps) & this.mask] = (hash << 16) | (steps << 8) | flags;
  }

  /** Calls `use` with the hash of each word. */
  forEachHash(use: (hash: number) => void): void {
    this.entries.forEach((entry, slot) => {
      if (entry === 0) return;
      const first = (slot - ((entry >> 8) & MOST_STEPS)) & this.mask;
      use(((first << this.shift) & 0xffff0000) | (entry >>> 16));
    });
  }

  /** Reads the slot at which {@link lookup} begins. @returns what it contains */
  prefetch(hash: number): number {
    return this.entries[hash >>> this.shift] ?? 0;
  }

  /** @returns the flags of the word with this hash; 0 for an unknown word. */
  lookup(hash: number): number {
    const { entries, mask } = this;
    const first = hash >>> this.shift;
    const half = hash << 16;
    for (let steps = 0; steps <= MOST_STEPS; steps++) {
      const entry = entries[(first + steps) & mask] ?? 0;
      if (entry === 0 || (entry & ~FLAGS) === (half | (steps << 8))) return entry & FLAGS;
    }
    return 0;
  }
}
