/**
 * The keys and certificates of the control plane: one authority, one certificate for its servers, and one for each user. They
 * are valid only on this machine's loopback interface.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKey, signCertificate as sign } from '../certificates.ts';

/** The paths of the files for the servers. */
export interface Pki {
  readonly caCertificate: string;
  readonly serverCertificate: string;
  readonly serverKey: string;
  readonly serviceAccountKey: string;
  /** PEM texts for a user's kubeconfig. The certificate identifies the user. */
  clientCertificate(user: string, groups: readonly string[]): ClientCertificate;
}

/** The PEM texts that identify a user. */
export interface ClientCertificate {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const VALID_MS = 10 * 365 * 86_400_000;
const CA_NAME = { user: 'gateway-guardrail-local' };
const SERVER_NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
// 10.0.0.1 is the ClusterIP of the service `kubernetes`: the first address of the API server's service range.
const SERVER_ADDRESSES = ['127.0.0.1', '10.0.0.1'];

/** Reads the keys and certificates in `folder`, or creates them. */
export function openPki(folder: string): Pki {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (name: string): string => join(folder, name);
  const until = new Date(Date.now() + VALID_MS);
  const write = (name: string, text: string): void => {
    writeFileSync(path(name), text, { mode: 0o600 });
  };
  if (!existsSync(path('complete'))) {
    const ca = newKey();
    write('ca.key', ca);
    write(
      'ca.crt',
      sign({ subject: CA_NAME, key: ca, issuer: CA_NAME, issuerKey: ca, extensions: CA_EXTENSIONS, until }),
    );
    const server = newKey();
    write('server.key', server);
    const subject = { user: 'kube-apiserver' };
    write(
      'server.crt',
      sign({ subject, key: server, issuer: CA_NAME, issuerKey: ca, extensions: SERVER_EXTENSIONS, until }),
    );
    write('client.key', newKey());
    write('service-account.key', newKey());
    // Written last, so that an interrupted run starts over.
    write('complete', '');
  }
  const ca = readFileSync(path('ca.crt'), 'utf8');
  const caKey = readFileSync(path('ca.key'), 'utf8');
  // All users share one key and have different certificates: generating an RSA key takes as long as starting etcd.
  const key = readFileSync(path('client.key'), 'utf8');
  return {
    caCertificate: path('ca.crt'),
    serverCertificate: path('server.crt'),
    serverKey: path('server.key'),
    serviceAccountKey: path('service-account.key'),
    clientCertificate: (user, groups) => ({
      ca,
      key,
      certificate: sign({
        subject: { user, groups },
        key,
        issuer: CA_NAME,
        issuerKey: caKey,
        extensions: CLIENT_EXTENSIONS,
        until,
      }),
    }),
  };
}

const CA_EXTENSIONS = [
  { name: 'basicConstraints', cA: true, critical: true },
  { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
];
const SERVER_EXTENSIONS = [
  { name: 'basicConstraints', cA: false, critical: true },
  { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
  // etcd uses its server certificate as a client of itself. The API server uses it as a client of etcd.
  { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
  {
    name: 'subjectAltName',
    altNames: [
      ...SERVER_NAMES.map((value) => ({ type: 2, value })),
      ...SERVER_ADDRESSES.map((ip) => ({ type: 7, ip })),
    ],
  },
];
const CLIENT_EXTENSIONS = [
  { name: 'basicConstraints', cA: false, critical: true },
  { name: 'keyUsage', digitalSignature: true, critical: true },
  { name: 'extKeyUsage', clientAuth: true },
];
