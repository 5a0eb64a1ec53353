import { expect } from 'chai';
import fc from 'fast-check';
import { onceAMinute } from './onceAMinute.ts';

describe('once a minute', () => {
  it('reports the first event at once, and later ones together', () => {
    let now = 5;
    const due = onceAMinute(() => now);
    expect(due()).to.equal(1);
    expect([due(), due()]).to.deep.equal([undefined, undefined]);
    now += 60_000;
    expect(due()).to.equal(3);
    expect(due()).to.equal(undefined);
  });

  it('counts each event once, with a minute between two reports', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50_000), { minLength: 1 }), (pauses) => {
        let now = 0;
        const due = onceAMinute(() => now);
        const reports = pauses.flatMap((pause) => {
          now += pause;
          const count = due();
          return count === undefined ? [] : [{ at: now, count }];
        });
        now += 60_000;
        const last = due() ?? 0;
        expect(reports.reduce((sum, { count }) => sum + count, last)).to.equal(pauses.length + 1);
        for (const [index, { at }] of reports.slice(1).entries()) {
          expect(at - (reports[index]?.at ?? 0)).to.be.at.least(60_000);
        }
      }),
    );
  });
});
