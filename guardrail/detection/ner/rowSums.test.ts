import { expect } from 'chai';
import fc from 'fast-check';
import { RowSums } from './rowSums.ts';

describe('row sums', () => {
  const size = 50;
  const bytes = Uint8Array.from({ length: size * 8 }, (_, at) => (at * 7919) & 0xff);
  const sums = new RowSums(new Int32Array(bytes.buffer), 300);

  /** The sums of each byte of the rows. */
  const columns = (rows: readonly number[]): number[] =>
    Array.from({ length: 8 }, (_, at) => rows.reduce((sum, row) => sum + (bytes[row * 8 + at] ?? 0), 0));

  it('are those of the bytes of all rows', () => {
    const row = fc.integer({ min: 0, max: size - 1 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 256 }), fc.nat({ max: 44 }), (rows, from) => {
        sums.features.set(rows, from);
        sums.add(from, from + rows.length);
        const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0] = columns(rows);
        const halves = (low: number, high: number): number => (low + (high << 16)) | 0;
        expect([...sums.sum]).to.deep.equal([halves(b0, b2), halves(b1, b3), halves(b4, b6), halves(b5, b7)]);
      }),
    );
  });
});
