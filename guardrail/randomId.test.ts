import { expect } from 'chai';
import { randomId } from './randomId.ts';

describe('a random id', () => {
  it('has 128 bits in hexadecimal, and never comes again', () => {
    const ids = Array.from({ length: 2000 }, randomId);
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{32}$/);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('has each digit about equally often at each place', () => {
    const ids = Array.from({ length: 4000 }, randomId);
    for (let place = 0; place < 32; place += 1) {
      const counts = new Map<string, number>();
      for (const id of ids) counts.set(id.charAt(place), (counts.get(id.charAt(place)) ?? 0) + 1);
      // 250 on average, with a standard deviation of 15.
      for (const count of counts.values()) expect(count).to.be.within(130, 370);
      expect(counts.size).to.equal(16);
    }
  });
});
