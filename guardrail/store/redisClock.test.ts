import { expect } from 'chai';
import fc from 'fast-check';
import { RedisClock } from './redisClock.ts';

describe('the clock of Redis', () => {
  it('starts before any erasure', () => {
    expect(new RedisClock().lowerBound()).to.equal(0);
  });

  it('is never later than any node, with delayed replies and clocks of different pace', () => {
    const node = fc.record({
      offset: fc.nat(1_000_000_000),
      pace: fc.double({ min: 0.9995, max: 1.0005, noNaN: true }),
    });
    const event = fc.record({ wait: fc.nat(5000), node: fc.nat(2), delay: fc.nat(900) });
    fc.assert(
      fc.property(
        fc.array(node, { minLength: 3, maxLength: 3 }),
        fc.array(event, { maxLength: 40 }),
        (nodes, events) => {
          let here = 0;
          const clock = new RedisClock(() => here);
          const timeOf = (at: number): number => {
            const { offset, pace } = nodes[at] ?? { offset: 0, pace: 1 };
            return 1_700_000_000_000_000 + offset + here * 1000 * pace;
          };
          const reporting = new Set<number>();
          for (const { wait, node: at, delay } of events) {
            here += wait;
            const reported = Math.floor(timeOf(at));
            here += delay;
            clock.record(`node ${at}`, reported);
            reporting.add(at);
            const bound = clock.lowerBound();
            expect(bound).to.be.at.most(Math.min(...[...reporting].map(timeOf)));
            expect(Number.isSafeInteger(bound)).to.equal(true);
          }
        },
      ),
    );
  });

  it('advances with the local clock, so a request after an erasure has a later fence', () => {
    let here = 100;
    const clock = new RedisClock(() => here);
    clock.record('a', 5_000_000);
    expect(clock.lowerBound()).to.equal(5_000_000);
    here += 1;
    expect(clock.lowerBound()).to.be.within(5_000_998, 5_001_000);
  });

  it('follows the slowest node and forgets removed nodes', () => {
    const clock = new RedisClock(() => 0);
    clock.record('a', 9);
    clock.record('b', 5);
    expect(clock.lowerBound()).to.equal(5);
    clock.keepOnly(new Set(['a']));
    expect(clock.lowerBound()).to.equal(9);
    clock.keepOnly(new Set());
    expect(clock.lowerBound()).to.equal(0);
  });

  it('follows a node whose clock is set back', () => {
    const clock = new RedisClock(() => 0);
    clock.record('a', 9);
    clock.record('a', 3);
    expect(clock.lowerBound()).to.equal(3);
  });
});
