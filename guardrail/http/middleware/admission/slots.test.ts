import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../../../ids.ts';
import { Slots } from './slots.ts';

const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];

describe('the slots of several tenants', () => {
  /** Time passes only while calls run. */
  let time = 0;
  beforeEach(() => {
    time = 0;
  });
  const open = (maxRunning = 16, maxWaitMs = 60_000): Slots => new Slots({ maxRunning, maxWaitMs, now: () => time });
  /** @returns when the call started; undefined if it was refused. */
  const work = async (slots: Slots, tenant: Tenant, bytes: number, ms: number): Promise<number | undefined> => {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await slots.acquire(tenant, bytes);
    } catch {
      return undefined;
    }
    const began = time;
    time += ms;
    slots.release(tenant);
    return began;
  };

  it('do not let the large calls of a tenant delay the small calls of another', async () => {
    const slots = open();
    const large = Array.from({ length: 20 }, () => work(slots, A, 1_000_000, 1000));
    await large[0];
    const small = Array.from({ length: 50 }, () => work(slots, B, 1000, 1));
    const began = await Promise.all(small);
    // Behind all calls of A it would be 20 seconds. Two of them were running or about to start when B arrived.
    expect(Math.max(...began.map((at) => at ?? Infinity))).to.be.below(4000);
    expect((await Promise.all(large)).filter((at) => at !== undefined)).to.have.length(20);
  });

  it('do not refuse a tenant because of the queued calls of another', async () => {
    const slots = open(16, 10_000);
    const large = Array.from({ length: 40 }, () => work(slots, A, 1_000_000, 1000));
    await Promise.race(large.slice(2));
    expect(() => {
      slots.check(A, 5_000_000);
    }).to.throw('retry later');
    slots.check(B, 5_000_000);
    const refused = (await Promise.all(large)).filter((at) => at === undefined);
    expect(refused.length).to.be.greaterThan(20);
  });

  it('remain available to a tenant while the calls of another wait for I/O', async () => {
    const slots = open();
    // None of them finishes: each waits for image OCR.
    const stuck = Array.from({ length: 30 }, () => Promise.resolve(slots.acquire(A, 1000)).catch(() => undefined));
    await Promise.all(stuck.slice(0, 12));
    for (let n = 0; n < 10; n += 1) expect(await work(slots, B, 1000, 1)).to.be.a('number');
    for (let n = 0; n < 30; n += 1) {
      await stuck[n];
      slots.release(A);
    }
  });

  it('never exceed the limit, starve no tenant, and are all free in the end, for any sequence of calls', async () => {
    const call = fc.record({
      tenant: fc.constantFrom(A, B, C),
      bytes: fc.integer({ min: 0, max: 100_000 }),
      rounds: fc.integer({ min: 0, max: 3 }),
      pause: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 40 }), fc.integer({ min: 1, max: 6 }), async (calls, maxRunning) => {
        const slots = open(maxRunning);
        const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
        let running = 0;
        let most = 0;
        const one = async ({ tenant, bytes, rounds, pause }: (typeof calls)[number]): Promise<void> => {
          for (let n = 0; n < pause; n += 1) await round();
          await slots.acquire(tenant, bytes);
          running += 1;
          most = Math.max(most, running);
          time += 1;
          for (let n = 0; n < rounds; n += 1) await round();
          running -= 1;
          slots.release(tenant);
        };
        await Promise.all(calls.map(one));
        expect(running).to.equal(0);
        expect(most).to.be.at.most(maxRunning);
      }),
      { numRuns: 50 },
    );
  });
});
