import { expect } from 'chai';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { Overwrites } from './adapter.ts';
import type { SyncOutcome } from './status.ts';

const MINUTE = 60_000;
const upToDate: SyncOutcome = { synced: true, reason: 'UpToDate', message: 'It matches.' };
const corrected = (...fields: string[]): SyncOutcome => ({ ...upToDate, reason: 'Updated', corrected: fields });
const customerOf = (uid = 'uid-1'): GatewayCustomer =>
  ({ metadata: { namespace: 'ai', name: 'a', uid } }) as GatewayCustomer;

describe('overwrites of a customer', () => {
  /** Syncs at these minutes. @returns the reasons */
  function run(
    steps: readonly (readonly [minute: number, outcome: SyncOutcome, uid?: string])[],
    interval = 5,
  ): string[] {
    let now = 0;
    const overwrites = new Overwrites(() => now);
    return steps.map(([minute, outcome, uid]) => {
      now = minute * MINUTE;
      return overwrites.report(customerOf(uid), outcome, interval * MINUTE).reason;
    });
  }

  it('are reported at the third correction in a row, until an hour without one', () => {
    const again = corrected('blocked');
    const steps = [
      [0, again],
      [5, again],
      [10, again],
      [15, upToDate],
      [69, upToDate],
      [71, upToDate],
    ] as const;
    expect(run(steps)).to.deep.equal([
      ...['Updated', 'Updated', 'Overwritten'],
      ...['Overwritten', 'Overwritten', 'UpToDate'],
    ]);
  });

  it('are found if the other client writes in longer intervals', () => {
    const again = corrected('blocked');
    const steps = [
      [0, again],
      [1, upToDate],
      [30, again],
      [31, upToDate],
      [60, again],
    ] as const;
    expect(run(steps, 1).at(-1)).to.equal('Overwritten');
    expect(
      run(
        [
          [0, again],
          [3 * 1440, again],
          [6 * 1440, again],
        ],
        1440,
      ).at(-1),
    ).to.equal('Overwritten');
  });

  it('are not single changes, changes of another resource with the name, or failed syncs', () => {
    const again = corrected('blocked');
    expect(
      run([
        [0, again],
        [70, again],
        [140, again],
        [210, again],
      ]),
    ).to.not.include('Overwritten');
    expect(
      run([
        [0, again],
        [1, again],
        [2, again, 'uid-2'],
        [3, again, 'uid-2'],
      ]),
    ).to.not.include('Overwritten');
    const failed: SyncOutcome = { ...again, synced: false, reason: 'NotConverged' };
    expect(
      run([
        [0, again],
        [1, again],
        [2, failed],
      ]).at(-1),
    ).to.equal('NotConverged');
  });

  it('name the fields, in a message that stays the same', () => {
    const overwrites = new Overwrites(() => 0);
    const outcomes = [['blocked'], ['alias'], ['blocked'], ['alias', 'blocked']].map((fields) =>
      overwrites.report(customerOf(), corrected(...fields), MINUTE),
    );
    expect(outcomes[2]?.message).to.match(/^Another client .*: alias, blocked\. Find .*\.$/);
    expect(outcomes[3]?.message).to.equal(outcomes[2]?.message);
    overwrites.forget({ namespace: 'ai', name: 'a' });
    expect(overwrites.report(customerOf(), upToDate, MINUTE).reason).to.equal('UpToDate');
  });
});
