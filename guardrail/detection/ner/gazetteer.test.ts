import { zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { Gazetteer } from './gazetteer.ts';
import { createKernel, numbersAt } from '../kernelInstance.ts';
import { packGazetteer, unpackGazetteer } from './model.ts';

describe('gazetteer', () => {
  /** Hashes of which many begin at the same slot, or differ only in one half. */
  const hash = fc.oneof(
    fc.integer(),
    fc.tuple(fc.constantFrom(0, 1, 2, 0x7fff, 0xffff), fc.constantFrom(0, 1, 2, 0xffff)).map(([high, low]) => {
      return (high << 16) | low;
    }),
  );

  it('has the flags of its words, and none of other words, in the kernel too', () => {
    const words = fc.array(fc.tuple(hash, fc.integer({ min: 1, max: 255 })), { maxLength: 40 });
    const kernel = createKernel();
    kernel.reserveTagger(8, 8, Gazetteer.of(new Map()).entries.length, 0);
    fc.assert(
      fc.property(words, fc.array(hash, { maxLength: 40 }), (entries, others) => {
        const expected = new Map(entries);
        const gazetteer = Gazetteer.of(expected);
        const { entries: slots } = gazetteer;
        kernel.reserveNames(slots.length);
        for (const table of [kernel.gazetteerAt, kernel.namesAt]) numbersAt(kernel, table, slots.length).set(slots);
        kernel.indexNames();
        for (const word of [...expected.keys(), ...others]) {
          expect(gazetteer.lookup(word), String(word)).to.equal(expected.get(word) ?? 0);
          expect(kernel.flagsOfWord(word), String(word)).to.equal(expected.get(word) ?? 0);
          expect(kernel.flagsOfName(word), String(word)).to.equal(expected.get(word) ?? 0);
        }
      }),
    );
  });

  it('is the same whatever the order of its words, also from a file', () => {
    const words = fc.array(fc.tuple(hash, fc.integer({ min: 1, max: 255 })), { maxLength: 40 });
    fc.assert(
      fc.property(words, (entries) => {
        const flags = new Map(entries);
        const { entries: slots } = Gazetteer.of(flags);
        expect(Gazetteer.of(new Map([...flags].reverse())).entries).to.deep.equal(slots);
        expect(unpackGazetteer(packGazetteer(flags)).entries).to.deep.equal(slots);
      }),
      { numRuns: 20 },
    );
  });

  it('rejects a file with another layout', () => {
    for (const bytes of [0, 10, 3 * 2 ** 16, 4 * (2 ** 16 - 1), 4 * 2 ** 15])
      expect(() => unpackGazetteer(zstdCompressSync(Buffer.alloc(bytes))), String(bytes)).to.throw(
        'belongs to another version',
      );
  });

  it('rejects more words of one slot than it can tell apart', () => {
    const words = Array.from({ length: 257 }, (_, low) => [low, 1] as const);
    expect(() => Gazetteer.of(new Map(words))).to.throw('similar hashes');
    expect(() => Gazetteer.of(new Map(words.slice(1)))).not.to.throw();
  });
});
