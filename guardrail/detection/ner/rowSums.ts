import { firstOf, otherOf, packedWords, rowWords, scoreOfSum } from './packedScores.ts';

/** Adds up rows of the table of weights. */
export class RowSums {
  /** The rows to add. The caller writes all of them first, so that the processor loads many rows concurrently. */
  readonly features: Int32Array;
  /** The last sum. */
  readonly sum = new Int32Array(packedWords);
  private readonly rows: Int32Array;

  /** @param most the largest number of features. */
  constructor(rows: Int32Array, most: number) {
    this.rows = rows;
    this.features = new Int32Array(most);
  }

  /** Adds up the rows of the features from `from` to `end`, 256 at most. */
  add(from: number, end: number): void {
    const { features, rows, sum } = this;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let at = from; at < end; at++) {
      const row = (features[at] ?? 0) * rowWords;
      const first = rows[row] ?? 0;
      const second = rows[row + 1] ?? 0;
      a = (a + firstOf(first)) | 0;
      b = (b + otherOf(first)) | 0;
      c = (c + firstOf(second)) | 0;
      d = (d + otherOf(second)) | 0;
    }
    const count = end - from;
    sum[0] = scoreOfSum(a, count);
    sum[1] = scoreOfSum(b, count);
    sum[2] = scoreOfSum(c, count);
    sum[3] = scoreOfSum(d, count);
  }
}
