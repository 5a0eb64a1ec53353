import { createKernel, type Sum } from './rowSumsKernel.ts';

/** The bytes of a line of the processor's cache. The table begins with one, so that no row is in two. */
const LINE = 64;
const INT = Int32Array.BYTES_PER_ELEMENT;
/** Numbers of the sums of a group. */
export const sumsLength = 4;

/**
 * Adds up rows of a table of weights: bytes without a sign, eight in a row. The sums of 256 rows, at most, fit into 16 bits.
 */
export class RowSums {
  /** The rows to add. The caller writes all of them first, so that the processor loads many rows concurrently. */
  readonly features: Int32Array;
  /**
   * The last sums: those of the bytes 0 and 2 in the halves of a number, and those of 1 and 3, 4 and 6, 5 and 7, for one group
   * after the other.
   */
  readonly sum: Int32Array;
  private readonly addRows: Sum;
  private readonly offset: number;

  /**
   * @param rows two numbers in a row. They are copied.
   * @param most the largest number of features.
   * @param groups the largest number of groups.
   */
  constructor(rows: Int32Array, most: number, groups = 1) {
    this.offset = groups * sumsLength * INT;
    const rowsAt = Math.ceil((this.offset + most * INT) / LINE) * LINE;
    const { sum, memory } = createKernel(rowsAt, rowsAt + rows.byteLength);
    this.addRows = sum;
    this.sum = new Int32Array(memory.buffer, 0, groups * sumsLength);
    this.features = new Int32Array(memory.buffer, this.offset, most);
    new Int32Array(memory.buffer, rowsAt, rows.length).set(rows);
  }

  /** Adds up the rows of the features from `from` to `end`, in groups of `size`: one to 256. Default: all in one group. */
  add(from: number, end: number, size = end - from): void {
    this.addRows(this.offset + from * INT, this.offset + end * INT, size * INT, 0);
  }
}
