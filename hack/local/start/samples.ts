import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';

/** The gateway that the samples are about. */
export interface SampleGateway {
  url: string;
  masterKey: string;
  /** Its own name, where it is not the default one. */
  proxyName?: string;
}

interface Manifest extends KubernetesObject {
  kind: string;
  spec?: Record<string, unknown>;
  stringData?: Record<string, string>;
}

/** What `npm start` applies; the folder also has samples of what belongs to gateways. */
const FILES = ['instance.yaml', 'customers.yaml'];

/** Every object of these files in the folder, about this gateway instead of the one that they name. */
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
