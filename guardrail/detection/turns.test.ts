import { expect } from 'chai';
import type { Tenant } from '../ids.ts';
import { TenantLanes, Turns } from './turns.ts';

const [A, B] = ['a', 'b'] as Tenant[] as [Tenant, Tenant];

describe('turns', () => {
  it('run one slice in an iteration of the event loop, in turn by tenant', async () => {
    const turns = new Turns();
    const order: string[] = [];
    let iteration = 0;
    const count = setInterval(() => undefined, 1000);
    const tick = (): void => {
      iteration += 1;
      if (order.length < 12) setImmediate(tick);
    };
    setImmediate(tick);
    const iterations: number[] = [];
    const work = async (tenant: Tenant, name: string, slices: number): Promise<void> => {
      for (let slice = 0; slice < slices; slice += 1) {
        await turns.next(tenant, 10);
        order.push(name);
        iterations.push(iteration);
      }
    };
    await Promise.all([work(A, 'a1', 3), work(A, 'a2', 3), work(A, 'a3', 3), work(B, 'b', 3)]);
    clearInterval(count);
    expect(order.slice(0, 7).filter((name) => name === 'b')).to.have.length(3);
    expect(new Set(iterations).size).to.equal(12);
  });
});

describe('lanes', () => {
  it('run the tasks of a tenant one after the other, also after a failure', async () => {
    const lanes = new TenantLanes();
    const order: string[] = [];
    const task =
      (name: string, failing = false) =>
      async (): Promise<string> => {
        order.push(`${name} begins`);
        await new Promise(setImmediate);
        order.push(`${name} ends`);
        if (failing) throw new Error(name);
        return name;
      };
    const [first, second, other] = await Promise.allSettled([
      lanes.run(A, task('a1', true)),
      lanes.run(A, task('a2')),
      lanes.run(B, task('b')),
    ]);
    expect([first.status, second.status, other.status]).to.deep.equal(['rejected', 'fulfilled', 'fulfilled']);
    expect(order.indexOf('b begins')).to.be.below(order.indexOf('a1 ends'));
    expect(order.filter((step) => step.startsWith('a'))).to.deep.equal([
      'a1 begins',
      'a1 ends',
      'a2 begins',
      'a2 ends',
    ]);
  });
});
