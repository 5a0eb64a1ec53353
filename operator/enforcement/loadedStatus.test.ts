import { expect } from 'chai';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { loadedStatus } from './loadedStatus.ts';
import { WrittenLists } from './writtenLists.ts';

const BEFORE = '2026-01-01T00:00:00.000Z';
const NOW = '2026-01-02T00:00:00.000Z';

const listIn = (revision: string, enforcedAt = BEFORE): object => ({
  customerList: { revision, customers: 1, enforcedAt },
});
const policyIn = (revision: string, enforcedAt = BEFORE): object => ({ policy: { revision, enforcedAt } });

/** @param pods the number of the list that every pod has, and whether each has the policy; undefined: there is no pod */
interface Case {
  readonly what: string;
  readonly status: object;
  readonly policy?: string;
  readonly lists: readonly string[];
  readonly pods: readonly [list: number, hasPolicy: boolean] | undefined;
  readonly after: object;
}

const known = { ...listIn('a'), ...policyIn('p') };
const cases: readonly Case[] = [
  { what: 'nothing is written', status: {}, lists: [], pods: [0, false], after: {} },
  { what: 'all is known', status: known, policy: 'p', lists: ['a'], pods: [1, true], after: known },
  {
    what: 'all is new and every pod has it',
    status: {},
    policy: 'p',
    lists: ['a'],
    pods: [1, true],
    after: { ...listIn('a', NOW), ...policyIn('p', NOW) },
  },
  {
    what: 'every pod has the list, and not every one another policy',
    status: policyIn('o'),
    policy: 'p',
    lists: ['a'],
    pods: [1, false],
    after: listIn('a', NOW),
  },
  {
    what: 'every pod has the policy, and not every one another list: the earlier one is in force',
    status: listIn('a'),
    policy: 'p',
    lists: ['a', 'b'],
    pods: [1, true],
    after: { ...listIn('a'), ...policyIn('p', NOW) },
  },
  {
    what: 'a pod comes that has an older list',
    status: { ...listIn('b'), ...policyIn('p') },
    policy: 'p',
    lists: ['a', 'b'],
    pods: [1, false],
    after: listIn('a', NOW),
  },
  { what: 'a pod comes that has none', status: known, policy: 'p', lists: ['a'], pods: [0, false], after: {} },
  { what: 'no pod takes calls', status: known, policy: 'p', lists: ['a', 'b'], pods: undefined, after: known },
  {
    what: 'no pod takes calls, and another policy is written',
    status: known,
    policy: 'q',
    lists: ['a', 'b'],
    pods: undefined,
    after: listIn('a'),
  },
  { what: 'the policy is removed', status: known, lists: ['a'], pods: [1, false], after: listIn('a') },
  {
    what: 'the list is the earlier one again, after another one that pods may have read',
    status: listIn('a'),
    lists: ['a', 'b', 'a'],
    pods: [1, false],
    after: {},
  },
];

describe('what the status says that every pod has', () => {
  for (const { what, status, policy, lists, pods, after } of cases) {
    it(`if ${what}`, () => {
      const written = new WrittenLists();
      for (const revision of lists) written.record(revision, () => new Map([['uid', revision]]));
      const guardrail = policy === undefined ? {} : { guardrail: { policyRevision: policy } };
      const instance = { status: { ...status, ...guardrail } } as unknown as GatewayInstance;
      const found = pods && { list: pods[0], hasPolicy: pods[1] };
      expect(loadedStatus(instance, found, written, new Date(NOW))).to.deep.equal(after);
    });
  }
});
