/** Who uses a policy. */
import { expect } from 'chai';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { instanceWith, policyOf } from './testing/policies.ts';
import { policyUses, usersOf } from './users.ts';

describe('the users of a policy', () => {
  const users = (...instances: readonly GatewayInstance[]): unknown => {
    const get = (use: string): readonly GatewayInstance[] => instances.filter((one) => policyUses(one).includes(use));
    return usersOf({ byPolicy: { get, keys: () => [] } }, policyOf()).map(({ key, revision, written, isSidecar }) => [
      key.name,
      revision,
      written,
      ...(isSidecar ? ['sidecar'] : []),
    ]);
  };
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
});
