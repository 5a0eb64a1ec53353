/** The certificates in a text in PEM. Pure. */
import { X509Certificate } from 'node:crypto';

/** The certificates of all texts, each once. What is no certificate is left out. Empty if there is none. */
export function mergedCertificates(...texts: readonly string[]): string {
  const blocks = texts.flatMap(
    (text) => text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [],
  );
  return [...new Set(blocks.filter(isCertificate))].map((certificate) => `${certificate}\n`).join('');
}

/** Whether a text contains a private key, of any format. */
export function hasPrivateKey(text: string): boolean {
  return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
