import { expect } from 'chai';
import type { GatewayInstance, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { LoadedPart } from './loadedRevisions.ts';
import { confirmedStatus, expectedRevisions, knownStatus, unknownRevisions, type WrittenList } from './loadedStatus.ts';

const BEFORE = '2026-01-01T00:00:00.000Z';
const NOW = '2026-01-02T00:00:00.000Z';

const listIn = (revision: string, enforcedAt = BEFORE): object => ({
  customerList: { revision, customers: 1, enforcedAt },
});
const policyIn = (revision: string, enforcedAt = BEFORE): object => ({ policy: { revision, enforcedAt } });
const written = (revision: string, isNew = false): WrittenList => ({ revision, customers: 1, isNew });

/** Asks pods that have loaded some parts. */
function ask(
  status: object,
  policy: string | undefined,
  list: WrittenList | undefined,
  loaded: readonly LoadedPart[],
): { readonly unknown: object; readonly after: object } {
  const guardrail = policy === undefined ? {} : { guardrail: { policyRevision: policy } };
  const instance = { status: { ...status, ...guardrail } as GatewayInstanceStatus } as GatewayInstance;
  const expected = expectedRevisions(instance, list);
  const known = knownStatus(instance, list);
  const unknown = unknownRevisions(known, expected);
  const parts = new Set(loaded.filter((part) => part in unknown));
  return { unknown, after: confirmedStatus(known, parts, { policy, list }, new Date(NOW)) };
}

describe('what the status says that every pod has', () => {
  const both: readonly LoadedPart[] = ['customerList', 'policy'];
  const cases: readonly (readonly [what: string, asked: Parameters<typeof ask>, unknown: object, after: object])[] = [
    ['nothing is written', [{}, undefined, undefined, both], {}, {}],
    [
      'all is known, so that no pod is asked',
      [{ ...listIn('a'), ...policyIn('p') }, 'p', written('a'), []],
      {},
      { ...listIn('a'), ...policyIn('p') },
    ],
    [
      'all is new and loaded',
      [{}, 'p', written('a', true), both],
      { customerList: 'a', policy: 'p' },
      { ...listIn('a', NOW), ...policyIn('p', NOW) },
    ],
    [
      'the list is loaded before the policy',
      [policyIn('o'), 'p', written('a'), ['customerList']],
      { customerList: 'a', policy: 'p' },
      listIn('a', NOW),
    ],
    [
      'the policy is loaded before the list, which remains the earlier one',
      [listIn('a'), 'p', written('b', true), ['policy']],
      { customerList: 'b', policy: 'p' },
      { ...listIn('a'), ...policyIn('p', NOW) },
    ],
    [
      'the list waits to be written',
      [listIn('a'), 'p', undefined, both],
      { policy: 'p' },
      { ...listIn('a'), ...policyIn('p', NOW) },
    ],
    ['the policy is removed', [{ ...listIn('a'), ...policyIn('p') }, undefined, written('a'), []], {}, listIn('a')],
    [
      'the list is the earlier one again, after another one that pods may have read',
      [listIn('a'), undefined, written('a', true), []],
      { customerList: 'a' },
      {},
    ],
  ];
  for (const [what, asked, unknown, after] of cases) {
    it(`if ${what}`, () => {
      expect(ask(...asked)).to.deep.equal({ unknown, after });
    });
  }
});
