/** Who uses a policy. */
import { expect } from 'chai';
import type { CustomerPolicyStatus, GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { Index, KubeObject } from '../runtime/runtime.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { customerPolicyUses } from './customerReference.ts';
import { customerWith, instanceWith, policyOf } from './testing/policies.ts';
import { policyUses, usersOf } from './users.ts';

describe('the users of a policy', () => {
  const indexOf = <T extends KubeObject>(all: readonly T[], usesOf: (one: T) => readonly string[]): Index<T> => ({
    get: (use) => all.filter((one) => usesOf(one).includes(use)),
    keys: () => [],
  });
  const allUsers = (
    instances: readonly GatewayInstance[],
    customers: readonly GatewayCustomer[] = [],
  ): ReturnType<typeof usersOf> =>
    usersOf(
      {
        instances: { get: ({ name }) => instances.find((one) => one.metadata.name === name) },
        byPolicy: indexOf(instances, policyUses),
        customersByPolicy: indexOf(customers, customerPolicyUses),
      },
      policyOf(),
    );
  const users = (...instances: readonly GatewayInstance[]): unknown =>
    allUsers(instances).map(({ key, revision, written, isSidecar }) => [
      key.name,
      revision,
      written,
      ...(isSidecar ? ['sidecar'] : []),
    ]);
  const elsewhere = instanceWith('c');
  const deleted = instanceWith('d');

  it('are the instances of its namespace that refer to it and are not deleted, with the revisions that are written, and that all pods have', () => {
    const guardrail = { mode: 'Deployment', endpoint: 'http://g', apiKeySecretName: 'k', policyRevision: 'r' } as const;
    const loaded = (revision: string): object => ({ policy: { revision, enforcedAt: '2026-11-21T00:00:00Z' } });
    const found = users(
      { ...instanceWith('b'), status: { guardrail } },
      { ...instanceWith('e'), status: { guardrail, ...loaded('r') } },
      // What the pods had before, or while the policy returns to an earlier revision.
      { ...instanceWith('f'), status: { guardrail, ...loaded('q') } },
      { ...instanceWith('g'), status: loaded('q') },
      { ...instanceWith('h'), status: { guardrail: { ...guardrail, mode: 'Sidecar' } } },
      instanceWith('a'),
      instanceWith('other', 'lenient'),
      instanceOf({ guardrail: {} }, 'none'),
      instanceOf({}, 'bare'),
      { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'shop' } },
      { ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: '2026-11-21T00:00:00Z' } },
    );
    expect(found).to.deep.equal([
      ['a', undefined, undefined],
      ['b', undefined, 'r'],
      ['e', 'r', 'r'],
      ['f', undefined, 'r'],
      ['g', undefined, undefined],
      ['h', undefined, 'r', 'sidecar'],
    ]);
  });

  describe('among customers', () => {
    const guarded = instanceOf({ guardrail: {} }, 'main');
    const enforced = (name: string): CustomerPolicyStatus => ({
      ...{ name, revision: 'r', enforcedAt: '2026-11-21T00:00:00Z' },
      effective: {
        ...{ profile: 'Personal', recall: 'Balanced', images: 'Redact', remoteImages: 'Block', unreadText: 'Mask' },
        ...{ enforcement: 'Enforce', retention: '24h' },
      },
    });
    const own = customerWith();
    const cases: readonly (readonly [what: string, customer: GatewayCustomer, user: object | undefined])[] = [
      ['refers to it', own, { revision: undefined, isApplied: true }],
      [
        'applies it',
        customerWith(undefined, { ownership: 'Owned', guardrailPolicy: enforced('ai/strict') }),
        { revision: 'r', isApplied: true },
      ],
      [
        'still applies another one',
        customerWith(undefined, { ownership: 'Owned', guardrailPolicy: enforced('team/strict') }),
        { revision: undefined, isApplied: true },
      ],
      ['owns nothing', customerWith(undefined, {}), { revision: undefined, isApplied: false }],
      ['refers to the same name in its own namespace', customerWith({ name: 'strict' }), undefined],
      [
        'is in a third namespace',
        { ...own, spec: { ...own.spec, instanceRef: { name: 'main', namespace: 'other' } } },
        undefined,
      ],
      ['is only observed', { ...own, spec: { ...own.spec, managementPolicy: 'Observe' } }, undefined],
      [
        'is being deleted',
        { ...own, metadata: { ...own.metadata, deletionTimestamp: '2026-11-21T00:00:00Z' } },
        undefined,
      ],
    ];
    for (const [what, customer, user] of cases) {
      it(`${user === undefined ? 'is not' : 'is'} one that ${what}`, () => {
        const found = allUsers([guarded], [customer]).map(({ kind, revision, isApplied }) => ({
          kind,
          revision,
          isApplied,
        }));
        expect(found).to.deep.equal(user === undefined ? [] : [{ kind: 'GatewayCustomer', ...user }]);
      });
    }

    it('is one whose guardrail cannot apply it, and is not waited for', () => {
      const [user] = allUsers([instanceOf({}, 'main')], [own]);
      expect(user).to.include({ isApplied: false });
    });
  });
});
