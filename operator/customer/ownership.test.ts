/** The ownership of a resource, as a table. */
import { expect } from 'chai';
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { createMark, markText, nextOwnership, ownershipOf } from './ownership.ts';
import { customerOf, syncedCondition, withStatus } from './testing/testDependencies.ts';

describe('ownership', () => {
  const mark = (uid: string): object => ({
    annotations: { [annotations.createPending]: markText({ uid, fields: ['alias'] }) },
  });
  const oldMark = {
    annotations: { [annotations.createPending]: JSON.stringify({ uid: 'uid-1', fields: ['alias'] }) },
  };
  const refusing = (customer: GatewayCustomer): GatewayCustomer => ({
    ...customer,
    spec: { ...customer.spec, adoptionPolicy: 'Refuse' },
  });
  const reported = (reason: string): GatewayCustomer['status'] & object => ({ conditions: [syncedCondition(reason)] });

  const cases: readonly (readonly [name: string, customer: GatewayCustomer, state: string])[] = [
    ['no status', customerOf({}), 'none'],
    ['a mark', withStatus({}, mark('uid-1')), 'pending'],
    ['the mark of another resource', withStatus({}, mark('uid-2')), 'none'],
    ['a malformed mark', withStatus({}, { annotations: { [annotations.createPending]: 'true' } }), 'none'],
    ['a mark while it waits for the owner', withStatus({ ownership: 'Waiting' }, mark('uid-1')), 'none'],
    ['a mark and a refused record', withStatus({ ownership: 'Refused' }, mark('uid-1')), 'none'],
    [
      'a mark while it waits and is paused',
      withStatus({ ...reported('Paused'), ownership: 'Waiting' }, mark('uid-1')),
      'none',
    ],
    ['a mark and an unreachable gateway', withStatus(reported('GatewayUnreachable'), mark('uid-1')), 'pending'],
    ['a mark and a conflict that an earlier version reported', withStatus(reported('Conflict'), mark('uid-1')), 'none'],
    [
      'a mark and a refusal that an earlier version reported',
      withStatus(reported('AlreadyExists'), mark('uid-1')),
      'none',
    ],
    ['a mark of 0.1.0', withStatus({}, oldMark), 'none'],
    ['a mark of 0.1.0 and no access', withStatus(reported('NamespaceNotAllowed'), oldMark), 'none'],
    ['a mark of 0.1.0 and an unreachable gateway', withStatus(reported('GatewayUnreachable'), oldMark), 'pending'],
    ['a possibly forged mark and the adoption policy Refuse', refusing(withStatus({}, mark('uid-1'))), 'none'],
    [
      'fields in the status and the adoption policy Refuse',
      refusing(withStatus({ appliedFields: ['alias'] })),
      'pending',
    ],
    ['a hash in the status', withStatus({ specHash: 'x' }), 'owned'],
  ];
  for (const [name, customer, state] of cases) {
    it(`with ${name} is ${state}`, () => {
      expect(ownershipOf(customer).state).to.equal(state);
    });
  }

  it('takes the fields from the status, or else from the mark', () => {
    const fields = (status: object): string[] => [...ownershipOf(withStatus(status, mark('uid-1'))).fields];
    expect(fields({})).to.deep.equal(['alias']);
    expect(fields({ appliedFields: ['models', 'nonsense'] })).to.deep.equal(['models']);
    expect(createMark(withStatus({}, mark('uid-1')))).to.deep.equal({ uid: 'uid-1', fields: ['alias'] });
  });

  for (const [reason, ownership] of [
    ['Conflict', 'Waiting'],
    ['AlreadyExists', 'Refused'],
    ['NamespaceNotAllowed', 'NotAllowed'],
    ['CustomerIdNotAllowed', 'NotAllowed'],
    ['TakingOver', 'TakingOver'],
    ['UpToDate', 'Owned'],
  ] as const) {
    it(`reads ${ownership} from the condition ${reason} if an earlier version wrote the status`, () => {
      const earlier = withStatus({ specHash: 'x', ...reported(reason) });
      expect(ownershipOf(earlier).status).to.equal(ownership);
      expect(nextOwnership(earlier, undefined)).to.equal(ownership);
      // The field wins over the condition.
      expect(ownershipOf(withStatus({ ...earlier.status, ownership: 'Owned' })).status).to.equal('Owned');
    });
  }

  it('remains if a reconcile finds nothing about it, and is not replaced by a lost permission', () => {
    expect(nextOwnership(withStatus({ ownership: 'Waiting' }), undefined)).to.equal('Waiting');
    expect(nextOwnership(withStatus({ ownership: 'Waiting' }), 'NotAllowed')).to.equal('Waiting');
    expect(nextOwnership(withStatus({ ownership: 'Owned' }), 'NotAllowed')).to.equal('NotAllowed');
    expect(nextOwnership(withStatus({ ownership: 'Waiting' }), 'Owned')).to.equal('Owned');
    expect(nextOwnership(customerOf({}), undefined)).to.equal(undefined);
  });
});
