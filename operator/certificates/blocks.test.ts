import { expect } from 'chai';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { hasPrivateKey, mergedCertificates } from './blocks.ts';

describe('the certificates in a text', () => {
  const [one, two] = [new TestAuthority('one').ca.trim(), new TestAuthority('two').ca.trim()];
  const { key } = new TestAuthority().server();
  const broken = `${one.slice(0, 300)}\n-----END CERTIFICATE-----`;
  const CASES: [what: string, texts: string[], certificates: string[]][] = [
    ['none', ['', 'password'], []],
    ['of several texts, each once', [`${one}\n${two}`, two, `text before ${one} and after`], [one, two]],
    ['without keys and passwords', [`${key}${one}\npassword: secret\n`], [one]],
    ['without those that cannot be read', [`${broken}\n${two}`], [two]],
  ];
  for (const [what, texts, certificates] of CASES) {
    it(`are kept: ${what}`, () => {
      expect(mergedCertificates(...texts)).to.equal(certificates.map((certificate) => `${certificate}\n`).join(''));
    });
  }

  it('are told from private keys', () => {
    for (const type of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'ENCRYPTED PRIVATE KEY']) {
      expect(hasPrivateKey(`${one}\n-----BEGIN ${type}-----\nAA==\n-----END ${type}-----`), type).to.equal(true);
    }
    expect(hasPrivateKey(one)).to.equal(false);
  });
});
