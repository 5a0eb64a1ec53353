import type { ListHash } from './listHash.ts';

/** The length of a hash, in characters. */
export const HASH_LENGTH = 22;

/**
 * The lines of a shard, sorted by the hash that begins each. They stay as bytes: 100,000 customers as objects would take
 * 75 MB in each worker, and their lines take 9 MB.
 */
export class LineTable {
  readonly #bytes: Buffer;
  /** Where each line begins, and where the last one ends. */
  readonly #starts: Uint32Array;

  /** @param lines ASCII, sorted, without line ends */
  constructor(lines: readonly string[]) {
    this.#starts = new Uint32Array(lines.length + 1);
    let at = 0;
    for (const [index, { length }] of lines.entries()) this.#starts[index + 1] = at += length;
    this.#bytes = Buffer.from(lines.join(''), 'latin1');
  }

  get size(): number {
    return this.#starts.length - 1;
  }

  /** @returns what follows the hash in its line; undefined if there is no such line */
  find(hash: ListHash): string | undefined {
    const wanted = Buffer.from(hash, 'latin1');
    let low = 0;
    let high = this.size - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const start = this.#starts[middle] ?? 0;
      const order = this.#bytes.compare(wanted, 0, HASH_LENGTH, start, start + HASH_LENGTH);
      if (order === 0) return this.#bytes.toString('latin1', start + HASH_LENGTH, this.#starts[middle + 1]);
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}
