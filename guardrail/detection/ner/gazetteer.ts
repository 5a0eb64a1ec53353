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
  /** All slots. A file has them as they are, so that reading it takes no time. */
  readonly entries: Int32Array;
  private readonly mask: number;
  /** The bits of a hash below those that tell its first slot. */
  private readonly shift: number;

  /** @param entries the slots of another gazetteer, or empty ones: see {@link isTable}. */
  constructor(entries: Int32Array) {
    this.entries = entries;
    this.mask = entries.length - 1;
    this.shift = Math.clz32(this.mask);
  }

  /** @param flags the flags of each word, not 0, by its hash. Their order makes no difference. */
  static of(flags: ReadonlyMap<number, number>): Gazetteer {
    const log = Math.max(LEAST_LOG, Math.ceil(Math.log2(flags.size * 1.7)));
    const gazetteer = new Gazetteer(new Int32Array(2 ** log));
    const sorted = [...flags].sort(([a], [b]) => (a >>> 0) - (b >>> 0));
    for (const [hash, own] of sorted) gazetteer.set(hash, own);
    return gazetteer;
  }

  /** Whether a number of slots is one that a gazetteer has. */
  static isTable(slots: number): boolean {
    return slots >= 2 ** LEAST_LOG && Number.isInteger(Math.log2(slots));
  }

  private set(hash: number, flags: number): void {
    const first = hash >>> this.shift;
    let steps = 0;
    while (this.entries[(first + steps) & this.mask] !== 0) steps++;
    if (steps > MOST_STEPS) throw new Error('Too many words of the gazetteer have similar hashes.');
    this.entries[(first + steps) & this.mask] = (hash << 16) | (steps << 8) | flags;
  }

  /** @returns the slot of the word with this hash; undefined for an unknown word. */
  slotOf(hash: number): number | undefined {
    const { entries, mask } = this;
    const first = hash >>> this.shift;
    const half = hash << 16;
    for (let steps = 0; steps <= MOST_STEPS; steps++) {
      const slot = (first + steps) & mask;
      const entry = entries[slot] ?? 0;
      if (entry === 0) return undefined;
      if ((entry & ~FLAGS) === (half | (steps << 8))) return slot;
    }
    return undefined;
  }

  /** @returns the flags of the word with this hash; 0 for an unknown word. The kernel looks most words up. */
  lookup(hash: number): number {
    const slot = this.slotOf(hash);
    return slot === undefined ? 0 : (this.entries[slot] ?? 0) & FLAGS;
  }
}
