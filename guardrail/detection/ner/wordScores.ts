import { offsets, wordFeatures } from './features.ts';
import type { Gazetteer } from './gazetteer.ts';
import { clamped, packedWords, scoreOfSum } from './packedScores.ts';
import type { RowSums } from './rowSums.ts';
import type { Tokens } from './tokens.ts';

/** Default size of the cache: a power of two. */
const defaultSlots = 1 << 15;
/** Numbers in a slot: the packed scores for each position relative to the word. */
export const perSlot = offsets * packedWords;
/** Numbers in a line of the processor's cache. */
const LINE = 16;

/** The scores of words, in a cache: a frequent word costs additions only. An instance processes one text at a time. */
export class WordScores {
  /** Scores of each slot, and of one more slot that is always zero, for positions outside the text. */
  readonly sums: Int32Array;
  /** Flags of the word of each slot in the gazetteer. */
  readonly known: Uint8Array;
  /** The slot that is always zero. */
  readonly empty: number;
  private readonly gazetteer: Gazetteer;
  private readonly rows: RowSums;
  private readonly slots: number;
  /** Two numbers per slot, which identify a word. A word is in one of the two slots of its pair. */
  private readonly keys: Int32Array;
  /** The slot of each pair that was used last. The other one is replaced. */
  private readonly recent: Uint8Array;
  private readonly ends = new Int32Array(offsets);

  /**
   * @param rows the table of weights, with room for the features of a word.
   * @param slots at least 8, a power of two.
   */
  constructor(rows: RowSums, gazetteer: Gazetteer, slots = defaultSlots) {
    this.gazetteer = gazetteer;
    this.rows = rows;
    this.slots = slots;
    this.empty = slots;
    this.keys = new Int32Array(2 * slots).fill(-1);
    this.recent = new Uint8Array(slots >> 1);
    this.sums = new Int32Array((slots + 1) * perSlot);
    this.known = new Uint8Array(slots);
  }

  /**
   * Reads what {@link slotOf} and the sums of the tokens from `from` to `to` will need. The processor loads the memory of many
   * tokens concurrently here, and that of one token after the other where it has to compute in between.
   * @returns a number without a meaning, which keeps the compiler from removing the accesses.
   */
  prefetch(tokens: Tokens, from: number, to: number): number {
    const { keys, sums, gazetteer } = this;
    const { exact: hashes } = tokens;
    let read = 0;
    for (let token = from; token < to; token++) {
      const exact = hashes[token] ?? 0;
      const pair = this.pairOf(exact);
      const at = 4 * pair;
      const slot = keys[at] === exact ? 2 * pair : keys[at + 2] === exact ? 2 * pair + 1 : -1;
      if (slot < 0) read ^= gazetteer.prefetch(tokens.word[token] ?? 0);
      else read ^= (sums[slot * perSlot] ?? 0) ^ (sums[slot * perSlot + LINE] ?? 0);
    }
    return read;
  }

  /**
   * Finds or fills the slot of a token. Does not replace a slot that one of the four tokens before it uses.
   * @param inUse the slots of the tokens before it: that of token `n` at `n + 2`.
   */
  slotOf(text: string, tokens: Tokens, token: number, inUse: Int32Array): number {
    const { slots, keys, recent } = this;
    const exact = tokens.exact[token] ?? 0;
    const exact2 = tokens.exact2[token] ?? 0;
    const pair = this.pairOf(exact);
    const at = 4 * pair;
    if (keys[at] === exact && keys[at + 1] === exact2) {
      recent[pair] = 0;
      return 2 * pair;
    }
    if (keys[at + 2] === exact && keys[at + 3] === exact2) {
      recent[pair] = 1;
      return 2 * pair + 1;
    }
    let slot = 2 * pair + 1 - (recent[pair] ?? 0);
    while (isNeeded(slot, token, inUse)) slot = (slot + 1) & (slots - 1);
    recent[slot >> 1] = slot & 1;
    keys[2 * slot] = exact;
    keys[2 * slot + 1] = exact2;
    this.fill(slot, text, tokens, token);
    return slot;
  }

  private pairOf(exact: number): number {
    return (exact ^ (exact >>> 15)) & ((this.slots >> 1) - 1);
  }

  private fill(slot: number, text: string, tokens: Tokens, token: number): void {
    const { ends, rows, sums } = this;
    const { sum } = rows;
    const gazetteer = this.gazetteer.lookup(tokens.word[token] ?? 0);
    this.known[slot] = gazetteer;
    wordFeatures(text, tokens, token, gazetteer, rows.features, ends);
    let from = 0;
    for (let offset = 0; offset < offsets; offset++) {
      const end = ends[offset] ?? 0;
      rows.add(from, end);
      const to = slot * perSlot + offset * packedWords;
      for (let word = 0; word < packedWords; word++) sums[to + word] = clamped(scoreOfSum(sum[word] ?? 0, end - from));
      from = end;
    }
  }
}

/** Whether one of the four tokens before a token uses the slot. */
const isNeeded = (slot: number, token: number, inUse: Int32Array): boolean =>
  inUse[token + 1] === slot ||
  inUse[token] === slot ||
  (token > 0 && inUse[token - 1] === slot) ||
  (token > 1 && inUse[token - 2] === slot);
