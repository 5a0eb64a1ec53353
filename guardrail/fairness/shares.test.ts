import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../ids.ts';
import { createShares, type Shares } from './shares.ts';

const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];

/** Takes as much as possible, in steps. */
function fill(shares: Shares, tenant: Tenant, step = 1): number {
  let taken = 0;
  while (shares.take(tenant, step)) taken += step;
  return taken;
}

describe('shares', () => {
  it('give one tenant three quarters and reserve the rest for the next tenants', () => {
    const shares = createShares({ capacity: 1000 });
    expect(fill(shares, A)).to.equal(751);
    expect(fill(shares, B)).to.be.within(180, 190);
    expect(fill(shares, C)).to.be.within(40, 50);
  });

  it('become equal as tenants release their amounts', () => {
    const shares = createShares({ capacity: 1000 });
    const used = new Map([[A, fill(shares, A)]]);
    for (let round = 0; round < 200; round += 1) {
      for (const tenant of [A, B, C]) {
        const own = used.get(tenant) ?? 0;
        const back = Math.ceil(own / 10);
        shares.release(tenant, back);
        used.set(tenant, own - back + fill(shares, tenant));
      }
    }
    for (const tenant of [A, B, C]) expect(used.get(tenant), tenant).to.be.within(200, 400);
  });

  it('guarantee an amount to each tenant while it is free', () => {
    const shares = createShares({ capacity: 400, guaranteed: 100 });
    fill(shares, A, 10);
    expect(shares.take(B, 60)).to.equal(true);
    expect(fill(shares, B, 10)).to.equal(30);
  });

  const step = fc.record({
    tenant: fc.constantFrom(A, B, C),
    amount: fc.integer({ min: 1, max: 40 }),
    isRelease: fc.boolean(),
  });

  it('never exceed the capacity, leave room for a new tenant, and are free after all releases', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 200 }), (steps, capacity) => {
        const shares = createShares({ capacity });
        const used = new Map<Tenant, number>();
        const all = (): number => [...used.values()].reduce((sum, amount) => sum + amount, 0);
        for (const { tenant, amount, isRelease } of steps) {
          const own = used.get(tenant) ?? 0;
          if (isRelease) {
            const back = Math.min(own, amount);
            shares.release(tenant, back);
            used.set(tenant, own - back);
          } else {
            const before = capacity - all();
            const isTaken = shares.take(tenant, amount);
            // A tenant that uses nothing can take the whole free capacity. A large tenant leaves a third of its own
            // amount free.
            expect(isTaken).to.equal(amount <= before && own <= 3 * before);
            if (isTaken) used.set(tenant, own + amount);
          }
          expect(shares.used).to.equal(all());
          expect(shares.used).to.be.within(0, capacity);
        }
        for (const [tenant, amount] of used) shares.release(tenant, amount);
        expect(shares.used).to.equal(0);
      }),
    );
  });

  it('reject a release of more than a tenant uses', () => {
    const shares = createShares({ capacity: 10 });
    shares.take(A, 3);
    shares.take(B, 3);
    expect(() => {
      shares.release(A, 4);
    }).to.throw('more than it uses');
  });
});
