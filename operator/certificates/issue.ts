/** Issues certificates: ECDSA on the curve P-256, which every client of the last ten years can verify. */
import { randomBytes, webcrypto, X509Certificate as NodeCertificate } from 'node:crypto';
import type { Extension, X509Certificate } from '@peculiar/x509';
import { NAME_CONSTRAINTS, nameConstraints } from './nameConstraints.ts';
import { AUTHORITY_LIFETIME_MS, CERTIFICATE_LIFETIME_MS, validityFrom, type Validity } from './rotation.ts';
import type * as X509Library from './x509.ts';

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** An authority with its validity. The key is empty as soon as it issues nothing anymore. */
export interface Authority extends KeyPair, Validity {}

/** What a certificate is for. */
export type Usage =
  /** A server with these DNS names. */
  | { readonly kind: 'server'; readonly dnsNames: readonly string[] }
  /** A client. */
  | { readonly kind: 'client' };

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

type Library = typeof X509Library;
const library = (): Promise<Library> => import('./x509.ts');

/** What an authority is for. */
export interface AuthoritySubject {
  /** The name of the servers and the clients, which must be one of the DNS names: OpenSSL compares that of clients, too. */
  readonly name: string;
  /** The DNS names of the servers. */
  readonly dnsNames: readonly string[];
}

/**
 * Creates an authority. Its name contains its serial number, so that two authorities never look the same. Who has its key
 * cannot pass for another host to a client that trusts it.
 */
export async function createAuthority({ name, dnsNames }: AuthoritySubject, now: Date): Promise<Authority> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const serialNumber = newSerialNumber();
  const validity = validityFrom(now, AUTHORITY_LIFETIME_MS);
  const subject = [{ CN: [`${name} ${serialNumber.slice(-8)}`] }];
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ serialNumber, ...validity, subject, issuer: subject },
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(NAME_CONSTRAINTS, true, new Uint8Array(nameConstraints(dnsNames))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return parseAuthority(pem(certificate), await pemOfKey(x509, keys.privateKey));
}

/** Issues a certificate with a new key. */
export async function issue(authority: Authority, name: string, usage: Usage, now: Date): Promise<KeyPair> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.key),
    ALGORITHM,
    false,
    ['sign'],
  );
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validityFrom(now, CERTIFICATE_LIFETIME_MS, authority),
    serialNumber: newSerialNumber(),
    subject: [{ CN: [name] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...extensionsFor(x509, usage),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: pem(certificate), key: await pemOfKey(x509, keys.privateKey) };
}

/** Whether a certificate was issued by an authority, and is for exactly this. */
export function isIssuedFor(certificate: string, authority: KeyPair, usage: Usage): boolean {
  const parsed = parse(certificate);
  const issuer = parse(authority.certificate);
  if (parsed === undefined || issuer === undefined || !parsed.verify(issuer.publicKey)) return false;
  const names = usage.kind === 'server' ? usage.dnsNames.map((name) => `DNS:${name}`).join(', ') : undefined;
  return parsed.subjectAltName === names;
}

/** The validity of a certificate in PEM; undefined if it cannot be read. */
export function validityOf(certificate: string): Validity | undefined {
  const parsed = parse(certificate);
  return parsed && { notBefore: parsed.validFromDate, notAfter: parsed.validToDate };
}

/** @throws Error if the certificate cannot be read */
export function parseAuthority(certificate: string, key: string): Authority {
  const validity = validityOf(certificate);
  if (validity === undefined) throw new Error('The certificate of an authority cannot be read.');
  return { certificate, key, ...validity };
}

function extensionsFor(x509: Library, usage: Usage): Extension[] {
  if (usage.kind === 'client') return [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])];
  return [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(usage.dnsNames.map((value) => ({ type: 'dns', value }))),
  ];
}

function parse(certificate: string): NodeCertificate | undefined {
  try {
    return new NodeCertificate(certificate);
  } catch {
    return undefined;
  }
}

/** 16 bytes, positive in DER and without leading zeros. */
function newSerialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function pemOfKey(x509: Library, key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), x509.PemConverter.PrivateKeyTag)}\n`;
}
