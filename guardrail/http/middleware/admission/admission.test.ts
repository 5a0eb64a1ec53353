import { expect } from 'chai';
import { Agent } from 'undici';
import { createAdmission, type Admission, type AdmissionOptions } from './admission.ts';
import type { Tenant } from '../../../ids.ts';
import type { CallContext } from '../context.ts';
import type { ServiceError } from '../errors.ts';
import { listen } from '../../server/server.ts';

const OPTIONS: AdmissionOptions = { maxRunning: 2, maxWaiting: 2, maxWaitMs: 50, maxBytes: 1000 };

interface Call {
  /** `done`, or the code of the error. */
  readonly outcome: Promise<string>;
  readonly started: () => boolean;
  /** The header `connection` of the response. */
  readonly connection: () => string | undefined;
  finish(): void;
}

/** A call through both middlewares, with a body that is read at once. */
function call(admission: Admission, bytes = 10, declares = true): Call {
  const headers = new Map<string, string>();
  const state: Partial<CallContext['state']> = { tenant: 'a' as Tenant };
  const context = {
    get: (name: string) => (declares && name === 'content-length' ? String(bytes) : ''),
    set: (name: string, value: string) => headers.set(name, value),
    state,
  };
  let release: () => void = () => undefined;
  let started = false;
  const work = new Promise<void>((resolve) => {
    release = resolve;
  });
  const inner = (): Promise<void> => {
    started = true;
    return work;
  };
  const outcome = Promise.resolve(
    admission.admit(context as unknown as CallContext, async () => {
      state.bodyTracker?.addBytes(bytes);
      state.bodyTracker?.done();
      await admission.acquireSlot(context as unknown as CallContext, inner);
    }),
  ).then(
    () => 'done',
    (error: unknown) => (error as ServiceError).code,
  );
  return { outcome, started: () => started, connection: () => headers.get('connection'), finish: release };
}

/** Waits for several rounds of the event loop: one queued call starts in each. */
const rounds = async (): Promise<void> => {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('admission', () => {
  it('runs some calls, queues some in order, and refuses the others at once', async () => {
    const admission = createAdmission({ ...OPTIONS, maxWaitMs: 60_000 });
    const calls = Array.from({ length: 5 }, () => call(admission));
    await rounds();
    expect(calls.map((one) => one.started())).to.deep.equal([true, true, false, false, false]);
    expect(await calls[4]?.outcome).to.equal('overloaded');
    calls[1]?.finish();
    await rounds();
    expect(calls.map((one) => one.started())).to.deep.equal([true, true, true, false, false]);
    calls[0]?.finish();
    await rounds();
    expect(calls[3]?.started()).to.equal(true);
    for (const one of calls) one.finish();
    expect(await Promise.all(calls.map((one) => one.outcome))).to.deep.equal([
      'done',
      'done',
      'done',
      'done',
      'overloaded',
    ]);
  });

  it('refuses a call that has waited too long, and runs the next one', async () => {
    const admission = createAdmission(OPTIONS);
    const running = [call(admission), call(admission)];
    const late = call(admission);
    expect(await late.outcome).to.equal('overloaded');
    const next = call(admission);
    running[0]?.finish();
    await rounds();
    expect([late.started(), next.started()]).to.deep.equal([false, true]);
    next.finish();
    running[1]?.finish();
    expect(await next.outcome).to.equal('done');
  });

  for (const [what, declares] of [
    ['with a declared size', true],
    ['without a declared size', false],
  ] as const) {
    it(`bounds the bytes of bodies ${what}`, async () => {
      const admission = createAdmission(OPTIONS);
      const large = call(admission, 900, declares);
      expect(await call(admission, 200, declares).outcome).to.equal('overloaded');
      large.finish();
      expect(await large.outcome).to.equal('done');
      const after = call(admission, 200, declares);
      after.finish();
      expect(await after.outcome).to.equal('done');
    });
  }

  it('never runs more calls than the limit', async () => {
    const admission = createAdmission({ ...OPTIONS, maxWaiting: 1000, maxWaitMs: 60_000 });
    let running = 0;
    let most = 0;
    const context = { get: () => '0', set: () => undefined, state: { tenant: 'a' } } as unknown as CallContext;
    await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        for (let ticks = at % 7; ticks > 0; ticks -= 1) await rounds();
        await admission.acquireSlot(context, async () => {
          running += 1;
          most = Math.max(most, running);
          for (let ticks = at % 5; ticks > 0; ticks -= 1) await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        });
      }),
    );
    expect([running, most]).to.deep.equal([0, 2]);
  });

  describe('under a burst of calls that block the event loop', () => {
    /** Time passes only while calls run. */
    let time = 0;
    beforeEach(() => {
      time = 0;
    });
    const busy = (ms: number) => (): Promise<void> => {
      time += ms;
      return Promise.resolve();
    };
    const contextOf = (bodyBytes: number): CallContext =>
      ({
        get: () => String(bodyBytes),
        set: () => undefined,
        state: { bodyBytes, tenant: 'a' },
      }) as unknown as CallContext;
    /** Each call arrives in a callback of its own, as over HTTP. */
    const arrive = (
      admission: Admission,
      bytes: number,
      ms: number,
      refused: (error: ServiceError) => void = () => undefined,
    ): Promise<string> =>
      new Promise((resolve) => {
        setImmediate(() => {
          resolve(outcomeOf(admission.acquireSlot(contextOf(bytes), busy(ms)), refused));
        });
      });
    const outcomeOf = (running: unknown, refused: (error: ServiceError) => void = () => undefined): Promise<string> =>
      Promise.resolve(running).then(
        () => 'done',
        (error: unknown) => {
          refused(error as ServiceError);
          return (error as ServiceError).code;
        },
      );
    const open = (options: Partial<AdmissionOptions> = {}): Admission =>
      createAdmission({ ...OPTIONS, maxRunning: 16, maxWaiting: 1000, maxWaitMs: 60_000, now: () => time, ...options });

    it('drains the accept backlog before the next call runs', async () => {
      const admission = open({ maxBytes: 1e9 });
      let arrived = 0;
      const arrivedAtStart: number[] = [];
      const server = await listen(
        (_, response) => {
          arrived += 1;
          const context = contextOf(100);
          const work = (): Promise<void> => {
            arrivedAtStart.push(arrived);
            return busy(20)();
          };
          const call: unknown = admission.admit(context, () => Promise.resolve(admission.acquireSlot(context, work)));
          void Promise.resolve(call).then(() => response.end());
        },
        { host: '127.0.0.1', port: 0 },
      );
      const agent = new Agent({ connections: 40 });
      const origin = `http://127.0.0.1:${server.port}`;
      await Promise.all(
        Array.from({ length: 40 }, async () => (await agent.request({ origin, path: '/', method: 'GET' })).body.dump()),
      );
      await agent.close();
      await server.close(0);
      // Node accepts one connection in each round. If each round ran a call, the last one would be admitted after 39 calls.
      expect(arrivedAtStart).to.have.length(40);
      expect(arrivedAtStart[1]).to.be.greaterThan(30);
    });

    it('sheds calls that would start too late as soon as the service rate is known, and refuses new ones', async () => {
      const admission = open({ maxBytes: 1e9 });
      const outcomes: string[] = [];
      const secondsToWait: number[] = [];
      let newcomer: Promise<string> | undefined;
      const calls = Array.from({ length: 12 }, async () => {
        const outcome = await arrive(admission, 100_000, 20_000, ({ status, headers }) => {
          expect(status).to.equal(429);
          secondsToWait.push(Number(headers['retry-after']));
        });
        outcomes.push(outcome);
        if (outcome === 'overloaded') newcomer ??= outcomeOf(admission.admit(contextOf(200_000), busy(0)));
      });
      await Promise.all(calls);
      // One call ran at once and another one after it, which took 20 s while others waited. At this rate, three more finish
      // within the longest wait of a minute.
      expect(outcomes.filter((one) => one === 'done')).to.have.length(5);
      expect(outcomes.filter((one) => one === 'overloaded')).to.have.length(7);
      expect(outcomes.lastIndexOf('overloaded')).to.be.lessThan(10);
      // The three calls that stay queued take 20 s each.
      expect([...new Set(secondsToWait)]).to.deep.equal([60]);
      expect(await newcomer).to.equal('overloaded');
      expect(time).to.equal(100_000);
    });

    it('admits small calls quickly', async () => {
      const admission = open({ maxBytes: 1e9 });
      const large = Array.from({ length: 4 }, () => arrive(admission, 1_000_000, 14_000));
      const small = Array.from({ length: 20 }, () => arrive(admission, 100, 1));
      expect(new Set(await Promise.all([...large, ...small]))).to.deep.equal(new Set(['done']));
    });

    it('admits new calls after the burst', async () => {
      const admission = open({ maxBytes: 1e9 });
      await Promise.all(Array.from({ length: 12 }, () => arrive(admission, 100_000, 20_000)));
      await rounds();
      const context = contextOf(100_000);
      const after: unknown = admission.admit(context, () =>
        Promise.resolve(admission.acquireSlot(context, busy(20_000))),
      );
      expect(await outcomeOf(after)).to.equal('done');
    });
  });

  it('winds down: answers calls and closes their connections, until no more calls arrive', async () => {
    const admission = createAdmission(OPTIONS);
    const before = call(admission);
    before.finish();
    await before.outcome;
    let quiet = false;
    const down = admission.windDown(100, 5_000).then(() => (quiet = true));
    const calls: ReturnType<typeof call>[] = [];
    await new Promise<void>((resolve) => {
      // More often than the arrivals are counted, and for longer than the quiet time.
      const busy = setInterval(() => {
        calls.push(call(admission));
        calls.at(-1)?.finish();
        if (calls.length < 40) return;
        clearInterval(busy);
        resolve();
      }, 5);
    });
    expect([admission.draining, quiet]).to.deep.equal([true, false]);
    for (const one of calls) expect([await one.outcome, one.connection()]).to.deep.equal(['done', 'close']);
    await down;
    const busy = setInterval(() => {
      call(admission).finish();
    }, 5);
    await admission.windDown(100, 200);
    clearInterval(busy);
  });

  it('drains: refuses new calls, and resolves when the last one is finished', async () => {
    const admission = createAdmission(OPTIONS);
    const running = call(admission);
    await rounds();
    let drained = false;
    const drain = admission.drain().then(() => (drained = true));
    expect(await call(admission).outcome).to.equal('draining');
    expect([admission.draining, drained]).to.deep.equal([true, false]);
    running.finish();
    await drain;
    expect(await running.outcome).to.equal('done');
    await createAdmission(OPTIONS).drain();
  });

  describe('of calls that wait for an upstream', () => {
    const contextOf = (tenant: string): CallContext => {
      const set = (): void => undefined;
      return { get: () => '', set, state: { tenant: tenant as Tenant } } as unknown as CallContext;
    };
    const codeOf = (work: () => unknown): string => {
      try {
        work();
      } catch (error) {
        return (error as ServiceError).code;
      }
      return 'done';
    };

    it('takes no capacity while they wait, and lets a drain wait for them', async () => {
      const admission = createAdmission(OPTIONS);
      let finish: () => void = () => undefined;
      const work = new Promise<void>((resolve) => (finish = resolve));
      const waiting = Array.from({ length: 20 }, async (_, n) => {
        const leave = admission.arrive(contextOf(`t${n}`));
        await work;
        leave();
      });
      const served = call(admission);
      served.finish();
      expect(await served.outcome).to.equal('done');
      let isDrained = false;
      const drained = admission.drain().then(() => (isDrained = true));
      await rounds();
      expect(isDrained).to.equal(false);
      finish();
      await Promise.all([...waiting, drained]);
    });

    it('counts the bytes of their answers until these are released', () => {
      const admission = createAdmission(OPTIONS);
      const answer = admission.reserveAnswer(contextOf('a'), 500);
      answer.addBytes(900);
      const more = codeOf(() => {
        answer.addBytes(200);
      });
      expect(more).to.equal('overloaded');
      expect(codeOf(() => admission.reserveAnswer(contextOf('b'), 200))).to.equal('overloaded');
      answer.release();
      answer.release();
      expect(codeOf(() => admission.reserveAnswer(contextOf('b'), 900))).to.equal('done');
    });
  });
});
