import { join } from 'node:path';
import { type ManagedProcess, startProcess } from '../processes.ts';
import type { Pki } from './certificates.ts';

/** The settings of an etcd server. */
export interface EtcdOptions {
  dir: string;
  pki: Pki;
  port: number;
  peerPort: number;
  /** Whether writes are synced to disk. Without it, writes are several times as fast. */
  durable: boolean;
}

/** Starts etcd. Does not wait until it is ready. */
export function startEtcd(
  command: string,
  { dir, pki, port, peerPort, durable }: EtcdOptions,
): Promise<ManagedProcess> {
  const url = `https://127.0.0.1:${port}`;
  const peerUrl = `https://127.0.0.1:${peerPort}`;
  const tls = (prefix: string): string[] => [
    `--${prefix}cert-file=${pki.serverCertificate}`,
    `--${prefix}key-file=${pki.serverKey}`,
    `--${prefix}trusted-ca-file=${pki.caCertificate}`,
    `--${prefix}client-cert-auth`,
  ];
  return startProcess({
    name: 'etcd',
    command,
    args: [
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      ...tls(''),
      ...tls('peer-'),
      ...(durable ? [] : ['--unsafe-no-fsync']),
      '--log-level=warn',
    ],
    logFile: join(dir, 'etcd.log'),
  });
}
