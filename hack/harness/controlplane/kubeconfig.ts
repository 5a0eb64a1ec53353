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

/** The port in this folder's kubeconfig, if it is free: terminals that use the file stay connected. */
export async function lastPort(kubeconfigPath: string): Promise<number | undefined> {
  let text: string;
  try {
    text = readFileSync(kubeconfigPath, 'utf8');
  } catch {
    return undefined;
  }
  const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
  return Number.isInteger(port) && !(await portInUse(port)) ? port : undefined;
}
