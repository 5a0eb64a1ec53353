import { expect } from 'chai';
import fc from 'fast-check';
import { WrittenLists } from './writtenLists.ts';

const rulesOf = (rules: Record<string, string>): Map<string, string> => new Map(Object.entries(rules));

describe('the lists of an instance', () => {
  let lists: WrittenLists;
  beforeEach(() => {
    lists = new WrittenLists();
  });
  const record = (revision: string, rules: Record<string, string>): void => {
    lists.record(revision, () => rulesOf(rules));
  };

  it('are numbered, and each is recorded once', () => {
    expect([lists.newest, lists.numberOf('a'), lists.numberOf(undefined), lists.at(1)]).to.deep.equal([
      0,
      0,
      0,
      undefined,
    ]);
    record('a', { one: '1' });
    record('b', { one: '1', two: '1' });
    record('b', { one: '1', two: '1' });
    expect([lists.newest, lists.numberOf('a'), lists.numberOf('b')]).to.deep.equal([2, 1, 2]);
    expect(lists.at(2)).to.include({ revision: 'b', customers: 2 });
    record('a', { one: '1' });
    expect([lists.newest, lists.numberOf('a')]).to.deep.equal([3, 3]);
  });

  it('say since when each rule is the same', () => {
    record('a', { one: '1', two: '1', three: '1' });
    record('b', { one: '1', two: '2' });
    record('c', { one: '1', two: '2', three: '1' });
    const since = ['one', 'two', 'three', 'four'].map((uid) => lists.sinceOf(uid));
    expect(since).to.deep.equal([1, 2, 3, undefined]);
  });

  it('begin with what the status reports, after a restart', () => {
    const before = { list: { revision: 'old', customers: 7 }, isEnforced: (uid: string) => uid === 'one' };
    lists.record('new', () => rulesOf({ one: '1', two: '1' }), before);
    expect([lists.numberOf('old'), lists.numberOf('new')]).to.deep.equal([1, 2]);
    expect([lists.sinceOf('one'), lists.sinceOf('two')]).to.deep.equal([1, 2]);
    expect(lists.at(1)).to.include({ revision: 'old', customers: 7 });
    lists.record('newer', () => rulesOf({ one: '2' }), before);
    expect([lists.newest, lists.sinceOf('one')]).to.deep.equal([3, 3]);

    const same = new WrittenLists();
    same.record('old', () => rulesOf({ one: '1', two: '1' }), before);
    expect([same.newest, same.sinceOf('two')]).to.deep.equal([1, 1]);
  });

  it('are forgotten in the end, but not the rules that remain', () => {
    for (let n = 1; n <= 1000; n += 1) record(`r${n}`, { changing: String(n), constant: '1' });
    expect([lists.numberOf('r1'), lists.numberOf('r980'), lists.newest]).to.deep.equal([0, 980, 1000]);
    expect([lists.sinceOf('constant'), lists.sinceOf('changing')]).to.deep.equal([1, 1000]);
  });

  it('never say of a rule that a pod has it, if it does not', () => {
    const uid = fc.constantFrom('x', 'y', 'z');
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), rules: fc.dictionary(uid, fc.constantFrom('1', '2')) }),
      fc.record({ do: fc.constant('read' as const), pod: fc.nat(1) }),
      fc.record({ do: fc.constant('ask' as const), pod: fc.nat(1) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const written = new WrittenLists();
        let newest: Record<string, string> = {};
        const pods: { has?: Record<string, string>; number: number }[] = [{ number: 0 }, { number: 0 }];
        const revisionOf = (rules: object): string => JSON.stringify(Object.entries(rules).sort());
        for (const one of steps) {
          if (one.do === 'write') {
            newest = one.rules;
            written.record(revisionOf(newest), () => rulesOf(newest));
          }
          const pod = one.do === 'write' ? undefined : pods[one.pod];
          if (pod !== undefined && one.do === 'read') pod.has = newest;
          if (pod !== undefined && one.do === 'ask') {
            pod.number = Math.max(pod.number, pod.has === undefined ? 0 : written.numberOf(revisionOf(pod.has)));
          }
          const number = Math.min(...pods.map((each) => each.number));
          for (const name of ['x', 'y', 'z'] as const) {
            if ((written.sinceOf(name) ?? Infinity) > number) continue;
            for (const { has } of pods) expect(has?.[name]).to.equal(newest[name]);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
