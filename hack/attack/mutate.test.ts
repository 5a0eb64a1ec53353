import { expect } from 'chai';
import fc from 'fast-check';
import { mutate } from './mutate.ts';
import { randomOf } from './random.ts';

const body = {
  input_type: 'request',
  texts: ['Write to a@example.org.'],
  rows: [{ role: 'user', content: ['x', { y: 1 }] }],
};

describe('mutated bodies', () => {
  const mutations = (seed: number, count = 300): Buffer[] => {
    const random = randomOf(seed, 'mutations');
    return Array.from({ length: count }, () => mutate(body, random));
  };

  it('repeat with the seed, and leave the original unchanged', () => {
    const before = structuredClone(body);
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(Buffer.concat(mutations(seed, 20)).equals(Buffer.concat(mutations(seed, 20)))).to.equal(true);
      }),
      { numRuns: 20 },
    );
    expect(body).to.deep.equal(before);
    expect(Buffer.concat(mutations(1)).equals(Buffer.concat(mutations(2)))).to.equal(false);
  });

  it('nearly always differ from the original, and include valid and invalid JSON', () => {
    const text = JSON.stringify(body);
    const all = mutations(1);
    expect(all.filter((bytes) => bytes.toString() === text).length).to.be.below(all.length / 10);
    const valid = all.filter((bytes) => {
      try {
        JSON.parse(bytes.toString());
        return true;
      } catch {
        return false;
      }
    });
    expect(valid.length).to.be.within(all.length / 4, (3 * all.length) / 4 + all.length / 6);
    // Some mutations break the encoding.
    expect(all.some((bytes) => !Buffer.from(bytes.toString()).equals(bytes))).to.equal(true);
  });
});
