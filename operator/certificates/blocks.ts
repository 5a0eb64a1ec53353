/** The certificates in a text in PEM. Pure. */

/** The blocks with certificates in a text. */
export function certificatesIn(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** The certificates of all texts, each once. Empty if there is none. */
export function mergedCertificates(...texts: readonly string[]): string {
  return [...new Set(texts.flatMap(certificatesIn))].map((certificate) => `${certificate}\n`).join('');
}
