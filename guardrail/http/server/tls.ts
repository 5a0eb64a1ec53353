/** TLS of the service's ports. The certificates are read again when their files change. */
import { createSecureContext, type SecureContextOptions, type Server, type TlsOptions } from 'node:tls';
import type { Live } from '../../liveFile.ts';

export interface TlsFiles {
  /** The certificate and its chain, in PEM. */
  readonly certificate: Live<string>;
  /** The private key, in PEM. */
  readonly key: Live<string>;
  /** The authorities whose clients are accepted, in PEM; undefined: clients need no certificate. */
  readonly clientCa: Live<string> | undefined;
  /** The settings with the certificate and the key, for messages. */
  readonly settings: { readonly certificate: string; readonly key: string };
  /** Receives a sentence if new files do not fit together. The previous ones stay in use. */
  readonly report: (problem: string) => void;
}

export type Protocol = 'h2' | 'http/1.1';

/** The options of a server whose clients must have a certificate if the files name authorities. */
export function serverOptions(files: TlsFiles, protocol: Protocol): TlsOptions {
  const isMutual = files.clientCa !== undefined;
  return {
    ...contextOptions(files),
    ALPNProtocols: [protocol],
    requestCert: isMutual,
    rejectUnauthorized: isMutual,
  };
}

function contextOptions({ certificate, key, clientCa }: TlsFiles): SecureContextOptions {
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
      files.report(`${files.settings.key} is not the key of ${files.settings.certificate}.`);
    }
  });
}

/** Closes the files. */
export function closeTls({ certificate, key, clientCa }: TlsFiles): void {
  for (const live of [certificate, key, clientCa]) live?.close();
}
