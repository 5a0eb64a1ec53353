import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { portInUse } from '../processes.ts';
import type { ClientCertificate } from './certificates.ts';

/** @returns a kubeconfig with one user */
export function kubeconfigText(url: string, user: string, { ca, certificate, key }: ClientCertificate): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: user, user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user, namespace: 'default' } }],
    'current-context': 'local',
  });
}

/** The port in a kubeconfig, if it is free: terminals that use the file stay connected. */
export async function lastPort(kubeconfigPath: string): Promise<number | undefined> {
  const port = kubeconfigPort(kubeconfigPath);
  return port !== undefined && !(await portInUse(port)) ? port : undefined;
}

/** The port of the API server in a kubeconfig; undefined without such a file. */
export function kubeconfigPort(kubeconfigPath: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(kubeconfigPath, 'utf8');
  } catch {
    return undefined;
  }
  const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
  return Number.isInteger(port) ? port : undefined;
}
