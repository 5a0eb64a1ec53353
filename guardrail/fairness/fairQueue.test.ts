import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../ids.ts';
import { createFairQueue, type FairQueue, type Queued } from './fairQueue.ts';

const [A, B, C] = ['a', 'b', 'c'] as Tenant[] as [Tenant, Tenant, Tenant];
interface Item extends Queued {
  readonly name: string;
}
const item = (tenant: Tenant, weight: number, name = ''): Item => ({ tenant, weight, name });

function filled(...items: readonly Item[]): FairQueue<Item> {
  const queue = createFairQueue<Item>();
  for (const one of items) queue.add(one);
  return queue;
}

function emptied(queue: FairQueue<Item>): Item[] {
  const all: Item[] = [];
  for (let one = queue.next(); one; one = queue.next()) all.push(one);
  return all;
}

describe('a fair queue', () => {
  it('serves tenants in turn, and the items of each in order', () => {
    const queue = filled(item(A, 1, '1'), item(A, 1, '2'), item(A, 1, '3'), item(B, 1, '1'), item(C, 1, '1'));
    expect(emptied(queue).map(({ tenant, name }) => tenant + name)).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('serves many small items for each large one', () => {
    const queue = filled(...Array.from({ length: 3 }, () => item(A, 100)));
    queue.next();
    for (let n = 0; n < 30; n += 1) queue.add(item(B, 10));
    const order = emptied(queue).map(({ tenant }) => tenant);
    // B is served until it has received the weight of the first large item.
    expect(order.slice(0, 10).filter((tenant) => tenant === B)).to.have.length(10);
    expect(order.slice(0, 23).filter((tenant) => tenant === A).length).to.be.within(1, 2);
  });

  it('gives no credit for idle time and keeps debts', () => {
    const queue = filled(item(A, 1));
    queue.next();
    queue.charge(A, 50);
    for (const one of [item(A, 1), ...Array.from({ length: 60 }, () => item(B, 1))]) queue.add(one);
    const order = emptied(queue).map(({ tenant }) => tenant);
    expect(order.indexOf(A)).to.be.within(50, 52);
    queue.add(item(A, 1));
    for (let n = 0; n < 3; n += 1) queue.add(item(C, 1));
    expect(emptied(queue).findIndex(({ tenant }) => tenant === A)).to.be.at.most(1);
  });

  it('skips tenants that are not allowed', () => {
    const queue = filled(item(A, 1), item(B, 1));
    expect(queue.peek((tenant) => tenant !== A)).to.include({ tenant: B });
    expect(queue.next((tenant) => tenant !== A)).to.include({ tenant: B });
    expect(queue.next((tenant) => tenant !== A)).to.equal(undefined);
    expect(queue.next()).to.include({ tenant: A });
  });

  const tenant = fc.constantFrom(A, B, C);
  const items = fc.array(
    fc.tuple(tenant, fc.integer({ min: 1, max: 100 })).map(([owner, weight]) => item(owner, weight)),
    { maxLength: 80 },
  );

  it('serves waiting tenants about equally, for any arrivals', () => {
    const steps = fc.array(
      fc.oneof(
        items.map((added) => ({ added })),
        fc.constant({ added: [] }),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(steps, (batches) => {
        const queue = createFairQueue<Item>();
        const waiting = new Map([A, B, C].map((one): [Tenant, number] => [one, 0]));
        /** The weight served to each tenant since all of the current ones wait. */
        let served = new Map<Tenant, number>();
        for (const { added } of batches) {
          for (const one of added) {
            if (waiting.get(one.tenant) === 0) served = new Map();
            queue.add(one);
            waiting.set(one.tenant, (waiting.get(one.tenant) ?? 0) + 1);
          }
          for (let n = 0; n < 15; n += 1) {
            const one = queue.next();
            if (!one) break;
            waiting.set(one.tenant, (waiting.get(one.tenant) ?? 0) - 1);
            served.set(one.tenant, (served.get(one.tenant) ?? 0) + one.weight);
            const others = [A, B, C].filter((other) => (waiting.get(other) ?? 0) > 0);
            for (const other of others) {
              // Each can be ahead by one item at both ends of the interval.
              expect((served.get(one.tenant) ?? 0) - (served.get(other) ?? 0)).to.be.at.most(200);
            }
          }
        }
        const rest = [...waiting.values()].reduce((sum, count) => sum + count, 0);
        expect(queue.size).to.equal(rest);
        expect(emptied(queue)).to.have.length(rest);
        expect(queue.size).to.equal(0);
      }),
    );
  });

  it('predicts the order and the weight that is served first', () => {
    fc.assert(
      fc.property(items, tenant, (added, owner) => {
        const queue = filled(...added);
        const before = queue.weightBefore(owner);
        const late = item(owner, 1, 'late');
        queue.add(late);
        expect([...queue.inOrder()]).to.deep.equal([...queue.inOrder()]);
        const predicted = [...queue.inOrder()];
        const order = emptied(queue);
        expect(order).to.deep.equal(predicted);
        const weight = order.slice(0, order.indexOf(late)).reduce((sum, one) => sum + one.weight, 0);
        // One item of each other tenant can be in service at that time.
        expect(weight - before).to.be.within(-0.5, 200);
      }),
    );
  });

  it('does not charge items that are removed during an iteration', () => {
    const queue = filled(item(A, 90, 'large'), item(A, 1, 'small'), item(B, 10), item(B, 10));
    const seen: string[] = [];
    for (const one of queue.inOrder()) {
      seen.push(one.tenant + one.name);
      if (one.name === 'large') queue.remove(one);
    }
    expect(seen).to.deep.equal(['alarge', 'asmall', 'b', 'b']);
    expect([queue.size, queue.remove(item(A, 1))]).to.deep.equal([3, false]);
  });
});
