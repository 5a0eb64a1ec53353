import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';

/** The gateway of the samples. */
export interface SampleGateway {
  url: string;
  masterKey: string;
  /** The proxy's name, if it is not the default. */
  proxyName?: string;
}

interface Manifest extends KubernetesObject {
  kind: string;
  spec?: Record<string, unknown>;
  stringData?: Record<string, string>;
}

/** The files that `npm start` applies. The other files of the folder are configurations for gateways. */
const FILES = ['policies.yaml', 'instance.yaml', 'budgets.yaml', 'customers.yaml', 'keys.yaml'];

/** All objects of these files, with the address and the key of this gateway. */
export function readSamples(folder: string, { url, masterKey, proxyName }: SampleGateway): KubernetesObject[] {
  const manifests = FILES.flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), 'utf8'))).map(
    (document) => document.toJS() as Manifest,
  );
  return manifests.map((manifest) => {
    if (manifest.kind === 'GatewayInstance') {
      return { ...manifest, spec: { ...manifest.spec, endpoint: url, ...(proxyName !== undefined && { proxyName }) } };
    }
    if (manifest.kind === 'Secret') return { ...manifest, stringData: { 'master-key': masterKey } };
    return manifest;
  });
}
