/** Checks a server certificate that the operator has not issued. Pure. */
import { createPrivateKey, X509Certificate } from 'node:crypto';

/**
 * Why a server cannot use a certificate.
 * @param host the name with which clients verify it
 * @returns what the certificate does, without a value of the key; undefined: the server can use it
 */
export function certificateProblem(
  { certificate, key }: { readonly certificate: string; readonly key: string },
  host: string,
  now: Date,
): string | undefined {
  try {
    const parsed = new X509Certificate(certificate);
    if (parsed.validToDate <= now) return `expired on ${parsed.validToDate.toISOString().slice(0, 10)}`;
    if (parsed.checkHost(host, { subject: 'never' }) === undefined) return `is not for the name ${host}`;
    return parsed.checkPrivateKey(createPrivateKey(key)) ? undefined : 'does not fit its key';
  } catch {
    return 'cannot be read, or its key cannot';
  }
}
