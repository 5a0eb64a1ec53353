import { expect } from 'chai';
import type { GatewayCustomer, GatewayCustomerSpec, GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { accessDigest } from '../enforcement/accessRules.ts';
import type { Unenforced } from '../gateway/gateway.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import type { CustomerPolicyProblem } from '../policy/policy.ts';
import { accessState, fullyApplied, policyState, withGuardrail, type AppliedState } from './status.ts';

const applied: AppliedState = {
  specHash: '1',
  fields: [],
  drift: { differs: [], unreported: [], uncleared: [] },
  unsupported: [],
  unenforced: [],
};
const ref = { guardrailPolicyRef: { name: 'strict' } };
const instance = (guardrail: Guardrail | undefined): GatewayInstance => ({
  ...instanceOf({ ...(guardrail && { guardrail }) }, 'main'),
  status: { customerList: { revision: 'r', customers: 1, enforcedAt: '2026-11-21T00:00:00Z' } },
});
/** A customer, and what every pod of the guardrail has for it. */
const customer = (
  spec: Partial<GatewayCustomerSpec>,
  has: { readonly access?: Partial<GatewayCustomerSpec>; readonly policy?: string } = {},
): GatewayCustomer =>
  ({
    metadata: { namespace: 'team', name: 'acme' },
    spec,
    status: {
      ...(has.access && { enforcedAccess: accessDigest(has.access) }),
      ...(has.policy !== undefined && { guardrailPolicy: { name: has.policy } }),
    },
  }) as GatewayCustomer;
const withPolicy = customer(ref, { policy: 'team/strict' });
const missing: CustomerPolicyProblem = {
  reason: 'PolicyNotFound',
  message: 'GuardrailPolicy team/strict does not exist.',
};

describe('who may call in the condition FullyApplied', () => {
  const sales = { allowedCallers: { teamIds: ['sales'] } };
  const blocked: Unenforced = { field: 'blocked', remedy: 'set rpmLimit to 0' };
  const cases: readonly (readonly [
    what: string,
    customer: GatewayCustomer,
    guardrail: Guardrail | undefined,
    message: RegExp,
  ])[] = [
    [
      'every pod enforces it',
      customer(sales, { access: sales }),
      {},
      /^The gateway applies .* enforces allowedCallers\.$/,
    ],
    [
      'pods enforce what the spec said before',
      customer(sales, { access: { blocked: true } }),
      {},
      /wait until every pod/,
    ],
    ['no pod enforces it', customer(sales), {}, /wait until every pod/],
    ['there is no guardrail', customer(sales, { access: sales }), undefined, /set spec\.guardrail of/],
  ];
  for (const [what, given, guardrail, message] of cases) {
    it(`if ${what}`, () => {
      expect(fullyApplied({ ...applied, access: accessState(given, instance(guardrail)) }).message).to.match(message);
    });
  }

  it('says to wait for a guardrail that is about to enforce what the gateway does not', () => {
    expect(withGuardrail([blocked], instance({}))).to.deep.equal([
      { field: 'blocked', remedy: 'wait until every pod of the guardrail has the list of customers' },
    ]);
    expect(withGuardrail([blocked], instance(undefined))).to.deep.equal([blocked]);
    expect(withGuardrail([blocked], undefined)).to.deep.equal([blocked]);
  });
});

describe('the policy of a customer in the condition FullyApplied', () => {
  const cases: readonly (readonly [
    what: string,
    instance: GatewayInstance,
    problem: CustomerPolicyProblem | undefined,
    state: readonly [status: string, reason: string, message: RegExp],
    customer?: GatewayCustomer,
  ])[] = [
    [
      'a guardrail with a list',
      instance({}),
      undefined,
      ['True', 'AllFieldsApplied', /The guardrail of GatewayInstance main enforces guardrailPolicyRef\.$/],
    ],
    [
      'no guardrail',
      instance(undefined),
      undefined,
      [
        'False',
        'FieldsNotEnforced',
        /^No guardrail applies guardrailPolicyRef\. Remedy: set spec\.guardrail of GatewayInstance main\.$/,
      ],
    ],
    [
      'a guardrail that does not learn for whom calls are',
      instance({ callback: 'Full' }),
      undefined,
      ['False', 'FieldsNotEnforced', /callback of GatewayInstance main to Generic/],
    ],
    [
      'a guardrail of which not every pod has the policy',
      instance({}),
      undefined,
      ['False', 'FieldsNotEnforced', /Remedy: wait until every pod of the guardrail has the list of customers\.$/],
      customer(ref, { policy: 'team/another' }),
    ],
    [
      'a guardrail in monitor mode',
      instance({ enforcement: 'Monitor' }),
      undefined,
      ['True', 'AllFieldsApplied', /enforces guardrailPolicyRef/],
    ],
    [
      'a missing policy',
      instance({}),
      missing,
      [
        'False',
        'PolicyNotFound',
        /^GuardrailPolicy team\/strict does not exist\. Until then, the customer keeps the policy that it has\. If it has none, the guardrail refuses its calls\.$/,
      ],
    ],
  ];
  for (const [what, of, problem, [status, reason, message], given = withPolicy] of cases) {
    it(`depends on ${what}`, () => {
      const found = fullyApplied({ ...applied, policy: policyState(given, of, problem) });
      expect(found).to.include({ status, reason });
      expect(found.message).to.match(message);
    });
  }

  it('is not mentioned without a policy', () => {
    expect(policyState(customer({}), instance({}), undefined)).to.equal(undefined);
    expect(fullyApplied(applied).message).to.equal('The gateway applies all fields of the spec.');
  });

  it('is one of the fields that the guardrail enforces', () => {
    const spec = { ...ref, blocked: true, allowedCallers: { teamIds: ['sales'] } };
    const given = customer(spec, { access: spec, policy: 'team/strict' });
    const state = {
      ...applied,
      access: accessState(given, instance({})),
      policy: policyState(given, instance({}), undefined),
    };
    expect(fullyApplied(state).message).to.match(/main enforces blocked, allowedCallers, and guardrailPolicyRef\.$/);
  });
});
