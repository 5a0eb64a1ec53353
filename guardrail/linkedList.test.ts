import { expect } from 'chai';
import fc from 'fast-check';
import { LinkedList, type Link } from './linkedList.ts';

const step = fc.record({ kind: fc.constantFrom('add', 'remove', 'moveToEnd'), at: fc.nat({ max: 20 }) });

describe('a linked list', () => {
  it('has the values of an array after the same steps, in the same order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const list = new LinkedList<number>();
        const links: Link<number>[] = [];
        let expected: number[] = [];
        for (const { kind, at } of steps) {
          const link = links[at % Math.max(1, links.length)];
          if (kind === 'add' || !link) {
            links.push(list.add(links.length));
            expected.push(links.length - 1);
          } else {
            const rest = expected.filter((value) => value !== link.value);
            const wasIn = rest.length < expected.length;
            expected = kind === 'moveToEnd' && wasIn ? [...rest, link.value] : kind === 'remove' ? rest : expected;
            list[kind === 'moveToEnd' ? 'moveToEnd' : 'remove'](link);
          }
          expect([...list.values()]).to.deep.equal(expected);
          expect(list.first?.value).to.equal(expected[0]);
        }
      }),
    );
  });

  it('gives each value once although each leaves when it is given', () => {
    const list = new LinkedList<number>();
    const links = [1, 2, 3].map((value) => list.add(value));
    const given: number[] = [];
    for (const value of list.values()) {
      given.push(value);
      for (const link of links) if (link.value === value) list.remove(link);
    }
    expect(given).to.deep.equal([1, 2, 3]);
    expect(list.first).to.equal(undefined);
  });
});
