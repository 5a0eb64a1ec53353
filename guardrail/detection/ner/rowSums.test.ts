import { expect } from 'chai';
import fc from 'fast-check';
import { RowSums } from './rowSums.ts';

describe('row sums', () => {
  const size = 50;
  const bytes = Uint8Array.from({ length: size * 8 }, (_, at) => (at * 7919) & 0xff);
  const sums = new RowSums(new Int32Array(bytes.buffer), 300, 8);

  /** The sums of each byte of the rows. */
  const columns = (rows: readonly number[]): number[] =>
    Array.from({ length: 8 }, (_, at) => rows.reduce((sum, row) => sum + (bytes[row * 8 + at] ?? 0), 0));
  const halves = (low: number, high: number): number => (low + (high << 16)) | 0;
  /** The sums of a group. */
  const expected = (rows: readonly number[]): number[] => {
    const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0] = columns(rows);
    return [halves(b0, b2), halves(b1, b3), halves(b4, b6), halves(b5, b7)];
  };
  const row = fc.integer({ min: 0, max: size - 1 });

  it('are those of the bytes of all rows', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 256 }), fc.nat({ max: 44 }), (rows, from) => {
        sums.features.set(rows, from);
        sums.add(from, from + rows.length);
        expect([...sums.sum.subarray(0, 4)]).to.deep.equal(expected(rows));
      }),
    );
  });

  it('are those of each group', () => {
    const groups = fc.integer({ min: 1, max: 30 }).chain((length) => {
      return fc.array(fc.array(row, { minLength: length, maxLength: length }), { minLength: 1, maxLength: 8 });
    });
    fc.assert(
      fc.property(groups, (all) => {
        const rows = all.flat();
        sums.features.set(rows);
        sums.add(0, rows.length, all[0]?.length);
        expect([...sums.sum.subarray(0, all.length * 4)]).to.deep.equal(all.flatMap(expected));
      }),
    );
  });
});
