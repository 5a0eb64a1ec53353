import { expect } from 'chai';
import { CustomerListError, readCustomerList, writeCustomerList } from '../customers/customers.ts';
import {
  compileDocument,
  compilePolicy,
  parsePolicy,
  type DocumentPolicy,
  type Policy,
} from '../detection/detection.ts';
import { createCallPolicies, createPolicyReader, type CustomerPolicies } from './callPolicies.ts';
import { testSettings } from '../detection/testing/serviceSettings.ts';

const policyOf = (yaml: string): DocumentPolicy => compilePolicy(parsePolicy(yaml));
const own = new Map(
  Object.entries({
    blocks: 'entities: {PERSON: block}',
    ignores: 'entities: {PERSON: ignore}\nmode: monitor',
    finds: "recognizers: [{name: badge, type: BADGE, pattern: 'B-[0-9]+'}]",
  }).map(([name, yaml]) => [name, compileDocument(parsePolicy(yaml))]),
);
const person = { start: 0, end: 4, type: 'PERSON', score: 1, detector: 'builtin', rule: 'builtin' };
const actionIn = (policy: Policy): unknown => policy.actionOf(person, 'Anna', undefined);

describe('the policy of a call', () => {
  const service = { current: policyOf('{}') };
  const customers = { current: { byRevision: own, allowLooser: false } satisfies CustomerPolicies as CustomerPolicies };
  const policies = createCallPolicies({ service, customers, settings: testSettings });
  beforeEach(() => {
    service.current = policyOf('{}');
    customers.current = { byRevision: own, allowLooser: false };
  });

  const cases: readonly (readonly [
    names: readonly (string | undefined)[],
    action: string | undefined,
    looser?: string,
  ])[] = [
    [[], 'pseudonymize', 'pseudonymize'],
    [[undefined], 'pseudonymize', 'pseudonymize'],
    [['blocks'], 'block', 'block'],
    [['ignores'], 'pseudonymize'],
    [['finds'], 'pseudonymize', 'pseudonymize'],
    [['ignores', 'ignores'], 'pseudonymize'],
    [['ignores', undefined], 'pseudonymize', 'pseudonymize'],
    [['ignores', 'blocks'], 'block', 'block'],
  ];
  for (const [names, action, looser] of cases) {
    it(`decides for customers with the policies ${names.map(String).join(', ') || '(no customer)'}`, () => {
      expect(actionIn(policies.of(names))).to.equal(action);
      customers.current = { byRevision: own, allowLooser: true };
      expect(actionIn(policies.of(names))).to.equal(looser);
    });
  }

  it('is the same object until a policy changes', () => {
    const before = policies.of(['blocks']);
    expect(policies.of(['blocks'])).to.equal(before);
    expect(policies.of([])).to.equal(service.current);
    service.current = policyOf('entities: {PERSON: ignore}');
    expect(policies.of(['blocks'])).not.to.equal(before);
    expect(actionIn(policies.of(['finds']))).to.equal(undefined);
    expect(actionIn(policies.of(['blocks']))).to.equal('block');
  });

  it('knows all types that any policy finds', () => {
    service.current = policyOf('deny: [Falcon]');
    expect(policies.customTypes()).to.have.members(['DENIED', 'BADGE']);
  });

  it('is never another one: an unknown revision is an error', () => {
    expect(() => policies.of(['gone'])).to.throw(RangeError);
  });
});

describe('the policies of a customer list', () => {
  const revision = 'a'.repeat(32);
  const listWith = (text: string) =>
    readCustomerList(
      new Map(writeCustomerList([], { unknownCustomers: 'Allow', policies: new Map([[revision, text]]) }).entries()),
    );

  it('are compiled once', () => {
    const read = createPolicyReader();
    const first = read(listWith('{"deny":["Falcon"]}')).byRevision.get(revision);
    expect(first?.document.deny).to.deep.equal([{ value: 'Falcon', type: 'DENIED' }]);
    expect(read(listWith('{"deny":["Falcon"]}')).byRevision.get(revision)).to.equal(first);
  });

  it('are refused with their list if one of them cannot be read', () => {
    expect(() => createPolicyReader()(listWith('{"denies":[]}'))).to.throw(
      CustomerListError,
      `contains the policy ${revision}, which this version of the guardrail cannot read.`,
    );
  });
});
