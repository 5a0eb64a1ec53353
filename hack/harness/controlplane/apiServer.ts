import { request } from 'node:https';
import { join } from 'node:path';
import { type ManagedProcess, startProcess } from '../processes.ts';
import type { ClientCertificate, Pki } from './certificates.ts';

/** The settings of an API server. */
export interface ApiServerOptions {
  dir: string;
  pki: Pki;
  port: number;
  etcdPort: number;
  more: readonly string[];
}

/** Starts the API server. Does not wait until it is ready. */
export function startApiServer(
  command: string,
  { dir, pki, port, etcdPort, more }: ApiServerOptions,
): Promise<ManagedProcess> {
  return startProcess({
    name: 'kube-apiserver',
    command,
    args: [
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      // Endpoints do not allow loopback addresses, and no client here looks up the API server in the cluster.
      '--endpoint-reconciler-type=none',
      `--tls-cert-file=${pki.serverCertificate}`,
      `--tls-private-key-file=${pki.serverKey}`,
      `--client-ca-file=${pki.caCertificate}`,
      `--etcd-servers=https://127.0.0.1:${etcdPort}`,
      `--etcd-cafile=${pki.caCertificate}`,
      `--etcd-certfile=${pki.serverCertificate}`,
      `--etcd-keyfile=${pki.serverKey}`,
      '--authorization-mode=RBAC',
      '--allow-privileged',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${pki.serviceAccountKey}`,
      `--service-account-signing-key-file=${pki.serviceAccountKey}`,
      '--profiling=false',
      ...more,
    ],
    logFile: join(dir, 'kube-apiserver.log'),
  });
}

/** @returns whether the API server at a URL is ready */
export function isReady(url: string, { ca, certificate, key }: ClientCertificate): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(`${url}/readyz`, { ca, cert: certificate, key, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => {
      resolve(false);
    });
    call.end();
  });
}
