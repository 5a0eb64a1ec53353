import { expect } from 'chai';
import { expectLinearTime } from './linearTime.ts';

/** Takes time in proportion to `steps`. */
const spend = (steps: number): number => {
  let sum = 0;
  for (let step = 0; step < steps; step += 1) sum = Math.imul(sum ^ step, 31);
  return sum;
};

describe('the check of linear time', () => {
  it('accepts linear work', () => expectLinearTime('steps', 50_000, (length) => spend(4_000 * length)));
  it('accepts work that takes almost no time', () => expectLinearTime('steps', 1_000, (length) => spend(length ** 2)));
  it('rejects quadratic work', async () => {
    for (let times = 0; times < 20; times += 1) spend(1_000_000);
    const error: unknown = await expectLinearTime('steps', 20_000, (length) => spend(length ** 2)).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).to.contain('times as long for 8 times as much of steps');
  });
});
