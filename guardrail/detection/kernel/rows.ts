/** Sums of rows of the table of weights. */
import { featuresAt, ROW, rowsAt, spanRowsAt, sumsAt } from './memory';
import { logStep, zero } from './numbers';

/**
 * Adds up the rows of a table that the numbers from address `from` to `end` name: bytes without a sign, at most 256 rows. The processor
 * loads many rows concurrently.
 * @returns the sums of the eight bytes, 16 bits each
 */
function sumRows(table: i32, from: i32, end: i32): v128 {
  let sum = i16x8.splat(0);
  for (let at = from; at < end; at += 4) {
    const row = v128.load64_zero(table + ROW * load<i32>(at));
    sum = i16x8.add(sum, i16x8.extend_low_i8x16_u(row));
  }
  return sum;
}

/** The sums of the tagger's rows, as scores of eight labels. */
export function scoresOf(from: i32, end: i32): v128 {
  const zeros = i16x8.splat(<i16>(((end - from) >> 2) * zero));
  return i16x8.shl(i16x8.sub(sumRows(rowsAt, from, end), zeros), logStep);
}

/** Adds up the classifier's rows of the first `count` features. */
export function sumFeatures(count: i32): void {
  v128.store(sumsAt, sumRows(spanRowsAt, featuresAt, featuresAt + 4 * count));
}
