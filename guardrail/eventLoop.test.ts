import { expect } from 'chai';
import { createYielder, inSlices, type Steps } from './eventLoop.ts';

describe('long work', () => {
  const counting = function* (steps: number): Steps<number> {
    for (let step = 0; step < steps; step += 1) yield;
    return steps;
  };

  it('gives its result at once if it needs no yield', () => {
    expect(inSlices(counting(10), () => undefined)).to.equal(10);
  });

  it('waits for each yield that is due, between any two steps', async () => {
    for (const due of [0, 1, 5, 10]) {
      let asked = 0;
      let pauses = 0;
      const yieldIfDue = (): Promise<void> | undefined => {
        if (asked++ !== due) return undefined;
        pauses += 1;
        return Promise.resolve();
      };
      const result = inSlices(counting(10), yieldIfDue);
      expect(result).to.be.instanceOf(Promise);
      expect(await result).to.equal(10);
      expect(pauses).to.equal(1);
    }
  });

  it('rejects with an error after a yield, and throws one before it', async () => {
    const failing = function* (): Steps<never> {
      yield;
      throw new Error('failed');
    };
    expect(() => inSlices(failing(), () => undefined)).to.throw('failed');
    let asked = 0;
    const thrown: unknown = await Promise.resolve(
      inSlices(failing(), () => (asked++ === 0 ? Promise.resolve() : undefined)),
    ).catch((error: unknown) => error);
    expect(String(thrown)).to.equal('Error: failed');
  });

  it('lets other work run when it has taken its time', async () => {
    let hasRun = false;
    setImmediate(() => {
      hasRun = true;
    });
    await createYielder(performance.now() - 1000)();
    expect(hasRun).to.equal(true);
  });
});
