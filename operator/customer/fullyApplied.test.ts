import { expect } from 'chai';
import type { GatewayInstance, GatewayInstanceStatus, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import type { CustomerPolicyProblem } from '../policy/policy.ts';
import { accessState, fullyApplied, policyState, type AppliedState } from './fullyApplied.ts';

const applied: AppliedState = {
  specHash: '1',
  fields: [],
  drift: { differs: [], unreported: [], uncleared: [] },
  unsupported: [],
  unenforced: [],
};
const ref = { guardrailPolicyRef: { name: 'strict' } };
const list = { revision: 'r', customers: 1, enforcedAt: '2026-11-21T00:00:00Z' };
const instance = (
  guardrail: Guardrail | undefined,
  status: GatewayInstanceStatus = { customerList: list },
): GatewayInstance => ({
  ...instanceOf({ ...(guardrail && { guardrail }) }, 'main'),
  status,
});
const missing: CustomerPolicyProblem = {
  reason: 'PolicyNotFound',
  message: 'GuardrailPolicy team/strict does not exist.',
};

describe('the policy of a customer in the condition FullyApplied', () => {
  const cases: readonly (readonly [
    what: string,
    instance: GatewayInstance,
    problem: CustomerPolicyProblem | undefined,
    state: readonly [status: string, reason: string, message: RegExp],
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
      'a guardrail whose pods have no list yet',
      instance({}, {}),
      undefined,
      ['False', 'FieldsNotEnforced', /Remedy: wait until every pod of the guardrail has the list of customers\.$/],
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
  for (const [what, of, problem, [status, reason, message]] of cases) {
    it(`depends on ${what}`, () => {
      const found = fullyApplied({ ...applied, policy: policyState(ref, of, problem) });
      expect(found).to.include({ status, reason });
      expect(found.message).to.match(message);
    });
  }

  it('is not mentioned without a policy', () => {
    expect(policyState({}, instance({}), undefined)).to.equal(undefined);
    expect(fullyApplied(applied).message).to.equal('The gateway applies all fields of the spec.');
  });

  it('is one of the fields that the guardrail enforces', () => {
    const spec = { ...ref, blocked: true, allowedCallers: { teamIds: ['sales'] } };
    const state = {
      ...applied,
      access: accessState(spec, instance({})),
      policy: policyState(spec, instance({}), undefined),
    };
    expect(fullyApplied(state).message).to.match(/main enforces blocked, allowedCallers, and guardrailPolicyRef\.$/);
  });
});
