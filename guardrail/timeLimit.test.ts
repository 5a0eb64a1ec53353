import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { TimeLimit } from './timeLimit.ts';

describe('a time limit of many calls', () => {
  it('ends each call after its own time, and none that has left', async () => {
    const limit = new TimeLimit(60);
    const ended: [name: string, after: number][] = [];
    const begin = performance.now();
    const call = (name: string): ReturnType<TimeLimit['enter']> => {
      const since = performance.now();
      return limit.enter(() => void ended.push([name, performance.now() - since]));
    };
    call('first');
    const second = call('second');
    await delay(30);
    call('third');
    limit.leave(second);
    while (ended.length < 2 && performance.now() - begin < 5000) await delay(5);
    expect(ended.map(([name]) => name)).to.deep.equal(['first', 'third']);
    // Timers may fire a millisecond early.
    for (const [, after] of ended) expect(after).to.be.greaterThan(58);
  });

  it('begins anew after a time without calls', async () => {
    const limit = new TimeLimit(10);
    limit.leave(limit.enter(() => expect.fail('It has left.')));
    await delay(30);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    limit.enter(() => {
      resolve(undefined);
    });
    const keepsRunning = setTimeout(() => undefined, 5000);
    await promise;
    clearTimeout(keepsRunning);
  });
});
