/** An operator that ends after each of its writes of a list. The guardrail's own code reads what is stored then. */
import { expect } from 'chai';
import { CustomerListError } from '../../guardrail/customers/customers.ts';
import { type CustomerList, readCustomerList } from '../../guardrail/guardrail.ts';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { eventually, fastClock, FaultProxy, type ProxiedRequest } from '../runtime/testing/testing.ts';
import { EnforcementBed, EnforcementOperator } from './testing/enforcementBed.ts';

/**
 * With it, the customers with the prefix `a` need two ConfigMaps, and together with those of `b` four. Those of `d` change all
 * four.
 */
const MAX_SHARD_BYTES = 900;
const named = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const names = [...named('a', 24), ...named('b', 24), ...named('d', 8)];

/** A state of the instance, from which its list follows. */
interface State {
  readonly prefixes: readonly string[];
  readonly unknownCustomers: 'Allow' | 'Block';
}
const small: State = { prefixes: ['a'], unknownCustomers: 'Allow' };
const all: State = { prefixes: ['a', 'b'], unknownCustomers: 'Allow' };
const blocking: State = { ...all, unknownCustomers: 'Block' };
const more: State = { ...all, prefixes: ['a', 'b', 'd'] };

describe('an operator that ends after a write of the list', function () {
  this.timeout(240_000);
  const plane = withControlPlane();
  let bed: EnforcementBed;
  let proxy: FaultProxy;
  let operator: EnforcementOperator;
  before(async () => {
    await installCrds(plane());
    bed = await EnforcementBed.start(plane());
    proxy = await FaultProxy.start(plane().kubeConfig());
    await bed.customers(new Map(names.map((name) => [name, { blocked: true }])));
  });
  after(async () => {
    await proxy.stop();
    await bed.stop();
  });

  const start = async (): Promise<void> => {
    operator = new EnforcementOperator(proxy.kubeConfig(), bed.namespace, {
      maxShardBytes: MAX_SHARD_BYTES,
      // The waits between writes are not what is tested.
      clock: fastClock(20),
    });
    await operator.start();
  };
  const set = async ({ prefixes, unknownCustomers }: State): Promise<void> => {
    await bed.patchInstance({ customerIdPrefixes: [{ namespace: bed.namespace, prefixes }], unknownCustomers });
  };
  const stored = async (): Promise<CustomerList> => readCustomerList(await bed.shards());
  /** @throws unless the list is that of a state, complete, and reported */
  const expectList = async ({ prefixes, unknownCustomers }: State): Promise<CustomerList> => {
    const list = await stored();
    expect(list.unknownCustomers).to.equal(unknownCustomers);
    expect(list.size).to.equal(names.filter((name) => prefixes.includes(name.charAt(0))).length);
    expect((await bed.instance()).status?.customerList?.revision).to.equal(list.revision);
    return list;
  };
  const complete = async (state: State): Promise<CustomerList> => {
    await start();
    const list = await eventually(() => expectList(state), 60_000);
    await operator.end();
    return list;
  };

  /**
   * Starts an operator that ends at the write after so many, of the list or of the status of the instance.
   * @returns whether it had to end; otherwise it completed the list
   */
  async function endAfter(writes: number, state: State): Promise<boolean> {
    let seen = 0;
    const isHeld = (): boolean => seen > writes;
    const isWrite = ({ method, path }: ProxiedRequest): boolean =>
      method !== 'GET' && /\/(?:configmaps|gatewayinstances)\//.test(path);
    proxy.when((request) => isWrite(request) && (seen += 1) > writes, { kind: 'hang' });
    await start();
    await eventually(async () => isHeld() || (await expectList(state)), 60_000);
    await operator.end();
    proxy.heal();
    return isHeld();
  }

  /** What the guardrail makes of the stored list: it reads it, or keeps its own. */
  async function readStored(from: CustomerList, to: CustomerList): Promise<string> {
    const list = await stored().catch((error: unknown) => {
      if (!(error instanceof CustomerListError)) throw error;
    });
    if (list === undefined) return 'refused';
    if (list.revision === from.revision) return 'old';
    if (list.revision === to.revision) return 'new';
    for (const name of names) {
      const hash = bed.hashOf(name);
      expect([from.find(hash), to.find(hash)], name).to.deep.include(list.find(hash));
    }
    return 'mixed';
  }

  const cases: readonly (readonly [what: string, from: State, to: State, stored: readonly string[]])[] = [
    ['changes its number of ConfigMaps', small, all, ['new', 'old', 'refused']],
    ['changes what happens to unknown customers', all, blocking, ['new', 'old', 'refused']],
    // Each customer has its old or its new rules: a customer is in one ConfigMap.
    ['changes some customers in all ConfigMaps', all, more, ['mixed', 'new', 'old']],
  ];
  for (const [what, from, to, expected] of cases) {
    it(`leaves nothing that the guardrail could misread, and the next one completes it: it ${what}`, async () => {
      await set(to);
      const lists = new Map([[to, await complete(to)]]);
      await set(from);
      lists.set(from, await complete(from));
      const found = new Set<string>();
      let [now, next] = [from, to];
      let completed = 0;
      for (let writes = 0; completed < 2; writes += 1) {
        completed = 0;
        for (let direction = 0; direction < 2; direction += 1) {
          await set(next);
          if (await endAfter(writes, next)) {
            found.add(await readStored(lists.get(now) ?? fail(), lists.get(next) ?? fail()));
            await complete(next);
          } else completed += 1;
          [now, next] = [next, now];
        }
        // Four ConfigMaps, and the status.
        if (completed === 2) expect(writes).to.be.at.least(5);
      }
      expect([...found].sort()).to.deep.equal(expected);
    });
  }
});

function fail(): never {
  throw new Error('There is no such list.');
}
