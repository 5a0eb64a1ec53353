/** The precedence of claimants, as tables and laws. */
import { expect } from 'chai';
import fc from 'fast-check';
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { testIdentity } from '../connection/testing/testIdentity.ts';
import { customerClaims, type OwnershipStatus } from '../customer/status.ts';
import { customerOf } from '../customer/testing/testDependencies.ts';
import { type Claimant, markSubject, ownerBefore, ownershipAt, reapplyGraceMs, yieldsTo } from './claims.ts';

const address = 'gateway:80';
const gateway = testIdentity.digest(address);
const elsewhere = testIdentity.digest('elsewhere:80');
const at = (second: number): string => `2026-11-21T00:00:${String(second).padStart(2, '0')}Z`;

interface Sketch {
  readonly second?: number;
  /** Digest of the gateway that has the resource's record. */
  readonly recordAt?: string;
  readonly ownership?: OwnershipStatus;
  readonly name?: string;
  readonly namespace?: string;
  readonly tookOver?: NonNullable<GatewayCustomer['status']>['tookOver'];
  /** When a mark was signed for an earlier resource of this name. */
  readonly restoredMark?: string;
}

function sketch(
  uid: string,
  { second = 0, recordAt, ownership, name = uid, namespace = 'a', tookOver, restoredMark }: Sketch,
): GatewayCustomer {
  const customer = customerOf({}, uid);
  const metadata = { ...customer.metadata, name, namespace, creationTimestamp: at(second) };
  const mark = { uid: 'before', fields: [], signedAt: restoredMark ?? '' };
  const text = testIdentity.sign(markSubject(customerClaims, { ...customer, metadata }), address, mark);
  return {
    ...customer,
    metadata: { ...metadata, annotations: restoredMark === undefined ? {} : { [annotations.ownerMark]: text } },
    status: {
      ...(recordAt === undefined ? {} : { specHash: 'x', gateway: recordAt }),
      ...(ownership === undefined ? {} : { ownership }),
      ...(tookOver === undefined ? {} : { tookOver }),
    },
  };
}

const claimantOf = (resource: GatewayCustomer, sameInstance = true, keyRefused = false): Claimant<GatewayCustomer> => ({
  ...{ resource, sameInstance, keyRefused },
  ownership: ownershipAt(customerClaims, testIdentity, resource, address),
});
const ownerUid = (customer: GatewayCustomer, claimants: readonly Claimant<GatewayCustomer>[]): string | undefined =>
  ownerBefore(claimantOf(customer), claimants)?.metadata.uid;

describe('the owner of a record', () => {
  const cases: readonly {
    what: string;
    one: Sketch;
    other: Sketch;
    sameInstance?: boolean;
    keyRefused?: boolean;
    owner: 'one' | 'other' | 'both';
  }[] = [
    { what: 'the older of two new resources', one: { second: 1 }, other: { second: 2 }, owner: 'one' },
    {
      what: 'the resource whose record the gateway has',
      one: { second: 1 },
      other: { second: 2, recordAt: gateway },
      owner: 'other',
    },
    {
      what: 'the older of two resources with the record',
      one: { second: 1, recordAt: gateway },
      other: { second: 2, recordAt: gateway },
      owner: 'one',
    },
    {
      what: 'a new resource before a waiting one',
      one: { second: 1, ownership: 'Waiting' },
      other: { second: 2 },
      owner: 'other',
    },
    {
      what: 'an allowed resource before one that is no longer allowed',
      one: { second: 1, recordAt: gateway, ownership: 'NotAllowed' },
      other: { second: 2, recordAt: gateway },
      owner: 'other',
    },
    {
      what: 'each of two resources of different instances until the gateway has the record of one',
      one: { second: 1 },
      other: { second: 2 },
      sameInstance: false,
      owner: 'both',
    },
    {
      what: 'the younger of two resources of different instances if it has the record',
      one: { second: 1 },
      other: { second: 2, recordAt: gateway },
      sameInstance: false,
      owner: 'other',
    },
    {
      what: 'not a resource whose record is at another gateway',
      one: { second: 1, recordAt: elsewhere },
      other: { second: 2, recordAt: gateway },
      sameInstance: false,
      owner: 'other',
    },
    {
      what: 'each of two resources if the gateway refuses the key of the other instance',
      one: { second: 1 },
      other: { second: 2, recordAt: gateway },
      sameInstance: false,
      keyRefused: true,
      owner: 'both',
    },
    {
      what: 'each of two resources if it is not known at which gateway the record of the other one is',
      one: { second: 1 },
      other: { second: 2, recordAt: '00000000.0123456789abcdef' },
      sameInstance: false,
      owner: 'both',
    },
    {
      what: 'a restored resource with its mark before an older one',
      one: { second: 1 },
      other: { second: 2, restoredMark: at(0) },
      sameInstance: false,
      owner: 'other',
    },
    {
      what: 'the restored resource with the later mark',
      one: { second: 1, restoredMark: at(3) },
      other: { second: 2, restoredMark: at(4) },
      owner: 'other',
    },
    {
      what: 'the resource whose record the gateway has before a restored one',
      one: { second: 1, restoredMark: at(9) },
      other: { second: 2, recordAt: gateway },
      owner: 'other',
    },
    {
      what: 'the reapplied resource before the one that took over in between',
      one: { second: 1, recordAt: gateway, tookOver: { name: 'other', time: at(10) } },
      other: { second: 12 },
      owner: 'other',
    },
    {
      what: 'not another resource that was created in between',
      one: { second: 1, recordAt: gateway, tookOver: { name: 'third', time: at(10) } },
      other: { second: 12 },
      owner: 'one',
    },
  ];
  for (const { what, one, other, sameInstance = true, keyRefused, owner } of cases) {
    it(`is ${what}`, () => {
      const [first, second] = [sketch('one', one), sketch('other', other)];
      const claimants = [first, second].map((customer) => claimantOf(customer, sameInstance, keyRefused));
      expect(ownerUid(first, claimants)).to.equal(owner === 'other' ? 'other' : undefined);
      expect(ownerUid(second, claimants)).to.equal(owner === 'one' ? 'one' : undefined);
    });
  }

  it('yields to a resource that is applied again in the grace period and in the same namespace', () => {
    const taker = sketch('taker', { tookOver: { name: 'back', time: at(0) } });
    const back = (ms: number, namespace = 'a'): GatewayCustomer => {
      const customer = sketch('back', { namespace });
      const creationTimestamp = new Date(Date.parse(at(0)) + ms).toISOString();
      return { ...customer, metadata: { ...customer.metadata, creationTimestamp } };
    };
    expect([0, reapplyGraceMs, reapplyGraceMs + 1_000, -2_000].map((ms) => yieldsTo(taker, back(ms)))).to.deep.equal([
      ...[true, true, false, false],
    ]);
    expect(yieldsTo(taker, back(0, 'b'))).to.equal(false);
  });

  it('is exactly one of the claimants of an instance, independent of the asking claimant', () => {
    const resource = fc.record({
      second: fc.nat(3),
      uid: fc.uuid(),
      recordAt: fc.constantFrom(undefined, gateway, elsewhere),
      restoredMark: fc.constantFrom(undefined, at(1), at(2)),
      ownership: fc.constantFrom(undefined, ...(['Owned', 'Waiting', 'Refused', 'NotAllowed', 'TakingOver'] as const)),
    });
    fc.assert(
      fc.property(fc.uniqueArray(resource, { minLength: 1, selector: ({ uid }) => uid }), (resources) => {
        const all = resources.map(({ uid, second, recordAt, ownership, restoredMark }) =>
          sketch(uid, {
            second,
            ...(recordAt === undefined ? {} : { recordAt }),
            ...(ownership === undefined ? {} : { ownership }),
            ...(restoredMark === undefined ? {} : { restoredMark }),
          }),
        );
        const claimants = all.map((customer) => claimantOf(customer));
        const owners = all.filter((customer) => ownerUid(customer, claimants) === undefined);
        expect(owners).to.have.length(1);
        for (const customer of all) {
          expect(ownerUid(customer, claimants)).to.equal(customer === owners[0] ? undefined : owners[0]?.metadata.uid);
        }
      }),
    );
  });
});
