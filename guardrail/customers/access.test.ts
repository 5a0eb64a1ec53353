import { expect } from 'chai';
import fc from 'fast-check';
import { createAccess, keyHashOf, type NamedCaller } from './access.ts';
import { listHash, listKey, type ListHash } from './listHash.ts';
import { readCustomerList, type CustomerList } from './readList.ts';
import { writeCustomerList, type CustomerEntry, type UnknownCustomers } from './writeList.ts';

const key = listKey('a session key of more than thirty-two characters');
const KEY = keyHashOf('sk-1');
const OTHER_KEY = keyHashOf('sk-2');

const customer = (id: string): ListHash => listHash(key, 'customer', id);
const callers = (teams: string[], keys: string[]): Required<CustomerEntry>['callers'] => ({
  teams: teams.map((id) => listHash(key, 'team', id)),
  keys: keys.map((id) => listHash(key, 'key', id)),
});

const STRICT = 'a'.repeat(32);
const policies = new Map([[STRICT, '{}']]);
const entries: readonly CustomerEntry[] = [
  { customer: customer('free') },
  { customer: customer('blocked'), blocked: true },
  { customer: customer('team'), callers: callers(['sales'], []) },
  { customer: customer('key'), callers: callers([], [KEY]) },
  { customer: customer('either'), callers: callers(['sales'], [KEY]) },
  { customer: customer('nobody'), callers: callers([], []) },
  { customer: customer('strict'), policy: STRICT },
  { customer: customer('missing'), policy: null },
];

const listOf = (unknownCustomers: UnknownCustomers): CustomerList =>
  readCustomerList(new Map(writeCustomerList(entries, { unknownCustomers, policies }).entries()));

function refusal(unknownCustomers: UnknownCustomers, caller: Partial<NamedCaller>): string | undefined {
  return createAccess(key, { current: listOf(unknownCustomers) }).decide({
    ...{ customers: [], team: undefined, keyHashes: [] },
    ...caller,
  }).refusal;
}

const BLOCKED = 'This customer is blocked.';
const UNKNOWN = 'This customer is not known here.';
const UNNAMED = 'The call names no customer: set the field user of the request.';
const UNTOLD =
  'The gateway does not tell the guardrail for which customer a call is, and unknown customers may not call.';
const UNREADABLE = 'The customer of this call cannot be read: name it once, as a string, in a body of valid JSON.';
const POLICY = 'The guardrail policy of this customer is not available: try again later.';
const CALLER = 'This caller may not call for this customer.';

describe('who may call', () => {
  const cases: readonly (readonly [caller: Partial<NamedCaller>, allow?: string | undefined, block?: string])[] = [
    [{ customers: ['free'] }],
    [{ customers: [] }, undefined, UNNAMED],
    [{ customers: undefined }, undefined, UNTOLD],
    [{ customers: ['stranger'] }, undefined, UNKNOWN],
    [{ customers: ['FREE'] }, undefined, UNKNOWN],
    [{ customers: ['blocked'] }, BLOCKED, BLOCKED],
    [{ customers: ['free', 'blocked'] }, BLOCKED, BLOCKED],
    [{ customers: ['blocked', 'free'] }, BLOCKED, BLOCKED],
    [{ customers: ['free', 'stranger'] }, undefined, UNKNOWN],
    [{ customers: ['free'], isUnreadable: true }, UNREADABLE, UNREADABLE],
    [{ customers: ['free\ud800'] }, UNREADABLE, UNREADABLE],
    [{ customers: ['strict'] }],
    [{ customers: ['missing'] }, POLICY, POLICY],
    [{ customers: ['strict', 'missing'] }, POLICY, POLICY],
    [{ customers: ['team'] }, CALLER, CALLER],
    [{ customers: ['team'], team: 'sales' }],
    [{ customers: ['team'], team: 'legal' }, CALLER, CALLER],
    [{ customers: ['team'], team: '' }, CALLER, CALLER],
    [{ customers: ['key'], keyHashes: [KEY] }],
    [{ customers: ['key'], keyHashes: [KEY.toUpperCase()] }],
    [{ customers: ['key'], keyHashes: [OTHER_KEY] }, CALLER, CALLER],
    [{ customers: ['key'], keyHashes: [KEY, OTHER_KEY] }, CALLER, CALLER],
    [{ customers: ['key'], team: 'sales' }, CALLER, CALLER],
    [{ customers: ['either'], team: 'sales', keyHashes: [OTHER_KEY] }],
    [{ customers: ['either'], team: 'legal', keyHashes: [KEY] }],
    [{ customers: ['nobody'], team: 'sales', keyHashes: [KEY] }, CALLER, CALLER],
  ];
  for (const [caller, allow, block] of cases) {
    it(`is decided for ${JSON.stringify(caller)}`, () => {
      expect([refusal('Allow', caller), refusal('Block', caller)]).to.deep.equal([allow, block]);
    });
  }

  it('never grows with another name in the call, and is never wider if unknown customers are blocked', () => {
    const ids = fc.constantFrom('free', 'blocked', 'team', 'key', 'either', 'nobody', 'stranger');
    const caller = fc.record({
      customers: fc.array(ids, { maxLength: 3, minLength: 1 }),
      team: fc.constantFrom(undefined, 'sales', 'legal'),
      keyHashes: fc.subarray([KEY, OTHER_KEY]),
    });
    fc.assert(
      fc.property(caller, ids, (one, more) => {
        const wider = { ...one, customers: [...one.customers, more] };
        for (const unknown of ['Allow', 'Block'] as const) {
          if (refusal(unknown, one) !== undefined) expect(refusal(unknown, wider)).not.to.equal(undefined);
        }
        if (refusal('Allow', one) !== undefined) expect(refusal('Block', one)).not.to.equal(undefined);
      }),
    );
  });

  it('is nobody while there is no valid list', () => {
    const access = createAccess(key, { current: undefined });
    const caller = { customers: ['free'], team: 'sales', keyHashes: [KEY] };
    expect(access.decide(caller).refusal).to.match(/^The guardrail has no valid list of customers/);
    expect(access.state()).to.equal(undefined);
  });

  it('tells the policy of each customer that a call names', () => {
    const access = createAccess(key, { current: listOf('Block') });
    const policiesOf = (customers: string[] | undefined): unknown =>
      access.decide({ customers, team: undefined, keyHashes: [] }).policies;
    expect(policiesOf(['strict'])).to.deep.equal([STRICT]);
    expect(policiesOf(['free', 'strict', 'stranger', 'missing'])).to.deep.equal([
      undefined,
      STRICT,
      undefined,
      undefined,
    ]);
    expect(policiesOf([])).to.deep.equal([]);
    expect(policiesOf(['free\ud800'])).to.deep.equal([undefined, STRICT]);
    expect(policiesOf(undefined)).to.deep.equal([]);
  });
});
