import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AdaptiveLimit,
  afterCall,
  afterRefusal,
  type Ceiling,
  initialLimit,
  withCeiling,
} from './adaptiveLimit.ts';

const operation = 'POST /customer/new';
const ceiling = { qps: 1000, maxConcurrent: 64 };

/** A gateway that works on some calls at the same time; the others queue. */
interface Gateway {
  readonly capacity: number;
  readonly serviceMs: number;
}

/** Makes calls as many at a time as the limit permits, at a gateway whose queue is first in, first out. */
function simulate(start: AdaptiveLimit, { capacity, serviceMs }: Gateway, calls: number): Simulation {
  const freeAt = Array.from({ length: capacity }, () => 0);
  const inFlight: { readonly startedAt: number; readonly endsAt: number }[] = [];
  const latencies: number[] = [];
  let [limit, now] = [start, 0];
  while (latencies.length < calls) {
    while (inFlight.length < Math.floor(limit.concurrency)) {
      const server = freeAt.indexOf(Math.min(...freeAt));
      const endsAt = Math.max(now, freeAt[server] ?? 0) + serviceMs;
      freeAt[server] = endsAt;
      inFlight.push({ startedAt: now, endsAt });
    }
    const first = inFlight.reduce((one, other) => (other.endsAt < one.endsAt ? other : one));
    now = first.endsAt;
    const ms = now - first.startedAt;
    limit = afterCall(limit, ceiling, { operation, ms, failed: false, inFlight: inFlight.length });
    inFlight.splice(inFlight.indexOf(first), 1);
    latencies.push(ms);
  }
  return { limit, perSecond: (calls * 1000) / now, latencies };
}

interface Simulation {
  readonly limit: AdaptiveLimit;
  readonly perSecond: number;
  readonly latencies: readonly number[];
}

function repeat(
  limit: AdaptiveLimit,
  times: number,
  call: { readonly ms: number; readonly failed: boolean },
): AdaptiveLimit {
  let after = limit;
  for (let at = 0; at < times; at++) {
    after = afterCall(after, ceiling, { operation, ...call, inFlight: Math.floor(after.concurrency) });
  }
  return after;
}

const served = { ms: 10, failed: false };

describe('adaptive limit of a gateway', () => {
  it('is never above the ceiling and never below the floor', () => {
    const anyCeiling: fc.Arbitrary<Ceiling> = fc.record({
      qps: fc.integer({ min: 1, max: 10_000 }),
      maxConcurrent: fc.integer({ min: 1, max: 1000 }),
    });
    const event = fc.oneof(
      fc.record({
        operation: fc.constantFrom('one', 'another'),
        ms: fc.double({ min: 0, max: 15_000, noNaN: true }),
        failed: fc.boolean(),
        inFlight: fc.integer({ min: 1, max: 1000 }),
      }),
      fc.integer({ min: 0, max: 10_000 }),
    );
    const holds = (given: Ceiling, events: readonly (number | Parameters<typeof afterCall>[2])[]): void => {
      let limit = initialLimit(given);
      for (const each of events) {
        limit = typeof each === 'number' ? afterRefusal(limit, given, each) : afterCall(limit, given, each);
        expect(limit.qps).to.be.within(Math.min(5, given.qps), given.qps);
        expect(limit.concurrency).to.be.within(Math.min(2, given.maxConcurrent), given.maxConcurrent);
      }
    };
    fc.assert(fc.property(anyCeiling, fc.array(event, { maxLength: 200 }), holds));
  });

  for (const capacity of [1, 2, 5, 12, 30]) {
    for (const serviceMs of [10, 40, 200]) {
      it(`uses a gateway that works on ${capacity} calls of ${serviceMs} ms at a time, and does not overload it`, () => {
        const call = { operation, ms: serviceMs, failed: false, inFlight: 1 };
        const idle = afterCall(initialLimit(ceiling), ceiling, call);
        const { limit } = simulate(idle, { capacity, serviceMs }, 3_000);
        const { perSecond, latencies } = simulate(limit, { capacity, serviceMs }, 3_000);
        expect(perSecond).to.be.greaterThan(((capacity * 1000) / serviceMs) * 0.95);
        // The latency that is tolerated, and one call more for each call that the gateway works on.
        const most = Math.max(2 * serviceMs, serviceMs + 50) + 2 * serviceMs;
        expect(Math.max(...latencies)).to.be.at.most(most);
      });
    }
  }

  it('follows a gateway that becomes slower for good, and recovers', () => {
    const { limit: fast } = simulate(initialLimit(ceiling), { capacity: 64, serviceMs: 10 }, 2_000);
    const { limit: less } = simulate(fast, { capacity: 64, serviceMs: 500 }, 400);
    expect(less.concurrency).to.be.below(fast.concurrency / 2);
    const { limit: adapted } = simulate(less, { capacity: 64, serviceMs: 500 }, 4_000);
    expect(adapted.concurrency).to.be.greaterThan(60);
  });

  describe('under another ceiling', () => {
    const lower = { qps: 10, maxConcurrent: 4 };
    const higher = { qps: 5000, maxConcurrent: 200 };
    const limitOf = ({ qps, concurrency }: AdaptiveLimit): object => ({ qps, concurrency });

    for (const [what, limit, after, expected] of [
      ['starts anew before the first overload', initialLimit(ceiling), higher, { qps: 5000, concurrency: 100 }],
      ['is not above a lower one', initialLimit(ceiling), lower, { qps: 10, concurrency: 4 }],
      [
        'keeps what it learned',
        { ...initialLimit(ceiling), qps: 20, concurrency: 3 },
        higher,
        { qps: 20, concurrency: 3 },
      ],
      [
        'keeps more calls at the same time than at first',
        { ...initialLimit(ceiling), concurrency: 60 },
        { ...ceiling, maxConcurrent: 80 },
        { qps: 1000, concurrency: 60 },
      ],
    ] as const) {
      it(what, () => {
        expect(limitOf(withCeiling(limit, ceiling, after))).to.deep.equal(expected);
      });
    }
  });

  it('falls while calls fail, and recovers after the fault', () => {
    const before = repeat(initialLimit(ceiling), 3_000, served);
    expect(before.concurrency).to.equal(64);
    const during = repeat(before, 300, { ms: 15_000, failed: true });
    expect(during.concurrency).to.equal(2);
    expect(repeat(during, 3_000, served).concurrency).to.equal(64);
  });

  it('ignores rare failures, and the time that failed calls took', () => {
    let limit = repeat(initialLimit(ceiling), 1_000, served);
    for (let at = 0; at < 100; at++) {
      limit = repeat(limit, 19, served);
      limit = repeat(limit, 1, { ms: 15_000, failed: true });
    }
    expect(limit.concurrency).to.equal(64);
  });

  it('does not grow while calls do not use it', () => {
    let limit = initialLimit(ceiling);
    for (let at = 0; at < 1_000; at++) limit = afterCall(limit, ceiling, { operation, ...served, inFlight: 3 });
    expect(limit.concurrency).to.equal(initialLimit(ceiling).concurrency);
  });

  it('compares each operation with itself', () => {
    let limit = repeat(initialLimit(ceiling), 1_000, served);
    for (let at = 0; at < 1_000; at++) {
      const slow = { operation: 'GET /customer/info', ms: 300, failed: false };
      limit = afterCall(limit, ceiling, { ...slow, inFlight: 64 });
      limit = repeat(limit, 1, served);
    }
    expect(limit.concurrency).to.equal(64);
  });

  it('converges to the quota of a gateway that answers 429, and recovers within a minute', () => {
    const quota = 40;
    let limit = initialLimit(ceiling);
    const rates: number[] = [];
    // Second by second: the calls of the limit, of which the gateway refuses the first above its quota.
    for (let second = 0; second < 600; second++) {
      rates.push(limit.qps);
      if (limit.qps > quota) limit = afterRefusal(limit, ceiling, limit.qps);
      else limit = repeat(limit, Math.floor(limit.qps), served);
    }
    const later = rates.slice(30);
    expect(later.reduce((sum, rate) => sum + Math.min(rate, quota), 0) / later.length).to.be.greaterThan(quota * 0.6);
    expect(Math.max(...later)).to.be.below(quota * 1.5);
    for (let second = 0; second < 61; second++) limit = repeat(limit, Math.ceil(limit.qps), served);
    expect(limit.qps).to.equal(ceiling.qps);
  });
});
