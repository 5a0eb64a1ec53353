import { expect } from 'chai';
import type { CustomerPolicyRef, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { customerPolicyProblem } from './customerReference.ts';
import { customerWith, policyOf } from './testing/policies.ts';

const accepted = (status: 'True' | 'False'): GuardrailPolicy =>
  policyOf(
    {},
    {
      conditions: [{ type: 'Accepted', status, reason: 'R', message: 'M', lastTransitionTime: '2026-11-21T00:00:00Z' }],
    },
  );

describe('the policy of a customer', () => {
  const cases: readonly (readonly [
    what: string,
    ref: CustomerPolicyRef,
    policy: GuardrailPolicy | undefined,
    problem: unknown,
  ])[] = [
    ['valid', { name: 'strict' }, accepted('True'), undefined],
    ['not checked yet', { name: 'strict' }, policyOf(), undefined],
    [
      'not valid',
      { name: 'strict' },
      accepted('False'),
      {
        reason: 'PolicyInvalid',
        message: 'GuardrailPolicy team/strict is not valid: its condition Accepted says what to do.',
      },
    ],
    [
      'missing',
      { name: 'strict', namespace: 'ai' },
      undefined,
      {
        reason: 'PolicyNotFound',
        message: 'GuardrailPolicy ai/strict does not exist. Create it, or correct the reference.',
      },
    ],
    [
      'in a third namespace',
      { name: 'strict', namespace: 'other' },
      accepted('True'),
      {
        reason: 'PolicyNotAllowed',
        message:
          'GuardrailPolicy other/strict is neither in namespace team nor in that of the instance. Refer to a GuardrailPolicy in one of these two namespaces.',
      },
    ],
  ];
  for (const [what, ref, policy, problem] of cases) {
    it(`can${problem === undefined ? '' : 'not'} be used if it is ${what}`, () => {
      const found = customerPolicyProblem({ get: () => policy }, customerWith(ref));
      expect(found && { reason: found.reason, message: found.message }).to.deep.equal(problem);
    });
  }

  it('has no problem if there is none', () => {
    const { guardrailPolicyRef: _, ...spec } = customerWith().spec;
    expect(customerPolicyProblem({ get: () => undefined }, { ...customerWith(), spec })).to.equal(undefined);
  });
});
