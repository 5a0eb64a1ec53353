/** Who owns a record, as tables and laws. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Condition, GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { addressDigest, addressOf, gatewayAddress } from './gatewayAddress.ts';
import { graceMs, ownerBefore, type Claimant, yieldsTo } from './precedence.ts';
import { customerOf } from './testing/testDependencies.ts';

const gateway = addressDigest('gateway:80');
const elsewhere = addressDigest('elsewhere:80');
const at = (second: number): string => `2026-11-21T00:00:${String(second).padStart(2, '0')}Z`;

interface Sketch {
  readonly second?: number;
  readonly holds?: string;
  readonly reason?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly tookOver?: NonNullable<GatewayCustomer['status']>['tookOver'];
}

function sketch(
  uid: string,
  { second = 0, holds, reason, name = uid, namespace = 'a', tookOver }: Sketch,
): GatewayCustomer {
  const customer = customerOf({}, uid);
  const condition: Condition = {
    ...{ type: 'Synced', reason: reason ?? 'UpToDate', message: '', lastTransitionTime: at(0) },
    status: 'False',
  };
  return {
    ...customer,
    metadata: { ...customer.metadata, name, namespace, creationTimestamp: at(second) },
    status: {
      ...(holds === undefined ? {} : { specHash: 'x', gateway: holds }),
      ...(reason === undefined ? {} : { conditions: [condition] }),
      ...(tookOver === undefined ? {} : { tookOver }),
    },
  };
}

const ownerUid = (customer: GatewayCustomer, rivals: readonly Claimant[]): string | undefined =>
  ownerBefore(customer, rivals, gateway)?.metadata.uid;

describe('ownership', () => {
  const cases: readonly {
    what: string;
    one: Sketch;
    other: Sketch;
    sameInstance?: boolean;
    owner: 'one' | 'other' | 'both';
  }[] = [
    { what: 'the older of two new ones', one: { second: 1 }, other: { second: 2 }, owner: 'one' },
    {
      what: 'the one whose record the gateway holds',
      one: { second: 1 },
      other: { second: 2, holds: gateway },
      owner: 'other',
    },
    {
      what: 'the older of two that hold it',
      one: { second: 1, holds: gateway },
      other: { second: 2, holds: gateway },
      owner: 'one',
    },
    {
      what: 'a new one before one that waits',
      one: { second: 1, reason: 'Conflict' },
      other: { second: 2 },
      owner: 'other',
    },
    {
      what: 'the one that waits before one that is not allowed any more',
      one: { second: 1, holds: gateway, reason: 'NamespaceNotAllowed' },
      other: { second: 2, holds: gateway },
      owner: 'other',
    },
    {
      what: 'both, by way of two instances, until the gateway holds one',
      one: { second: 1 },
      other: { second: 2 },
      sameInstance: false,
      owner: 'both',
    },
    {
      what: 'the one that holds it, by way of two instances, though it is younger',
      one: { second: 1 },
      other: { second: 2, holds: gateway },
      sameInstance: false,
      owner: 'other',
    },
    {
      what: 'not one that holds the record of another gateway',
      one: { second: 1, holds: elsewhere },
      other: { second: 2, holds: gateway },
      sameInstance: false,
      owner: 'other',
    },
    {
      what: 'the one that was applied again over the one that took over meanwhile',
      one: { second: 1, holds: gateway, tookOver: { name: 'other', time: at(10) } },
      other: { second: 12 },
      owner: 'other',
    },
    {
      what: 'not another one that comes in that time',
      one: { second: 1, holds: gateway, tookOver: { name: 'third', time: at(10) } },
      other: { second: 12 },
      owner: 'one',
    },
  ];
  for (const { what, one, other, sameInstance = true, owner } of cases) {
    it(`has ${what}`, () => {
      const [first, second] = [sketch('one', one), sketch('other', other)];
      const rivals = [first, second].map((customer) => ({ customer, sameInstance }));
      expect(ownerUid(first, rivals)).to.equal(owner === 'other' ? 'other' : undefined);
      expect(ownerUid(second, rivals)).to.equal(owner === 'one' ? 'one' : undefined);
    });
  }

  it('goes back only within the time of grace, and only within a namespace', () => {
    const taker = sketch('taker', { tookOver: { name: 'back', time: at(0) } });
    const back = (ms: number, namespace = 'a'): GatewayCustomer => {
      const customer = sketch('back', { namespace });
      const creationTimestamp = new Date(Date.parse(at(0)) + ms).toISOString();
      return { ...customer, metadata: { ...customer.metadata, creationTimestamp } };
    };
    expect([0, graceMs, graceMs + 1_000, -2_000].map((ms) => yieldsTo(taker, back(ms)))).to.deep.equal([
      ...[true, true, false, false],
    ]);
    expect(yieldsTo(taker, back(0, 'b'))).to.equal(false);
  });

  it('law: belongs to exactly one of any resources of an instance, whichever of them asks', () => {
    const resource = fc.record({
      second: fc.nat(3),
      uid: fc.uuid(),
      holds: fc.constantFrom(undefined, gateway, elsewhere),
      reason: fc.constantFrom(undefined, 'Conflict', 'UpToDate', 'NamespaceNotAllowed', 'GatewayUnreachable'),
    });
    fc.assert(
      fc.property(fc.uniqueArray(resource, { minLength: 1, selector: ({ uid }) => uid }), (resources) => {
        const all = resources.map(({ uid, second, holds, reason }) =>
          sketch(uid, {
            second,
            ...(holds === undefined ? {} : { holds }),
            ...(reason === undefined ? {} : { reason }),
          }),
        );
        const rivals = all.map((customer) => ({ customer, sameInstance: true }));
        const owners = all.filter((customer) => ownerUid(customer, rivals) === undefined);
        expect(owners).to.have.length(1);
        for (const customer of all) {
          expect(ownerUid(customer, rivals)).to.equal(customer === owners[0] ? undefined : owners[0]?.metadata.uid);
        }
      }),
    );
  });
});

describe('the address of a gateway', () => {
  const service = 'litellm.ai.svc:4000';
  for (const [address, expected] of [
    ['http://litellm.ai.svc:4000', service],
    ['http://LITELLM.ai.svc:4000/', service],
    ['http://litellm.ai.svc.cluster.local:4000', service],
    ['http://litellm.ai.svc.cluster.local.:4000//', service],
    ['https://litellm.ai:4000', service],
    ['https://gateway.example.com', 'gateway.example.com:443'],
    ['https://Gateway.Example.com.:443/', 'gateway.example.com:443'],
    ['http://gateway.example.com', 'gateway.example.com:80'],
    ['https://gateway.example.com/team//a/', 'gateway.example.com:443/team/a'],
    ['http://127.0.0.1:4000', '127.0.0.1:4000'],
    ['http://[::1]:4000', '[::1]:4000'],
    ['http://127.0.0.1:99999', undefined],
  ] as const) {
    it(`${address} is ${expected ?? 'not known'}`, () => {
      expect(addressOf(address)).to.equal(expected);
    });
  }

  it('is the same for an endpoint and a Service, whose only port the status tells', () => {
    const instance = (spec: object, status?: object): GatewayInstance =>
      ({ metadata: { name: 'main', namespace: 'ai' }, spec, status }) as unknown as GatewayInstance;
    expect(gatewayAddress(instance({ endpoint: 'http://litellm.ai.svc.cluster.local:4000' }))).to.equal(service);
    expect(gatewayAddress(instance({ serviceRef: { name: 'litellm', port: 4000 } }))).to.equal(service);
    expect(
      gatewayAddress(instance({ serviceRef: { name: 'litellm' } }, { endpoint: 'http://litellm.ai.svc:4000' })),
    ).to.equal(service);
    expect(gatewayAddress(instance({ serviceRef: { name: 'litellm' } }))).to.equal(undefined);
    expect(
      gatewayAddress(instance({ serviceRef: { name: 'litellm' } }, { endpoint: 'http://other.ai.svc:4000' })),
    ).to.equal(undefined);
  });
});
