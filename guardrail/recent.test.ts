import { expect } from 'chai';
import fc from 'fast-check';
import { Recent } from './recent.ts';

describe('Recent', () => {
  it('keeps the last results and forgets the oldest ones', () => {
    const recent = new Recent<number>(2);
    expect(recent.get('a')).to.equal(undefined);
    recent.set('a', 1);
    recent.set('b', 2);
    expect([recent.get('a'), recent.get('b')]).to.deep.equal([1, 2]);
    recent.set('c', 3);
    expect(['a', 'b', 'c'].map((name) => recent.get(name))).to.deep.equal([undefined, 2, 3]);
  });

  it('keeps all others when it replaces a result', () => {
    const recent = new Recent<number>(2);
    for (const [name, result] of [
      ['a', 1],
      ['b', 2],
      ['b', 3],
    ] as const)
      recent.set(name, result);
    expect([recent.get('a'), recent.get('b')]).to.deep.equal([1, 3]);
  });

  it('keeps the names that came last, whatever is set', () => {
    const name = fc.integer({ min: 0, max: 12 }).map(String);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(name, { maxLength: 200 }), (max, names) => {
        const recent = new Recent<number>(max);
        let kept: [name: string, result: number][] = [];
        for (const [at, one] of names.entries()) {
          recent.set(one, at);
          const known = kept.find(([other]) => other === one);
          if (known) known[1] = at;
          else kept = [...kept, [one, at] as [string, number]].slice(-max);
          const all = new Map(kept);
          for (const other of names) expect(recent.get(other)).to.equal(all.get(other));
        }
      }),
    );
  });
});
