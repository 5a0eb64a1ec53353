import { expect } from 'chai';
import type { GatewayCustomer, GatewayCustomerStatus, GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { customerWith } from '../policy/testing/policies.ts';
import { accessDigest } from './accessRules.ts';
import { confirmedStatus, differs, remainingStatus, saysEnforced, type ListedPolicy } from './customerStatus.ts';

const before = '2026-11-21T00:00:00.000Z';
const now = new Date('2026-11-22T00:00:00Z');
const digest = accessDigest({ blocked: true });
const policy: ListedPolicy = {
  ...{ name: 'ai/strict', revision: 'r' },
  effective: {
    ...{ profile: 'Personal', recall: 'Balanced', images: 'Redact', remoteImages: 'Block', unreadText: 'Mask' },
    ...{ enforcement: 'Enforce', retention: '24h' },
  },
};
const enforced: GatewayCustomerStatus = {
  ownership: 'Owned',
  enforcedAt: before,
  ...(digest === undefined ? {} : { enforcedAccess: digest }),
  guardrailPolicy: { ...policy, enforcedAt: before },
};
const instance = (guardrail: Guardrail = {}): GatewayInstance => instanceOf({ guardrail }, 'main');
const customer = (
  status: GatewayCustomerStatus,
  spec: Partial<GatewayCustomer['spec']> = { blocked: true },
): GatewayCustomer => {
  const made = customerWith(undefined, status);
  return { ...made, spec: { ...made.spec, ...spec } };
};
const withoutPolicy = (made: GatewayCustomer): GatewayCustomer => {
  const { guardrailPolicyRef: _, ...spec } = made.spec;
  return { ...made, spec };
};
const access = { enforcedAt: before, enforcedAccess: digest };
const applied = { guardrailPolicy: { ...policy, enforcedAt: before } };

describe('the status of a customer before every pod has another list', () => {
  const cases: readonly (readonly [
    what: string,
    customer: GatewayCustomer,
    instance: GatewayInstance,
    remains: object,
  ])[] = [
    ['all rules, if they are the same', customer(enforced), instance(), { ...access, ...applied }],
    [
      'the former policy, if another one is on its way',
      customer(enforced, { blocked: true, guardrailPolicyRef: { name: 'other' } }),
      instance(),
      { ...access, ...applied },
    ],
    ['the policy, if who may call has changed', customer(enforced, { blocked: false }), instance(), applied],
    ['no policy, if there is none any more', withoutPolicy(customer(enforced)), instance(), access],
    [
      'the policy in monitor mode, which another policy can set for it',
      customer(enforced),
      instance({ enforcement: 'Monitor' }),
      applied,
    ],
    ['nothing without a guardrail', customer(enforced), instanceOf({}, 'main'), {}],
    ['nothing if the resource owns nothing', customer({ ...enforced, ownership: 'Waiting' }), instance(), {}],
  ];
  for (const [what, one, of, remains] of cases) {
    it(`says ${what}`, () => {
      expect(remainingStatus(one, of)).to.deep.equal(remains);
    });
  }
});

describe('the status of a customer when every pod has its list', () => {
  const time = now.toISOString();
  const cases: readonly (readonly [
    what: string,
    customer: GatewayCustomer,
    policy: ListedPolicy | undefined,
    status: object,
  ])[] = [
    ['nothing new', customer(enforced), policy, { ...access, ...applied }],
    [
      'a new policy',
      customer(enforced),
      { ...policy, revision: 's' },
      { ...access, guardrailPolicy: { ...policy, revision: 's', enforcedAt: time } },
    ],
    [
      'other effects of the same policy',
      customer(enforced),
      { ...policy, tightened: ['recall'] },
      { ...access, guardrailPolicy: { ...policy, tightened: ['recall'], enforcedAt: time } },
    ],
    [
      'new rules about who may call',
      customer({ ...enforced, enforcedAccess: 'other' }),
      policy,
      { enforcedAt: time, enforcedAccess: digest, ...applied },
    ],
    [
      'everything, at first',
      customer({ ownership: 'Owned' }),
      policy,
      { enforcedAt: time, enforcedAccess: digest, guardrailPolicy: { ...policy, enforcedAt: time } },
    ],
    ['a policy that is not available', customer(enforced), undefined, access],
  ];
  for (const [what, one, chosen, status] of cases) {
    it(`says since when: ${what}`, () => {
      const after = confirmedStatus(one, instance(), chosen, now);
      expect(after).to.deep.equal(status);
      expect(differs(one, after)).to.equal(what !== 'nothing new');
    });
  }

  it('need not be examined where the status says nothing', () => {
    const { enforcedAt, enforcedAccess, guardrailPolicy } = enforced;
    const parts: GatewayCustomerStatus[] = [
      {},
      ...[{ enforcedAt }, { enforcedAccess }, { guardrailPolicy }, enforced].map((part) =>
        Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)),
      ),
    ];
    for (const status of parts) {
      for (const one of [customer(status), customer({ ...status, ownership: 'Owned' }), customer(status, {})]) {
        if (!saysEnforced(one)) expect(differs(one, remainingStatus(one, instance()))).to.equal(false);
      }
      expect(saysEnforced(customer(status))).to.equal(Object.keys(status).length > 0);
    }
  });
});
