import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../../ids.ts';
import { createPlaces, type Place, type Places } from './places.ts';

const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];

describe('places of calls, and the bytes of their bodies', () => {
  let time = 0;
  beforeEach(() => {
    time = 0;
  });
  const open = (): Places =>
    createPlaces({
      ...{ maxRunning: 10, maxWaiting: 10, maxBytes: 100_000, maxBody: 20_000 },
      ...{ expectedWaitMs: () => 0, now: () => time },
    });
  /** How many calls with so many bytes each a tenant gets in, and what it holds. */
  function fill(places: Places, tenant: Tenant, bytes: number): Place[] {
    const taken: Place[] = [];
    try {
      for (;;) {
        const place = places.take(tenant, 0);
        taken.push(place);
        place.hold(bytes);
      }
    } catch {
      return taken;
    }
  }

  it('give the place of a body that stalled to a call that needs it, and no other one', () => {
    const places = open();
    const stuck = fill(places, A, 1);
    const [done] = stuck;
    done?.done();
    time += 1999;
    expect(() => places.take(A, 0)).to.throw('try again');
    time += 1;
    places.take(A, 0);
    expect(stuck.map(({ signal }) => signal.aborted).indexOf(true)).to.equal(1);
    expect(stuck.filter(({ signal }) => signal.aborted)).to.have.length(1);
  });

  it('give bytes of bodies that stalled to one that arrives', () => {
    const places = open();
    const small = places.take(B, 0);
    const stuck = fill(places, A, 10_000);
    time += 2000;
    const arriving = places.take(B, 0);
    arriving.hold(20_000);
    arriving.hold(20_000);
    expect(stuck.some(({ signal }) => signal.aborted)).to.equal(true);
    // It holds nothing that could be of use.
    expect(small.signal.aborted).to.equal(false);
  });

  const step = fc.record({
    tenant: fc.constantFrom(A, B, C),
    action: fc.constantFrom('take', 'hold', 'hold', 'done', 'give back', 'wait'),
    which: fc.nat(50),
    bytes: fc.integer({ min: 1, max: 30_000 }),
  });

  it('never hold more than they may, and hold nothing in the end, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const places = open();
        const taken: { place: Place; held: number }[] = [];
        for (const { tenant, action, which, bytes } of steps) {
          const one = taken[which % Math.max(1, taken.length)];
          try {
            if (action === 'take') taken.push({ place: places.take(tenant, bytes), held: 0 });
            else if (action === 'wait') time += bytes / 10;
            else if (action === 'done') one?.place.done();
            else if (action === 'hold') {
              one?.place.hold(bytes);
              if (one) one.held += bytes;
            } else if (one) {
              one.place.giveBack();
              taken.splice(taken.indexOf(one), 1);
            }
          } catch (error) {
            expect(error).to.have.property('status', 429);
          }
          const living = taken.filter(({ place }) => !place.signal.aborted);
          expect(living.length).to.be.at.most(20);
          expect(living.reduce((sum, { held }) => sum + held, 0)).to.be.at.most(100_000);
        }
        for (const { place } of taken) place.giveBack();
        // As many as in the beginning.
        expect(fill(places, A, 7000)).to.have.length(fill(open(), A, 7000).length);
      }),
    );
  });
});
