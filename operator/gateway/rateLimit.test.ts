import { expect } from 'chai';
import { DeferredError, RateLimiter } from './rateLimit.ts';

describe('rate limit of a gateway', () => {
  const turn = (): Promise<void> => Promise.resolve();
  const wait = { deferrable: false };

  it('lets a burst through at once, and the rest at the given rate', async () => {
    const limiter = new RateLimiter({ qps: 100, burst: 5, maxConcurrent: 100 });
    const began = performance.now();
    const at: number[] = [];
    await Promise.all(
      Array.from({ length: 15 }, () =>
        limiter.run(() => {
          at.push(performance.now() - began);
          return turn();
        }, wait),
      ),
    );
    expect(at.slice(0, 5).every((ms) => ms < 50)).to.equal(true);
    // Ten more at 100 a second: 100 ms, however busy the machine is.
    expect(at[14]).to.be.greaterThan(85);
  });

  it('never has more calls under way than allowed, also when they fail', async () => {
    const limiter = new RateLimiter({ qps: 10_000, burst: 10_000, maxConcurrent: 3 });
    let [underWay, most] = [0, 0];
    const call = async (): Promise<void> => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      throw new Error('as a gateway does');
    };
    await Promise.allSettled(Array.from({ length: 50 }, () => limiter.run(call, wait)));
    expect(most).to.equal(3);
    expect(underWay).to.equal(0);
  });

  it('puts off what need not wait, each to a turn of its own', async () => {
    let now = 0;
    const limiter = new RateLimiter({ qps: 2, burst: 1, maxConcurrent: 100 }, () => now);
    await limiter.run(turn, { deferrable: true });
    const held = limiter.run(turn, { deferrable: true });
    const turns: number[] = [];
    for (let at = 0; at < 3; at++) {
      const error: unknown = await limiter.run(turn, { deferrable: true }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(DeferredError);
      turns.push((error as DeferredError).retryAfterMs);
    }
    expect(turns).to.deep.equal([1000, 1500, 2000]);
    now = 10_000;
    await held;
  });

  it('begins no call while the gateway asks to be left alone', async () => {
    const limiter = new RateLimiter({ qps: 1000, burst: 10, maxConcurrent: 10 });
    limiter.pause(2_000);
    const error: unknown = await limiter.run(turn, { deferrable: true }).catch((thrown: unknown) => thrown);
    expect((error as DeferredError).retryAfterMs).to.be.within(1_900, 2_100);

    const short = new RateLimiter({ qps: 1000, burst: 10, maxConcurrent: 10 });
    short.pause(60);
    const began = performance.now();
    await short.run(turn, { deferrable: true });
    expect(performance.now() - began).to.be.greaterThan(50);
  });
});
