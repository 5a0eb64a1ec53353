/** Test support: certificates for localhost, and for one client. */
import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: string;
  readonly server: Certificate;
  readonly client: Certificate;
}

/** Creates an authority and the certificates that it issues, in PEM. */
export function issueCertificates(): Certificates {
  const authority = newKey();
  const ca = sign('test authority', authority, authority, [{ name: 'basicConstraints', cA: true }]);
  const issue = (name: string): Certificate => {
    const key = newKey();
    const certificate = sign(name, key, authority, [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    ]);
    return { certificate, key };
  };
  return { ca, server: issue('guardrail'), client: issue('envoy') };
}

function newKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
}

let serial = 1;

function sign(name: string, key: string, authority: string, extensions: object[]): string {
  const certificate = forge.pki.createCertificate();
  const own = forge.pki.privateKeyFromPem(key);
  certificate.publicKey = forge.pki.setRsaPublicKey(own.n, own.e);
  serial += 1;
  certificate.serialNumber = serial.toString(16).padStart(4, '0');
  certificate.validity.notAfter = new Date(Date.now() + 86_400_000);
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000);
  certificate.setSubject([{ name: 'commonName', value: name }]);
  certificate.setIssuer([{ name: 'commonName', value: 'test authority' }]);
  certificate.setExtensions(extensions);
  certificate.sign(forge.pki.privateKeyFromPem(authority), forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}
