/** The certificates of the external processor's port. They are read again when their files change. */
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import type { Live } from '../liveFile.ts';

export interface TlsFiles {
  /** The certificate and its chain, in PEM. */
  readonly certificate: Live<string>;
  /** The private key, in PEM. */
  readonly key: Live<string>;
  /** The authorities whose clients are accepted, in PEM; undefined: clients need no certificate. */
  readonly clientCa: Live<string> | undefined;
  /** Receives a sentence if new files do not fit together. The previous ones stay in use. */
  readonly report: (problem: string) => void;
}

export function contextOptions({ certificate, key, clientCa }: TlsFiles): SecureContextOptions {
  return {
    cert: certificate.current,
    key: key.current,
    minVersion: 'TLSv1.2',
    ...(clientCa && { ca: clientCa.current }),
  };
}

/** Uses the current files for each new connection. */
export function followFiles(server: Server, files: TlsFiles): void {
  let used = JSON.stringify(contextOptions(files));
  // Before the listener of the server itself.
  server.prependListener('connection', () => {
    const options = contextOptions(files);
    const latest = JSON.stringify(options);
    if (latest === used) return;
    used = latest;
    try {
      createSecureContext(options);
      server.setSecureContext(options);
    } catch {
      files.report('GUARDRAIL_EXT_PROC_TLS_KEY is not the key of GUARDRAIL_EXT_PROC_TLS_CERT.');
    }
  });
}
