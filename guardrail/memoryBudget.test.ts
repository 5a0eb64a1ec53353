import { expect } from 'chai';
import fc from 'fast-check';
import { bodiesIn, DEFAULT_MAX_BODY, heapOf, limitFor, maxBodyOf } from './memoryBudget.ts';

const MIB = 1024 * 1024;

describe('the memory budget', () => {
  it('has room for a body of the largest size under the limit for that size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1024, max: 256 * MIB }), fc.boolean(), (maxBody, readsImages) => {
        const limit = limitFor(maxBody, readsImages);
        expect(heapOf(limit, readsImages)).to.be.below(limit);
        expect(maxBodyOf(limit, readsImages)).to.be.at.least(maxBody);
        // Not only because one body always fits by definition.
        expect(bodiesIn(heapOf(limit, readsImages), 0)).to.be.at.least(maxBody);
      }),
    );
  });

  it('fits the default body into 1.25 GiB, and half of that if no images are read', () => {
    expect(limitFor(DEFAULT_MAX_BODY, true)).to.be.at.most(1280 * MIB);
    expect(limitFor(DEFAULT_MAX_BODY, false)).to.be.at.most(640 * MIB);
  });

  it('grows with the body size, and always has room for one body', () => {
    fc.assert(
      fc.property(fc.integer({ min: 64, max: 8192 }), fc.integer({ min: 64, max: 8192 }), (a, b) => {
        const [less, more] = [Math.min(a, b) * MIB, Math.max(a, b) * MIB];
        expect(heapOf(less, true)).to.be.at.most(heapOf(more, true));
        expect(maxBodyOf(less, true)).to.be.at.most(maxBodyOf(more, true));
        expect(bodiesIn(heapOf(less, true), DEFAULT_MAX_BODY)).to.be.at.least(DEFAULT_MAX_BODY);
      }),
    );
  });
});
