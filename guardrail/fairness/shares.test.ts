import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../ids.ts';
import { createShares, type Shares } from './shares.ts';

const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];

/** Takes in steps until nothing more is given. */
function fill(shares: Shares, tenant: Tenant, step = 1): number {
  let taken = 0;
  while (shares.take(tenant, step)) taken += step;
  return taken;
}

describe('shares', () => {
  it('give one tenant three quarters, and keep the rest for those who come next', () => {
    const shares = createShares({ capacity: 1000 });
    expect(fill(shares, A)).to.equal(751);
    expect(fill(shares, B)).to.be.within(180, 190);
    expect(fill(shares, C)).to.be.within(40, 50);
  });

  it('even out as what is held is given back', () => {
    const shares = createShares({ capacity: 1000 });
    const held = new Map([[A, fill(shares, A)]]);
    for (let round = 0; round < 200; round += 1) {
      for (const tenant of [A, B, C]) {
        const own = held.get(tenant) ?? 0;
        const back = Math.ceil(own / 10);
        shares.give(tenant, back);
        held.set(tenant, own - back + fill(shares, tenant));
      }
    }
    for (const tenant of [A, B, C]) expect(held.get(tenant), tenant).to.be.within(200, 400);
  });

  it('guarantee an amount to each tenant as long as it is free', () => {
    const shares = createShares({ capacity: 400, guaranteed: 100 });
    fill(shares, A, 10);
    expect(shares.take(B, 60)).to.equal(true);
    expect(fill(shares, B, 10)).to.equal(30);
  });

  const step = fc.record({
    tenant: fc.constantFrom(A, B, C),
    amount: fc.integer({ min: 1, max: 40 }),
    isGift: fc.boolean(),
  });

  it('never exceed the capacity, leave room for a newcomer, and are all free when all is given back', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 200 }), (steps, capacity) => {
        const shares = createShares({ capacity });
        const held = new Map<Tenant, number>();
        const all = (): number => [...held.values()].reduce((sum, amount) => sum + amount, 0);
        for (const { tenant, amount, isGift } of steps) {
          const own = held.get(tenant) ?? 0;
          if (isGift) {
            const back = Math.min(own, amount);
            shares.give(tenant, back);
            held.set(tenant, own - back);
          } else {
            const before = capacity - all();
            const isTaken = shares.take(tenant, amount);
            // A tenant that holds nothing gets what is free; one that holds much leaves a third of that free.
            expect(isTaken).to.equal(amount <= before && own <= 3 * before);
            if (isTaken) held.set(tenant, own + amount);
          }
          expect(shares.held).to.equal(all());
          expect(shares.held).to.be.within(0, capacity);
        }
        for (const [tenant, amount] of held) shares.give(tenant, amount);
        expect(shares.held).to.equal(0);
      }),
    );
  });

  it('notice who gives back more than it holds', () => {
    const shares = createShares({ capacity: 10 });
    shares.take(A, 3);
    shares.take(B, 3);
    expect(() => {
      shares.give(A, 4);
    }).to.throw('more than it holds');
  });
});
