import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'chai';
import { repeat, repeatNow } from './repeated.ts';

describe('repeated work', () => {
  it('is done again and again, one time after the other, until it ends', async () => {
    const { promise: third, resolve } = Promise.withResolvers<undefined>();
    let [begun, done] = [0, 0];
    const repeated = repeat(async () => {
      begun += 1;
      await nextIteration();
      done += 1;
      expect(done).to.equal(begun);
      if (done === 3) resolve(undefined);
    }, 1);
    await third;
    repeated.end();
    const before = begun;
    await repeatNow();
    expect(begun).to.equal(before);
  });

  it('is done at once on request, after work that is going on', async () => {
    const order: string[] = [];
    const repeated = repeat(async () => {
      order.push('begin');
      await nextIteration();
      order.push('end');
    }, 3_600_000);
    await Promise.all([repeatNow(), repeatNow()]);
    repeated.end();
    expect(order).to.deep.equal(['begin', 'end', 'begin', 'end']);
  });

  it('goes on after an error', async () => {
    let turns = 0;
    const repeated = repeat(async () => {
      turns += 1;
      if (turns === 1) throw new Error('the first turn');
    }, 3_600_000);
    const first = await repeatNow().then(
      () => 'done',
      (error: unknown) => String(error),
    );
    await repeatNow();
    repeated.end();
    expect([first, turns]).to.deep.equal(['Error: the first turn', 2]);
  });
});
