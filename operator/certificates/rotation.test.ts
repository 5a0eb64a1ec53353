import { expect } from 'chai';
import fc from 'fast-check';
import {
  AUTHORITY_LIFETIME_MS,
  CERTIFICATE_LIFETIME_MS,
  isDue,
  issuerOf,
  needsAuthority,
  PUBLICATION_MS,
  published,
  validityFrom,
  type Validity,
} from './rotation.ts';

const DAY = 86_400_000;
const at = (days: number): Date => new Date(days * DAY);
const since = (days: number): Validity => validityFrom(at(days), AUTHORITY_LIFETIME_MS);

describe('the rotation of authorities', () => {
  const CASES: [what: string, days: number[], now: number, isNeeded: boolean, issuer: number | undefined][] = [
    ['none', [], 0, true, undefined],
    ['a fresh one, which issues although it is not known yet', [0], 0, false, 0],
    ['one at two thirds of its lifetime', [0], 244, true, 0],
    ['a new one that is not known yet', [244, 0], 273, false, 0],
    ['a new one that everybody knows', [244, 0], 274, false, 244],
    ['an expired one', [0], 365, true, undefined],
    ['a new one, and an expired one', [360, 0], 366, false, 360],
  ];
  for (const [what, created, now, isNeeded, issuer] of CASES) {
    it(`decides for ${what}`, () => {
      const authorities = created.map((day) => ({ day, ...since(day) }));
      expect(needsAuthority(authorities, at(now))).to.equal(isNeeded);
      expect(issuerOf(authorities, at(now))?.day).to.equal(issuer);
    });
  }

  it('replaces a certificate at two thirds of its lifetime, and lets none outlive its issuer', () => {
    const certificate = validityFrom(at(0), CERTIFICATE_LIFETIME_MS, since(0));
    expect([isDue(certificate, at(59)), isDue(certificate, at(61))]).to.deep.equal([false, true]);
    expect(validityFrom(at(300), CERTIFICATE_LIFETIME_MS, since(0)).notAfter).to.deep.equal(at(365));
  });

  it('serves at any time a chain that verifies against every bundle of the last thirty days', () => {
    // The operator may be away for up to 29 days at a time.
    const pauses = fc.array(fc.integer({ min: 1, max: 29 * 24 }), { minLength: 50, maxLength: 120 });
    fc.assert(
      fc.property(pauses, (hours) => {
        let authorities: readonly Validity[] = [];
        let served: { issuer: Validity; certificate: Validity } | undefined;
        const bundles: { time: number; members: readonly Validity[] }[] = [];
        let time = 0;
        for (const pause of hours) {
          const now = new Date(time);
          authorities = published(authorities, now);
          if (needsAuthority(authorities, now))
            authorities = [validityFrom(now, AUTHORITY_LIFETIME_MS), ...authorities];
          bundles.push({ time, members: authorities });
          const issuer = issuerOf(authorities, now);
          if (issuer === undefined) throw new Error('Nothing can issue.');
          if (served?.issuer !== issuer || isDue(served.certificate, now)) {
            served = { issuer, certificate: validityFrom(now, CERTIFICATE_LIFETIME_MS, issuer) };
          }
          // Until the next reconcile, the same chain is served.
          time += pause * 3_600_000;
          expect(served.certificate.notAfter.getTime()).to.be.greaterThan(time);
          expect(served.issuer.notAfter.getTime()).to.be.greaterThan(time);
          for (const bundle of bundles.filter((one) => one.time >= time - PUBLICATION_MS)) {
            expect(bundle.members).to.include(served.issuer);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
