import { expect } from 'chai';
import { AskTimes } from './askTimes.ts';

describe('when pods are asked', () => {
  let now: number;
  let times: AskTimes;
  beforeEach(() => {
    now = 1_000;
    times = new AskTimes(() => now);
  });

  it('is at once about a new revision, and then less and less often', () => {
    const expected = { customerList: 'a' };
    expect(times.waitMs('main', expected)).to.equal(0);
    expect(times.retryMs('main', expected)).to.equal(3_000);
    now += 1_000;
    expect(times.waitMs('main', expected)).to.equal(2_000);
    now += 99_000;
    expect(times.waitMs('main', expected)).to.equal(0);
    expect(times.retryMs('main', expected)).to.equal(10_000);
    now += 3_600_000;
    expect(times.retryMs('main', expected)).to.equal(60_000);
    expect(times.waitMs('main', { customerList: 'b' })).to.equal(0);
    expect(times.retryMs('main', { customerList: 'b' })).to.equal(3_000);
  });

  it('does not depend on how often another part changes', () => {
    times.waitMs('main', { customerList: 'a', policy: 'p' });
    now += 600_000;
    expect(times.retryMs('main', { policy: 'p' })).to.equal(60_000);
    // A new list is asked about at once, and the policy with it.
    expect(times.waitMs('main', { customerList: 'b', policy: 'p' })).to.equal(0);
    expect(times.retryMs('main', { customerList: 'b', policy: 'p' })).to.equal(3_000);
    // The list changes again and waits to be written: the question about the policy keeps its time.
    now += 1_000;
    expect(times.waitMs('main', { policy: 'p' })).to.equal(2_000);
    now += 2_000;
    expect(times.waitMs('main', { policy: 'p' })).to.equal(0);
  });

  it('is its own for each instance, and forgotten with it', () => {
    times.waitMs('main', { policy: 'p' });
    times.retryMs('main', { policy: 'p' });
    expect(times.waitMs('other', { policy: 'p' })).to.equal(0);
    expect(times.waitMs('main', { policy: 'p' })).to.equal(3_000);
    times.forget('main');
    expect(times.waitMs('main', { policy: 'p' })).to.equal(0);
  });
});
