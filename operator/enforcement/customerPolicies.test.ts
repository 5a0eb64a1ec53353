import { expect } from 'chai';
import type { GatewayCustomer, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { policyRevision } from '../../guardrail/guardrail.ts';
import { policyText } from '../policy/policy.ts';
import { customerWith, policyOf } from '../policy/testing/policies.ts';
import { keyText } from '../runtime/runtime.ts';
import { choosePolicies, type ChosenPolicies } from './customerPolicies.ts';

const valid = policyOf({ profile: 'Confidential' });
const text = policyText(valid.spec);
const revision = policyRevision(text);
const invalid = policyOf({ allow: [{ pattern: '(' }] });
const paused = { ...valid, metadata: { ...valid.metadata, annotations: { [annotations.paused]: 'true' } } };
const earlier = 'e'.repeat(32);
const other = 'f'.repeat(32);
const stored = new Map([
  [earlier, '{"recall":"thorough"}'],
  [other, '{"images":"block"}'],
]);

const appliedBy = (customer: GatewayCustomer, name: string, known: string): GatewayCustomer => ({
  ...customer,
  status: {
    ...customer.status,
    guardrailPolicy: {
      ...{ name, revision: known, enforcedAt: '2026-11-21T00:00:00Z' },
      effective: {
        ...{ profile: 'Personal', recall: 'Balanced', images: 'Redact', remoteImages: 'Block', unreadText: 'Mask' },
        ...{ enforcement: 'Enforce', retention: '24h' },
      },
    },
  },
});

async function choose(
  customers: readonly GatewayCustomer[],
  policy: GuardrailPolicy | undefined,
  texts: ReadonlyMap<string, string> = stored,
): Promise<ChosenPolicies> {
  const get = (key: { namespace: string; name: string }): GuardrailPolicy | undefined =>
    keyText(key) === 'ai/strict' ? policy : undefined;
  return await choosePolicies({ policies: { get }, stored: () => texts }, customers);
}

describe('the policy of a customer in the list', () => {
  const customer = customerWith();
  const known = appliedBy(customer, 'ai/strict', earlier);
  const withRevision = (policy: GuardrailPolicy): GuardrailPolicy => ({ ...policy, status: { revision: other } });
  const cases: readonly (readonly [
    what: string,
    customer: GatewayCustomer,
    policy: GuardrailPolicy | undefined,
    chosen: string | null | undefined,
  ])[] = [
    ['the valid one', customer, valid, revision],
    ['the valid one, also after another one', known, valid, revision],
    ['that of the customer while it is not valid', known, invalid, earlier],
    ['that of the customer while it is paused', known, paused, earlier],
    ['that of the customer after it was deleted', known, undefined, earlier],
    ['the last valid one while it is not valid', customer, withRevision(invalid), other],
    ['the current one if it is paused and the customer has none', customer, paused, revision],
    ['not available if it does not exist', customer, undefined, null],
    ['not available if it was never valid', customer, invalid, null],
    ['not available if the customer has another one', appliedBy(customer, 'team/strict', earlier), invalid, null],
    ['not available in a third namespace', customerWith({ name: 'strict', namespace: 'other' }), valid, null],
    [
      'none if the customer refers to none',
      { ...customer, spec: { ...customer.spec, managementPolicy: 'Observe' } },
      valid,
      undefined,
    ],
    ['none if the customer owns nothing', customerWith(undefined, {}), valid, undefined],
  ];
  for (const [what, one, policy, chosen] of cases) {
    it(`is ${what}`, async () => {
      const { ofCustomer, texts } = await choose([one], policy);
      expect(ofCustomer.get('uid-acme')).to.equal(chosen);
      const expected = chosen === revision ? text : stored.get(chosen ?? '');
      expect([...texts]).to.deep.equal(expected === undefined ? [] : [[chosen, expected]]);
    });
  }

  it('is not available if the stored list has lost it', async () => {
    expect((await choose([known], invalid, new Map())).ofCustomer.get('uid-acme')).to.equal(null);
  });
});
