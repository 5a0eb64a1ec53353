import { expect } from 'chai';
import { settle, TestClock } from '../runtime/testing/testing.ts';
import { DeferredError, RateLimiter } from './rateLimit.ts';

describe('rate limit of a gateway', () => {
  let clock: TestClock;
  beforeEach(() => {
    clock = new TestClock();
  });
  const turn = (): Promise<void> => Promise.resolve();

  it('starts a burst at once and the other calls at the configured rate', async () => {
    const limiter = new RateLimiter({ qps: 100, burst: 5, maxConcurrent: 100 }, clock);
    const at: number[] = [];
    const call = (): Promise<void> => {
      at.push(clock.monotonic());
      return turn();
    };
    const calls = Promise.all(Array.from({ length: 10 }, () => limiter.run(call, 'inProgress')));
    await clock.advance(50);
    await calls;
    expect(at).to.deep.equal([0, 0, 0, 0, 0, 10, 20, 30, 40, 50]);
  });

  it('never exceeds the maximum of concurrent calls, even if calls fail', async () => {
    const limiter = new RateLimiter({ qps: 10_000, burst: 10_000, maxConcurrent: 3 });
    let [underWay, most] = [0, 0];
    const call = async (): Promise<void> => {
      most = Math.max(most, ++underWay);
      await settle();
      underWay--;
      throw new Error('as a gateway does');
    };
    await Promise.allSettled(Array.from({ length: 50 }, () => limiter.run(call, 'inProgress')));
    expect(most).to.equal(3);
    expect(underWay).to.equal(0);
  });

  it('counts refusals at the same time as one, even if the gateway requests no pause', async () => {
    const limiter = new RateLimiter({ qps: 1000, burst: 1000, maxConcurrent: 100 }, clock);
    const refusals = (): number[] => Array.from({ length: 16 }, () => limiter.pause(0, '').ms);
    expect(refusals()).to.deep.equal(Array.from({ length: 16 }, () => 0));
    await clock.advance(999);
    expect(Math.max(...refusals())).to.equal(0);
    // A gateway that continues to refuse gets fewer calls all the same.
    const pauses: number[] = [];
    for (let second = 1; second <= 5; second++) {
      await clock.advance(second * 1_000 - clock.monotonic());
      pauses.push(Math.max(...refusals()));
    }
    expect(pauses).to.deep.equal([0, 0, 0, 0, 5_000]);
  });

  it('keeps a pause and the calls in flight when its limits change', async () => {
    const limiter = new RateLimiter({ qps: 1000, burst: 1000, maxConcurrent: 2 }, clock);
    const { promise: answer, resolve } = Promise.withResolvers<undefined>();
    const made: string[] = [];
    const call = (name: string) => () => {
      made.push(name);
      return answer;
    };
    const calls = ['one', 'two', 'three', 'four'].map((name) => limiter.run(call(name), 'inProgress'));
    await settle();
    expect(made).to.deep.equal(['one', 'two']);
    limiter.changeLimit({ qps: 1000, burst: 1000, maxConcurrent: 3 });
    await settle();
    expect(made).to.deep.equal(['one', 'two', 'three']);
    resolve(undefined);
    await Promise.all(calls);

    limiter.pause(60_000, 'no');
    limiter.changeLimit({ qps: 2000, burst: 2000, maxConcurrent: 3 });
    await clock.advance(1_000);
    const error: unknown = await limiter.run(turn, 'urgent').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DeferredError);
  });

  it('defers each routine call to its own time', async () => {
    const limiter = new RateLimiter({ qps: 2, burst: 1, maxConcurrent: 100 }, clock);
    await limiter.run(turn, 'routine');
    const held = limiter.run(turn, 'routine');
    const turns: number[] = [];
    for (let at = 0; at < 3; at++) {
      const error: unknown = await limiter.run(turn, 'routine').catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(DeferredError);
      turns.push((error as DeferredError).retryAfterMs);
    }
    expect(turns).to.deep.equal([1000, 1500, 2000]);
    await clock.advance(500);
    await held;
  });

  it('starts no call during a pause', async () => {
    const limiter = new RateLimiter({ qps: 1000, burst: 10, maxConcurrent: 10 }, clock);
    limiter.pause(2_000, '');
    const error: unknown = await limiter.run(turn, 'routine').catch((thrown: unknown) => thrown);
    expect((error as DeferredError).retryAfterMs).to.equal(2_000);

    const short = new RateLimiter({ qps: 1000, burst: 10, maxConcurrent: 10 }, clock);
    short.pause(60, '');
    let made = 0;
    const call = short.run(() => Promise.resolve(++made), 'routine');
    await clock.advance(59);
    expect(made).to.equal(0);
    await clock.advance(1);
    await call;
  });

  it('drops a waiting call when its signal aborts', async () => {
    const limiter = new RateLimiter({ qps: 1000, burst: 10, maxConcurrent: 1 });
    const { promise: free, resolve } = Promise.withResolvers<undefined>();
    const made: string[] = [];
    const first = limiter.run(() => free, 'inProgress');
    const stop = new AbortController();
    const waiting = limiter.run(() => turn().then(() => made.push('stopped')), 'inProgress', stop.signal);
    const next = limiter.run(() => turn().then(() => made.push('next')), 'inProgress', stop.signal);
    const failed = Promise.allSettled([waiting, next]);
    stop.abort(new Error('Time is up.'));
    expect((await failed).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    const after = limiter.run(() => turn().then(() => made.push('after')), 'inProgress');
    resolve(undefined);
    await Promise.all([first, after]);
    expect(made).to.deep.equal(['after']);
    const late: unknown = await limiter.run(turn, 'inProgress', stop.signal).catch((thrown: unknown) => thrown);
    expect(late).to.equal(stop.signal.reason);
  });

  it('defers even a call in progress during a long pause', async () => {
    const limiter = new RateLimiter({ qps: 1000, burst: 10, maxConcurrent: 10 }, clock);
    limiter.pause(60_000, '');
    const error: unknown = await limiter.run(turn, 'inProgress').catch((thrown: unknown) => thrown);
    expect((error as DeferredError).retryAfterMs).to.equal(60_000);
  });

  describe('in a long pause', () => {
    let made: number;
    let limiter: RateLimiter;
    const answers = (): Promise<number> => Promise.resolve(++made);
    const refuses = (seconds?: number) => (): Promise<void> => {
      made++;
      limiter.pause(seconds === undefined ? undefined : seconds * 1000, 'no');
      return Promise.resolve();
    };
    const deferral = async (kind: 'inProgress' | 'urgent' | 'routine'): Promise<DeferredError> => {
      const error: unknown = await limiter.run(answers, kind).catch((thrown: unknown) => thrown);
      if (!(error instanceof DeferredError)) throw new Error('The call was made.');
      return error;
    };

    beforeEach(async () => {
      made = 0;
      clock.skewMs = Date.parse('2026-11-22T10:00:00.400Z') - clock.now().getTime();
      limiter = new RateLimiter({ qps: 1000, burst: 1000, maxConcurrent: 10 }, clock);
      await limiter.run(refuses(3600), 'urgent');
    });

    it('defers all calls at once, and reports the end of the pause', async () => {
      for (const [kind, ms] of [
        ['inProgress', 60_000],
        ['urgent', 60_000],
        ['routine', 3_600_000],
      ] as const) {
        const error = await deferral(kind);
        expect(error.retryAfterMs).to.equal(ms);
        expect(error.pause).to.deep.equal({ until: new Date('2026-11-22T11:00:01Z'), reason: 'no' });
      }
      expect(made).to.equal(1);
    });

    it('admits one probe per minute, and all calls after a response to a probe', async () => {
      for (let minute = 1; minute <= 5; minute++) {
        await clock.advance(59_999);
        await deferral('urgent');
        await clock.advance(1);
        const probe = limiter.run(refuses(3600), 'routine');
        await deferral('urgent');
        await probe;
        const { pause } = await deferral('urgent');
        // The end of the pause moves with each response. The reported end remains until it has passed.
        expect(pause?.until).to.deep.equal(new Date('2026-11-22T11:00:01Z'));
      }
      expect(made).to.equal(6);
      await clock.advance(60_000);
      await limiter.run(answers, 'urgent');
      await Promise.all(
        Array.from({ length: 7 }, (_, at) => limiter.run(answers, at % 2 === 0 ? 'urgent' : 'routine')),
      );
      expect(made).to.equal(14);
    });

    it('continues if the probe gets no response', async () => {
      await clock.advance(60_000);
      await limiter.run(() => Promise.reject(new Error('broken')), 'urgent').catch(() => undefined);
      await deferral('urgent');
      await clock.advance(60_000);
      await limiter.run(answers, 'urgent');
      await limiter.run(answers, 'routine');
    });

    it('defers the calls that wait for their turn', async () => {
      const fresh = new RateLimiter({ qps: 1000, burst: 1000, maxConcurrent: 1 });
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const first = fresh.run(() => promise, 'inProgress');
      const waiting = fresh.run(answers, 'inProgress').catch((thrown: unknown) => thrown);
      fresh.pause(3_600_000, '');
      expect(await waiting).to.be.instanceOf(DeferredError);
      resolve(undefined);
      await first;
    });

    it('grows with each response without a time, and is reported when it is long', async () => {
      const silent = new RateLimiter({ qps: 1000, burst: 1000, maxConcurrent: 1 }, clock);
      const pauses: number[] = [];
      for (let at = 0; at < 6; at++) {
        const { ms, pause } = silent.pause(undefined, '');
        pauses.push(ms);
        expect(pause === undefined).to.equal(ms <= 10_000);
        await clock.advance(60_000);
      }
      expect(pauses).to.deep.equal([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
      const soon = new RateLimiter({ qps: 1000, burst: 1000, maxConcurrent: 1 }, clock);
      const short: number[] = [];
      for (let at = 0; at < 10; at++) {
        await clock.advance(120_000);
        short.push(soon.pause(100, '').ms);
      }
      expect(short).to.deep.equal([100, 100, 100, 100, 100, 5_000, 10_000, 20_000, 40_000, 60_000]);
    });
  });

  it('starts urgent calls before hundreds of routine calls, both waiting and deferred', async () => {
    const limiter = new RateLimiter({ qps: 200, burst: 4, maxConcurrent: 4 }, clock);
    const started: string[] = [];
    const work = async (name: string, kind: 'urgent' | 'routine'): Promise<void> => {
      for (;;) {
        try {
          await limiter.run(() => {
            started.push(name);
            return turn();
          }, kind);
          return;
        } catch (error) {
          if (!(error instanceof DeferredError)) throw error;
          const { retryAfterMs } = error;
          await new Promise<void>((resolve) => clock.after(retryAfterMs, resolve));
        }
      }
    };
    const routine = Array.from({ length: 600 }, () => work('routine', 'routine'));
    await settle();
    // The burst is used up, the queue is full of routine calls, and all other calls are deferred.
    expect(started).to.have.length(4);
    // Half of them fit into the queue; the other half is deferred.
    const urgent = Array.from({ length: 8 }, (_, at) => `new ${at}`);
    const asked = urgent.map((name) => work(name, 'urgent'));
    await clock.advance(10_000);
    await Promise.all([...asked, ...routine]);
    expect(started.slice(4, 8)).to.deep.equal(urgent.slice(0, 4));
    // The deferred urgent calls pass the hundreds of routine calls that wait since before.
    expect(Math.max(...urgent.map((name) => started.indexOf(name)))).to.be.below(30);
    expect(started).to.have.length(608);
  });
});
