import { expect } from 'chai';
import { changedManagement, isObserveOnly, observationResult } from './lifecycle.ts';

describe('management policy', () => {
  const resource = (managementPolicy?: 'Manage' | 'Observe'): Parameters<typeof isObserveOnly>[0] => ({
    spec: managementPolicy === undefined ? {} : { managementPolicy },
  });

  it('manages by default', () => {
    expect([resource(), resource('Manage'), resource('Observe')].map(isObserveOnly)).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  const changes: [
    before: 'Manage' | 'Observe' | undefined,
    after: 'Manage' | 'Observe' | undefined,
    changed: boolean,
  ][] = [
    [undefined, 'Manage', false],
    ['Manage', 'Observe', true],
    ['Observe', undefined, true],
    ['Observe', 'Observe', false],
  ];
  for (const [before, after, changed] of changes) {
    it(`${changed ? 'changes' : 'does not change'} from ${before ?? 'none'} to ${after ?? 'none'}`, () => {
      expect(changedManagement(resource(before), resource(after))).to.equal(changed);
    });
  }

  const results: [name: string, differing: readonly string[] | undefined, reason: string, text: string][] = [
    ['no object', undefined, 'NotAtGateway', 'The gateway has no such budget'],
    ['an equal object', [], 'Observed', "The gateway's budget matches the spec."],
    ['another object', ['alias', 'models'], 'Differs', 'differs from the spec in alias, models'],
  ];
  for (const [name, differing, reason, text] of results) {
    it(`reports ${name} as ${reason}`, () => {
      const result = observationResult('budget', differing);
      expect(result).to.include({ reason, matches: reason === 'Observed' });
      expect(result.message).to.contain(text);
    });
  }
});
