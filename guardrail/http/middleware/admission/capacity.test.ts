import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../../../ids.ts';
import { Capacity, type Reservation } from './capacity.ts';

const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];

describe('the capacity for calls and bodies', () => {
  let time = 0;
  beforeEach(() => {
    time = 0;
  });
  const open = (): Capacity =>
    new Capacity({
      ...{ maxRunning: 10, maxWaiting: 10, maxBytes: 100_000, maxBody: 20_000 },
      ...{ expectedWaitMs: () => 0, now: () => time },
    });
  /** Reserves capacity for calls of this size until one is refused. */
  function fill(capacity: Capacity, tenant: Tenant, bytes: number): Reservation[] {
    const taken: Reservation[] = [];
    try {
      for (;;) {
        const reservation = capacity.reserve(tenant, 0);
        taken.push(reservation);
        reservation.addBytes(bytes);
      }
    } catch {
      return taken;
    }
  }

  it('aborts one stalled body, and no other, when a call needs capacity', () => {
    const capacity = open();
    const stuck = fill(capacity, A, 1);
    const [done] = stuck;
    done?.done();
    time += 1999;
    expect(() => capacity.reserve(A, 0)).to.throw('retry later');
    time += 1;
    capacity.reserve(A, 0);
    expect(stuck.map(({ isAborted }) => isAborted).indexOf(true)).to.equal(1);
    expect(stuck.filter(({ isAborted }) => isAborted)).to.have.length(1);
  });

  it('aborts stalled bodies when a body that arrives needs bytes', () => {
    const capacity = open();
    const small = capacity.reserve(B, 0);
    const stuck = fill(capacity, A, 10_000);
    time += 2000;
    const arriving = capacity.reserve(B, 0);
    arriving.addBytes(20_000);
    arriving.addBytes(20_000);
    expect(stuck.some(({ isAborted }) => isAborted)).to.equal(true);
    // It uses no bytes.
    expect(small.isAborted).to.equal(false);
  });

  const step = fc.record({
    tenant: fc.constantFrom(A, B, C),
    action: fc.constantFrom('take', 'hold', 'hold', 'done', 'give back', 'wait'),
    which: fc.nat(50),
    bytes: fc.integer({ min: 1, max: 30_000 }),
  });

  it('never exceeds its limits, and is completely free in the end, for any sequence of calls', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const capacity = open();
        const taken: { reservation: Reservation; used: number }[] = [];
        for (const { tenant, action, which, bytes } of steps) {
          const one = taken[which % Math.max(1, taken.length)];
          try {
            if (action === 'take') taken.push({ reservation: capacity.reserve(tenant, bytes), used: 0 });
            else if (action === 'wait') time += bytes / 10;
            else if (action === 'done') one?.reservation.done();
            else if (action === 'hold') {
              one?.reservation.addBytes(bytes);
              if (one) one.used += bytes;
            } else if (one) {
              one.reservation.release();
              taken.splice(taken.indexOf(one), 1);
            }
          } catch (error) {
            expect(error).to.have.property('status', 429);
          }
          const living = taken.filter(({ reservation }) => !reservation.isAborted);
          expect(living.length).to.be.at.most(20);
          expect(living.reduce((sum, { used }) => sum + used, 0)).to.be.at.most(100_000);
        }
        for (const { reservation } of taken) reservation.release();
        // The same number as at the start.
        expect(fill(capacity, A, 7000)).to.have.length(fill(open(), A, 7000).length);
      }),
    );
  });
});
