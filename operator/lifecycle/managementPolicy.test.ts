import { expect } from 'chai';
import { changedManagement, isObserveOnly } from './lifecycle.ts';

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
});
