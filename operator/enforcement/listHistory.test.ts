import { expect } from 'chai';
import fc from 'fast-check';
import { ListHistory } from './listHistory.ts';

const rulesOf = (rules: Record<string, string>): Map<string, string> => new Map(Object.entries(rules));

describe('the lists of an instance', () => {
  let history: ListHistory;
  beforeEach(() => {
    history = new ListHistory();
  });
  const store = (revision: string, rules: Record<string, string>): void => {
    history.stored('main', revision, () => rulesOf(rules));
  };

  it('are asked about until every pod has one of them, or a newer one', () => {
    expect(history.expected('main')).to.equal(undefined);
    store('a', { one: '1' });
    expect(history.expected('main')).to.deep.equal({ revision: 'a', customers: 1, accepted: ['a'] });
    history.ask('main');
    store('b', { one: '1', two: '1' });
    store('b', { one: '1', two: '1' });
    history.ask('main');
    store('c', { one: '2', two: '1' });
    expect(history.expected('main')).to.deep.equal({ revision: 'a', customers: 1, accepted: ['a', 'b', 'c'] });
    history.confirm('main');
    expect(history.expected('main')).to.deep.equal({ revision: 'c', customers: 2, accepted: ['c'] });
  });

  it('confirm the rules that all of them have had since', () => {
    store('a', { one: '1', two: '1', three: '1' });
    history.ask('main');
    store('b', { one: '1', two: '2' });
    history.confirm('main');
    const confirmed = ['one', 'two', 'three', 'four'].map((uid) => history.isConfirmed('main', uid));
    expect(confirmed).to.deep.equal([true, false, false, false]);
    history.confirm('main');
    expect(history.isConfirmed('main', 'two')).to.equal(true);
    expect(history.isConfirmed('other', 'two')).to.equal(false);
    history.forget('main');
    expect(history.isConfirmed('main', 'two')).to.equal(false);
  });

  it('make progress while they change all the time', () => {
    for (let n = 0; n < 1000; n += 1) {
      store(`r${n}`, { changing: String(n), constant: '1' });
      const { accepted = [] } = history.expected('main') ?? {};
      history.ask('main');
      // The pods are 20 lists behind.
      if (accepted.includes(`r${n - 20}`)) history.confirm('main');
    }
    expect(history.isConfirmed('main', 'constant')).to.equal(true);
    expect(history.isConfirmed('main', 'changing')).to.equal(false);
  });

  it('never confirm a rule that a pod does not have', () => {
    const uid = fc.constantFrom('x', 'y', 'z');
    const step = fc.oneof(
      fc.record({ do: fc.constant('store' as const), rules: fc.dictionary(uid, fc.constantFrom('1', '2')) }),
      fc.record({ do: fc.constant('read' as const), pod: fc.nat(1) }),
      fc.record({ do: fc.constant('ask' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lists = new ListHistory();
        let newest: Record<string, string> = {};
        const pods: (Record<string, string> | undefined)[] = [undefined, undefined];
        const revisionOf = (rules: object): string => JSON.stringify(Object.entries(rules).sort());
        for (const one of steps) {
          if (one.do === 'store') {
            newest = one.rules;
            lists.stored('main', revisionOf(newest), () => rulesOf(newest));
          }
          if (one.do === 'read') pods[one.pod] = newest;
          if (one.do === 'ask') {
            const { accepted = [] } = lists.expected('main') ?? {};
            lists.ask('main');
            if (pods.every((pod) => pod !== undefined && accepted.includes(revisionOf(pod)))) lists.confirm('main');
          }
          for (const name of ['x', 'y', 'z'] as const) {
            if (!lists.isConfirmed('main', name)) continue;
            for (const pod of pods) expect(pod?.[name]).to.equal(newest[name]);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
