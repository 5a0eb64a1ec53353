import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce, type Steps } from './eventLoop.ts';
import { TreeWalk } from './treeWalk.ts';

type Tree = number | Tree[];

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ depthSize: 'medium' }, fc.nat(99), fc.array(tie('tree'), { maxLength: 6 })),
}));

const leavesOf = (one: Tree): number[] => (Array.isArray(one) ? one.flatMap(leavesOf) : [one]);

/** A copy of a tree, and its leaves in the order of the visits. */
function copied(walk: TreeWalk, root: Tree): Steps<void> & { readonly seen: number[]; readonly copies: Tree[] } {
  const seen: number[] = [];
  const visit = (one: Tree, put: (copy: Tree) => unknown): number => {
    if (!Array.isArray(one)) {
      seen.push(one);
      walk.work(worked(one), put);
      return 0;
    }
    const copy: Tree[] = [];
    const elementOf = (element: Tree): number => visit(element, (result) => copy.push(result));
    return walk.each(one, elementOf, () => put(copy));
  };
  const copies: Tree[] = [];
  const steps = walk.run(() => {
    visit(root, (copy) => copies.push(copy));
  });
  return Object.assign(steps, { seen, copies });
}

/** Work in as many steps as a number says, up to three. */
function* worked(one: number): Steps<number> {
  for (let step = 0; step < one % 4; step += 1) yield;
  return one;
}

describe('a walk over a tree', () => {
  it('visits the same in the same order, wherever its steps end', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 7 }), (root, budget) => {
        let visits = 0;
        const short = copied(new TreeWalk(() => ++visits % budget === 0), root);
        const whole = copied(new TreeWalk(() => false), root);
        atOnce(short);
        atOnce(whole);
        expect(short.copies).to.deep.equal([root]);
        expect(whole.copies).to.deep.equal([root]);
        expect(short.seen).to.deep.equal(leavesOf(root));
        expect(whole.seen).to.deep.equal(short.seen);
      }),
      { numRuns: 2000 },
    );
  });

  it('ends a step when it is long enough, at any depth', () => {
    const deep = Array.from({ length: 200 }).reduce<Tree>((inner) => [inner, 0], 0);
    const steps = copied(new TreeWalk(() => true), deep);
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).to.be.at.least(400);
  });

  it('fails with the error of a visit', () => {
    const walk = new TreeWalk(() => true);
    const fail = (): number => {
      throw new Error('failed');
    };
    const steps = walk.run(() => {
      walk.each([[]], () => walk.each([1], fail));
    });
    expect(() => {
      atOnce(steps);
    }).to.throw('failed');
  });
});
