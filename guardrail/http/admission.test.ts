import { expect } from 'chai';
import { createAdmission, type Admission, type AdmissionOptions } from './admission.ts';
import type { CallContext } from './context.ts';
import type { ServiceError } from './errors.ts';

const OPTIONS: AdmissionOptions = { maxRunning: 2, maxWaiting: 2, maxWaitMs: 50, maxBytes: 1000 };

interface Call {
  /** What came of it: `done`, or the code of the error. */
  readonly outcome: Promise<string>;
  readonly started: () => boolean;
  finish(): void;
}

/** A call through both gates, as far as they look at it. */
function call(admission: Admission, bytes = 10): Call {
  const context = { get: (name: string) => (name === 'content-length' ? String(bytes) : ''), set: () => undefined };
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
    admission.admit(context as unknown as CallContext, () =>
      Promise.resolve(admission.takeTurn(context as unknown as CallContext, inner)),
    ),
  ).then(
    () => 'done',
    (error: unknown) => (error as ServiceError).code,
  );
  return { outcome, started: () => started, finish: release };
}

/** Several rounds of the event loop: those who wait start one a round. */
const turn = async (): Promise<void> => {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('admission', () => {
  it('lets some run, some wait in order, and refuses the others at once', async () => {
    const admission = createAdmission({ ...OPTIONS, maxWaitMs: 60_000 });
    const calls = Array.from({ length: 5 }, () => call(admission));
    await turn();
    expect(calls.map((one) => one.started())).to.deep.equal([true, true, false, false, false]);
    expect(await calls[4]?.outcome).to.equal('overloaded');
    calls[1]?.finish();
    await turn();
    expect(calls.map((one) => one.started())).to.deep.equal([true, true, true, false, false]);
    calls[0]?.finish();
    await turn();
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

  it('refuses who has waited too long, and gives the place to the next', async () => {
    const admission = createAdmission(OPTIONS);
    const running = [call(admission), call(admission)];
    const late = call(admission);
    expect(await late.outcome).to.equal('overloaded');
    const next = call(admission);
    running[0]?.finish();
    await turn();
    expect([late.started(), next.started()]).to.deep.equal([false, true]);
    next.finish();
    running[1]?.finish();
    expect(await next.outcome).to.equal('done');
  });

  it('bounds the bytes that it holds', async () => {
    const admission = createAdmission(OPTIONS);
    const large = call(admission, 900);
    expect(await call(admission, 200).outcome).to.equal('overloaded');
    large.finish();
    expect(await large.outcome).to.equal('done');
    const after = call(admission, 200);
    after.finish();
    expect(await after.outcome).to.equal('done');
  });

  it('never runs more than it may, whatever comes when', async () => {
    const admission = createAdmission({ ...OPTIONS, maxWaiting: 1000, maxWaitMs: 60_000 });
    let running = 0;
    let most = 0;
    const context = { get: () => '0', set: () => undefined } as unknown as CallContext;
    await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        for (let ticks = at % 7; ticks > 0; ticks -= 1) await turn();
        await admission.takeTurn(context, async () => {
          running += 1;
          most = Math.max(most, running);
          for (let ticks = at % 5; ticks > 0; ticks -= 1) await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        });
      }),
    );
    expect([running, most]).to.deep.equal([0, 2]);
  });

  it('keeps sockets and timers served while calls keep the process busy, and refuses who cannot be in time', async () => {
    const admission = createAdmission({ ...OPTIONS, maxRunning: 16, maxWaiting: 1000, maxWaitMs: 200 });
    const context = { get: () => '0', set: () => undefined } as unknown as CallContext;
    let longest = 0;
    let last = performance.now();
    const probe = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const busy = (): Promise<void> => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return Promise.resolve();
    };
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () =>
        Promise.resolve(admission.takeTurn(context, busy)).then(
          () => 'done',
          (error: unknown) => (error as ServiceError).code,
        ),
      ),
    );
    clearInterval(probe);
    // One after the other they would have taken two seconds, in which no timer runs.
    expect(longest).to.be.lessThan(500);
    expect(new Set(outcomes)).to.deep.equal(new Set(['done', 'overloaded']));
    // Now that the pace is known, who comes to a line too long is refused without waiting.
    const line = Array.from({ length: 100 }, () => call(admission));
    await turn();
    const started = performance.now();
    expect(await line[99]?.outcome).to.equal('overloaded');
    expect(performance.now() - started).to.be.lessThan(150);
    for (const one of line) one.finish();
    await Promise.all(line.map((one) => one.outcome));
  });

  it('drains: nothing new, and done when the last has ended', async () => {
    const admission = createAdmission(OPTIONS);
    const running = call(admission);
    await turn();
    let drained = false;
    const drain = admission.drain().then(() => (drained = true));
    expect(await call(admission).outcome).to.equal('draining');
    expect([admission.draining, drained]).to.deep.equal([true, false]);
    running.finish();
    await drain;
    expect(await running.outcome).to.equal('done');
    await createAdmission(OPTIONS).drain();
  });
});
