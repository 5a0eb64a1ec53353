/** The logarithm of the number of bits: 128 KiB, which a core's own cache holds. A table of known names is eight times as large. */
const LOG_BITS = 20;

/**
 * Tells of most hashes that they are not in a table, without access to the table (Bloom, 1970, with one bit for each hash). Most
 * lookups are of hashes that no table has.
 */
export class HashFilter {
  private readonly bits = new Int32Array(1 << (LOG_BITS - 5));

  add(hash: number): void {
    const bit = hash >>> (32 - LOG_BITS);
    this.bits[bit >> 5] = (this.bits[bit >> 5] ?? 0) | (1 << (bit & 31));
  }

  /** Whether a hash may have been added. Always true for one that was. */
  mayHave(hash: number): boolean {
    const bit = hash >>> (32 - LOG_BITS);
    return (((this.bits[bit >> 5] ?? 0) >> (bit & 31)) & 1) !== 0;
  }
}
