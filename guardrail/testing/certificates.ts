/** Test support: certificates for localhost, and for one client. */
import { newKey, signCertificate } from '../../hack/harness/certificates.ts';

export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: string;
  readonly server: Certificate;
  readonly client: Certificate;
}

/** Creates an authority and the certificates that it issues, in PEM. They are valid for a day. */
export function issueCertificates(): Certificates {
  const issuerKey = newKey();
  const until = new Date(Date.now() + 86_400_000);
  const sign = (user: string, key: string, extensions: object[]): string =>
    signCertificate({ subject: { user }, key, issuer: { user: 'test authority' }, issuerKey, extensions, until });
  const altNames = [
    { type: 2, value: 'localhost' },
    { type: 7, ip: '127.0.0.1' },
  ];
  const issue = (name: string): Certificate => {
    const key = newKey();
    const usage = { name: 'extKeyUsage', serverAuth: true, clientAuth: true };
    return { certificate: sign(name, key, [{ name: 'subjectAltName', altNames }, usage]), key };
  };
  const ca = sign('test authority', issuerKey, [{ name: 'basicConstraints', cA: true }]);
  return { ca, server: issue('guardrail'), client: issue('envoy') };
}
