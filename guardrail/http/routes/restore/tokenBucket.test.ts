import { expect } from 'chai';
import fc from 'fast-check';
import { TokenBucket } from './tokenBucket.ts';

describe('a token bucket', () => {
  it('gives a minute of tokens at once, and then one as soon as it says', () => {
    let now = 1000;
    const bucket = new TokenBucket(60, () => now);
    for (let n = 0; n < 60; n++) expect(bucket.take(1)).to.equal(0);
    expect(bucket.take(1)).to.equal(1000);
    now += 999;
    expect(bucket.take(1)).to.be.within(1, 1000);
    now += 1000;
    expect(bucket.take(1)).to.equal(0);
  });

  it('is empty after more was asked for than it has', () => {
    const bucket = new TokenBucket(60, () => 0);
    expect(bucket.take(61)).to.be.greaterThan(0);
    expect(bucket.take(1)).to.be.greaterThan(0);
    expect(bucket.take(0)).to.equal(0);
  });

  it('gives the rate to a caller that tries again too early, too', () => {
    let now = 0;
    const bucket = new TokenBucket(60, () => now);
    bucket.take(60);
    let taken = 0;
    for (; now < 60_000; now += 100) if (bucket.take(1) === 0) taken++;
    expect(taken).to.be.within(58, 60);
  });

  it('gives at most two minutes of tokens in any minute', () => {
    const steps = fc.array(fc.record({ wait: fc.nat(5000), count: fc.nat(20) }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), steps, (perMinute, calls) => {
        let now = 0;
        const bucket = new TokenBucket(perMinute, () => now);
        let taken = 0;
        for (const { wait, count } of calls) {
          now += wait;
          if (bucket.take(count) === 0) taken += count;
        }
        expect(taken).to.be.at.most(perMinute + (now * perMinute) / 60_000 + 1e-6);
      }),
    );
  });
});
