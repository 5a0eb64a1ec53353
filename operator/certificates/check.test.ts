import { expect } from 'chai';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { certificateProblem } from './check.ts';

describe('a given certificate', () => {
  const authority = new TestAuthority();
  const host = 'main-guardrail.ai.svc';
  const good = authority.server({ hosts: ['other', host] });
  const wildcard = authority.server({ hosts: ['*.ai.svc'] });
  const other = authority.server({ hosts: ['other', '127.0.0.1'] });
  const expired = authority.server({ hosts: [host], until: new Date('2026-03-04T05:06:07Z') });
  const UNREADABLE = 'cannot be read, or its key cannot';
  const CASES: [what: string, cert: string, key: string, problem: string | undefined][] = [
    ['for this name', good.cert, good.key, undefined],
    ['for all names of the namespace', wildcard.cert, wildcard.key, undefined],
    ['with its chain', good.cert + authority.ca, good.key, undefined],
    ['for another name', other.cert, other.key, `is not for the name ${host}`],
    ['that has expired', expired.cert, expired.key, 'expired on 2026-03-04'],
    ['with the key of another one', good.cert, other.key, 'does not fit its key'],
    ['without a key', good.cert, 'password', UNREADABLE],
    ['that is none', 'password', good.key, UNREADABLE],
  ];
  for (const [what, certificate, key, problem] of CASES) {
    it(`${problem === undefined ? 'can' : 'cannot'} be used: one ${what}`, () => {
      expect(certificateProblem({ certificate, key }, host, new Date())).to.equal(problem);
    });
  }
});
