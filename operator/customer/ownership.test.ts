import { expect } from 'chai';
import { annotations, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { GatewayIdentity } from '../connection/connection.ts';
import { testIdentity } from '../connection/testing/testIdentity.ts';
import { adoptionPolicyOf, markSubject, type Ownership, ownershipAt } from '../external/claims.ts';
import { customerClaims, nextStatus, type OwnershipStatus, type SyncOutcome } from './status.ts';
import { customerOf, withStatus } from './testing/testDependencies.ts';

describe('ownership', () => {
  const address = 'gateway.ai.svc:4000';
  const here = testIdentity.digest(address);
  const elsewhere = testIdentity.digest('other.ai.svc:4000');
  const signedAt = '2026-11-21T00:00:00Z';

  /** A mark of the default customer, as metadata. */
  const mark = (uid = 'uid-1', at = address, of = customerOf({})): object => {
    const text = testIdentity.sign(markSubject(customerClaims, of), at, { uid, fields: ['alias'], signedAt });
    return { annotations: { [annotations.ownerMark]: text } };
  };
  const renamed = customerOf({});
  const others = mark('uid-1', address, { ...renamed, metadata: { ...renamed.metadata, name: 'other' } });
  const ownershipHere = (customer: GatewayCustomer, at: string | undefined = address): Ownership =>
    ownershipAt(customerClaims, testIdentity, customer, at);

  const cases: readonly (readonly [name: string, customer: GatewayCustomer, state: Ownership['state']])[] = [
    ['no status', customerOf({}), 'none'],
    ['a mark', withStatus({}, mark()), 'pending'],
    ['a mark, restored from a backup', withStatus({}, mark('uid-0')), 'pending'],
    ['the mark of another resource', withStatus({}, others), 'none'],
    ['a mark for another customer id', withStatus({}, mark('uid-1', address, customerOf({ customerId: 'b' }))), 'none'],
    ['a mark for another gateway', withStatus({}, mark('uid-1', 'other.ai.svc:4000')), 'none'],
    ['a malformed mark', withStatus({}, { annotations: { [annotations.ownerMark]: 'true' } }), 'none'],
    [
      'a mark that its author wrote',
      withStatus(
        {},
        { annotations: { [annotations.ownerMark]: '{"gateway":"","uid":"uid-1","fields":[],"signedAt":"","mac":""}' } },
      ),
      'none',
    ],
    ['a mark while it waits for the owner', withStatus({ ownership: 'Waiting' }, mark()), 'none'],
    ['a mark and a refused record', withStatus({ ownership: 'Refused', gateway: here }, mark()), 'none'],
    [
      'a mark, back from a gateway where it was refused',
      withStatus({ ownership: 'Refused', gateway: elsewhere }, mark()),
      'pending',
    ],
    ['a hash in the status', withStatus({ specHash: 'x' }), 'owned'],
    ['a hash in the status for this gateway', withStatus({ specHash: 'x', gateway: here }), 'owned'],
    ['a hash in the status for another gateway', withStatus({ specHash: 'x', gateway: elsewhere }), 'none'],
    [
      'a hash in the status with a digest of another key',
      withStatus({ specHash: 'x', gateway: '00000000.0123456789abcdef' }),
      'owned',
    ],
  ];
  for (const [name, customer, state] of cases) {
    it(`with ${name} is ${state}`, () => {
      expect(ownershipHere(customer).state).to.equal(state);
    });
  }

  it('may exist while the address of the gateway is unknown, so that a deletion examines it', () => {
    const unknown = (metadata: object): string =>
      ownershipAt(customerClaims, testIdentity, withStatus({}, metadata), undefined).state;
    expect(unknown(mark())).to.equal('pending');
    expect(unknown(others)).to.equal('none');
  });

  it('takes the fields from the status, or else from the mark', () => {
    const fields = (status: object): string[] => [...ownershipHere(withStatus(status, mark())).fields];
    expect(fields({})).to.deep.equal(['alias']);
    expect(fields({ appliedFields: ['models', 'nonsense'] })).to.deep.equal(['models']);
    expect(fields({ appliedFields: ['models'], gateway: elsewhere })).to.deep.equal(['alias']);
  });

  it('knows the resource that it was restored from', () => {
    expect(ownershipHere(withStatus({}, mark('uid-0'))).restoredFrom).to.equal('uid-0');
    expect(ownershipHere(withStatus({}, mark())).restoredFrom).to.equal(undefined);
    expect(ownershipHere(withStatus({ ownership: 'Waiting' }, mark('uid-0'))).restoredFrom).to.equal(undefined);
  });

  it('is not proved by a mark of another key', async () => {
    const identity = new GatewayIdentity({
      clusterDomain: 'cluster.local',
      readKey: () => Promise.resolve(Buffer.alloc(32, 2)),
    });
    await identity.load();
    expect(ownershipAt(customerClaims, identity, withStatus({}, mark()), address).state).to.equal('none');
  });

  it('remains if a reconcile finds nothing about it, and is not replaced by a lost permission', () => {
    const nextOwnership = (
      customer: GatewayCustomer,
      outcome: Pick<SyncOutcome, 'reason' | 'ownership'>,
    ): OwnershipStatus | undefined =>
      nextStatus(customer, { synced: false, message: 'Why.', ...outcome }, new Date(signedAt)).ownership;
    const failure = { reason: 'GatewayUnreachable' } as const;
    const notAllowed = { reason: 'NamespaceNotAllowed' } as const;
    expect(nextOwnership(withStatus({ ownership: 'Waiting' }), failure)).to.equal('Waiting');
    expect(nextOwnership(withStatus({ ownership: 'Waiting' }), notAllowed)).to.equal('Waiting');
    expect(nextOwnership(withStatus({ ownership: 'Owned' }), notAllowed)).to.equal('NotAllowed');
    expect(nextOwnership(withStatus({ ownership: 'Waiting' }), { reason: 'Created', ownership: 'Owned' })).to.equal(
      'Owned',
    );
    expect(nextOwnership(customerOf({}), failure)).to.equal(undefined);
  });
});

describe('the adoption policy', () => {
  for (const [adoption, namespace, own, expected] of [
    [undefined, 'default', undefined, 'Adopt'],
    [undefined, 'default', 'Refuse', 'Refuse'],
    [undefined, 'shop', undefined, 'Refuse'],
    [undefined, 'shop', 'Adopt', 'Refuse'],
    ['AllowedNamespaces', 'shop', undefined, 'Adopt'],
    ['AllowedNamespaces', 'shop', 'Refuse', 'Refuse'],
    ['None', 'default', 'Adopt', 'Refuse'],
  ] as const) {
    const instance = { spec: { ...(adoption === undefined ? {} : { adoption }) } } as GatewayInstance;
    it(`is ${expected} with ${adoption ?? 'no'} adoption of the instance and ${own ?? 'no'} policy in ${namespace}`, () => {
      const customer = customerOf({
        instanceRef: { name: 'main', namespace: 'default' },
        ...(own === undefined ? {} : { adoptionPolicy: own }),
      });
      const placed = { ...customer, metadata: { ...customer.metadata, namespace } };
      expect(adoptionPolicyOf(customerClaims, placed, instance)).to.equal(expected);
    });
  }
});
