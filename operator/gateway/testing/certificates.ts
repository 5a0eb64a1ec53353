/** For tests: a private certificate authority and the server certificates that it signs. */
import { newKey, signCertificate, type Subject } from '../../../hack/harness/certificates.ts';

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
  readonly #name: Subject;

  constructor(user = 'authority of a test') {
    this.#name = { user };
    this.ca = this.#sign(this.#key, this.#name, [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ]);
  }

  /** Issues a certificate for a server. */
  server({ hosts = ['127.0.0.1', 'localhost'], until }: CertificateOptions = {}): TestCertificate {
    const key = newKey();
    const altNames = hosts.map((host) => (/^[\d.]+$/.test(host) ? { type: 7, ip: host } : { type: 2, value: host }));
    const extensions = [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ];
    return { cert: this.#sign(key, { user: 'server' }, extensions, until), key };
  }

  #sign(key: string, subject: Subject, extensions: object[], until = new Date(Date.now() + 3_600_000)): string {
    const from = new Date(until.getTime() - 7_200_000);
    return signCertificate({ subject, key, issuer: this.#name, issuerKey: this.#key, extensions, from, until });
  }
}
