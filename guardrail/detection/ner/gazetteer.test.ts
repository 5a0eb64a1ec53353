import { expect } from 'chai';
import fc from 'fast-check';
import { Gazetteer } from './gazetteer.ts';

describe('gazetteer', () => {
  /** Hashes of which many begin at the same slot, or differ only in one half. */
  const hash = fc.oneof(
    fc.integer(),
    fc.tuple(fc.constantFrom(0, 1, 2, 0x7fff, 0xffff), fc.constantFrom(0, 1, 2, 0xffff)).map(([high, low]) => {
      return (high << 16) | low;
    }),
  );

  it('has the flags of its words, and none of other words', () => {
    const words = fc.array(fc.tuple(hash, fc.integer({ min: 1, max: 255 })), { maxLength: 40 });
    fc.assert(
      fc.property(words, fc.array(hash, { maxLength: 40 }), (entries, others) => {
        const expected = new Map(entries);
        const gazetteer = Gazetteer.of(expected);
        for (const word of [...expected.keys(), ...others]) {
          expect(gazetteer.lookup(word), String(word)).to.equal(expected.get(word) ?? 0);
        }
        const hashes: number[] = [];
        gazetteer.forEachHash((hash) => hashes.push(hash));
        expect(hashes).to.have.members([...expected.keys()]);
      }),
    );
  });

  it('rejects more words of one slot than it can tell apart', () => {
    const words = Array.from({ length: 257 }, (_, low) => [low, 1] as const);
    expect(() => Gazetteer.of(new Map(words))).to.throw('similar hashes');
    expect(() => Gazetteer.of(new Map(words.slice(1)))).not.to.throw();
  });
});
