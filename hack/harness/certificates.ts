/** Keys and certificates of authorities that only tests and local runs trust. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import forge from 'node-forge';

/** A name in a certificate. Kubernetes uses the common name as the user, and each organization as a group. */
export interface Subject {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** A certificate to sign. Keys are PEM. */
export interface SigningRequest {
  readonly subject: Subject;
  /** The certificate contains its public half. */
  readonly key: string;
  readonly issuer: Subject;
  readonly issuerKey: string;
  /** As node-forge names them. */
  readonly extensions: object[];
  /** The beginning of its validity. Default: an hour ago, in case the clock is set back. */
  readonly from?: Date;
  /** The end of its validity. */
  readonly until: Date;
}

const HOUR_MS = 3_600_000;

/** @returns an RSA key, as PEM */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' });
}

function attributes({ user, groups = [] }: Subject): forge.pki.CertificateField[] {
  return [...groups.map((value) => ({ name: 'organizationName', value })), { name: 'commonName', value: user }];
}

/** @returns a certificate, as PEM */
export function signCertificate(request: SigningRequest): string {
  const { subject, key, issuer, issuerKey, extensions, until, from = new Date(Date.now() - HOUR_MS) } = request;
  const { n, e } = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(n, e);
  // Begins with 01, so that it is a positive DER integer without leading zeros.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = from;
  certificate.validity.notAfter = until;
  certificate.setSubject(attributes(subject));
  certificate.setIssuer(attributes(issuer));
  certificate.setExtensions(extensions);
  certificate.sign(forge.pki.privateKeyFromPem(issuerKey), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}
