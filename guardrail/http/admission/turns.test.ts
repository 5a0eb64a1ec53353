import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../../ids.ts';
import { createTurns, type Turns } from './turns.ts';

const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];

describe('turns of several tenants', () => {
  /** Time passes only where calls work. */
  let time = 0;
  beforeEach(() => {
    time = 0;
  });
  const open = (maxRunning = 16, maxWaitMs = 60_000): Turns => createTurns({ maxRunning, maxWaitMs, now: () => time });
  /** @returns when the call began; undefined where it was refused. */
  const work = async (turns: Turns, tenant: Tenant, bytes: number, ms: number): Promise<number | undefined> => {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await turns.begin(tenant, bytes);
    } catch {
      return undefined;
    }
    const began = time;
    time += ms;
    turns.end(tenant);
    return began;
  };

  it('do not let the large calls of one delay the small ones of another', async () => {
    const turns = open();
    const large = Array.from({ length: 20 }, () => work(turns, A, 1_000_000, 1000));
    await large[0];
    const small = Array.from({ length: 50 }, () => work(turns, B, 1000, 1));
    const began = await Promise.all(small);
    // Behind all of A it would be 20 seconds; two of them were in work, or about to be, when B came.
    expect(Math.max(...began.map((at) => at ?? Infinity))).to.be.below(4000);
    expect((await Promise.all(large)).filter((at) => at !== undefined)).to.have.length(20);
  });

  it('do not refuse one for what another has in line', async () => {
    const turns = open(16, 10_000);
    const large = Array.from({ length: 40 }, () => work(turns, A, 1_000_000, 1000));
    await Promise.race(large.slice(2));
    expect(() => {
      turns.check(A, 5_000_000);
    }).to.throw('try again');
    turns.check(B, 5_000_000);
    const refused = (await Promise.all(large)).filter((at) => at === undefined);
    expect(refused.length).to.be.greaterThan(20);
  });

  it('leave room beside the calls of one that wait for something else', async () => {
    const turns = open();
    // None of them ends: each waits for the reader of images.
    const stuck = Array.from({ length: 30 }, () => turns.begin(A, 1000).catch(() => undefined));
    await Promise.all(stuck.slice(0, 12));
    for (let n = 0; n < 10; n += 1) expect(await work(turns, B, 1000, 1)).to.be.a('number');
    for (let n = 0; n < 30; n += 1) {
      await stuck[n];
      turns.end(A);
    }
  });

  it('never run more than they may, starve nobody, and are all free in the end, whatever comes when', async () => {
    const call = fc.record({
      tenant: fc.constantFrom(A, B, C),
      bytes: fc.integer({ min: 0, max: 100_000 }),
      rounds: fc.integer({ min: 0, max: 3 }),
      pause: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 40 }), fc.integer({ min: 1, max: 6 }), async (calls, maxRunning) => {
        const turns = open(maxRunning);
        const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
        let running = 0;
        let most = 0;
        const one = async ({ tenant, bytes, rounds, pause }: (typeof calls)[number]): Promise<void> => {
          for (let n = 0; n < pause; n += 1) await round();
          await turns.begin(tenant, bytes);
          running += 1;
          most = Math.max(most, running);
          time += 1;
          for (let n = 0; n < rounds; n += 1) await round();
          running -= 1;
          turns.end(tenant);
        };
        await Promise.all(calls.map(one));
        expect(running).to.equal(0);
        expect(most).to.be.at.most(maxRunning);
      }),
      { numRuns: 50 },
    );
  });
});
