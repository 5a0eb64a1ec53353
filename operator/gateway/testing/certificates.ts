/** For tests: a private certificate authority and the server certificates that it signs. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import forge from 'node-forge';

/** A server's certificate and key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The contents of a certificate. */
export interface CertificateOptions {
  /** DNS names and IPv4 addresses. Default: `127.0.0.1` and `localhost`. */
  readonly hosts?: readonly string[];
  /** The end of its validity. Default: in one hour. */
  readonly until?: Date;
}

/** A certificate authority that is trusted only where its certificate is configured. */
export class TestAuthority {
  /** Its certificate, as PEM. */
  readonly ca: string;
  readonly #key = newKey();
  readonly #name: forge.pki.CertificateField[];

  constructor(name = 'authority of a test') {
    this.#name = [{ name: 'commonName', value: name }];
    this.ca = this.#sign(this.#key, this.#name, new Date(Date.now() + 3_600_000), [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ]);
  }

  /** Issues a certificate for a server. */
  server({ hosts = ['127.0.0.1', 'localhost'], until }: CertificateOptions = {}): TestCertificate {
    const key = newKey();
    const altNames = hosts.map((host) => (/^[\d.]+$/.test(host) ? { type: 7, ip: host } : { type: 2, value: host }));
    const cert = this.#sign(key, [{ name: 'commonName', value: 'server' }], until ?? new Date(Date.now() + 3_600_000), [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ]);
    return { cert, key };
  }

  #sign(key: string, subject: forge.pki.CertificateField[], until: Date, extensions: object[]): string {
    const { n, e } = forge.pki.privateKeyFromPem(key);
    const certificate = forge.pki.createCertificate();
    certificate.publicKey = forge.pki.setRsaPublicKey(n, e);
    // DER requires a positive integer without leading zeros.
    certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
    certificate.validity.notBefore = new Date(until.getTime() - 7_200_000);
    certificate.validity.notAfter = until;
    certificate.setSubject(subject);
    certificate.setIssuer(this.#name);
    certificate.setExtensions(extensions);
    certificate.sign(forge.pki.privateKeyFromPem(this.#key), forge.md.sha256.create());
    return forge.pki.certificateToPem(certificate);
  }
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' });
}
