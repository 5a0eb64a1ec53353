/**
 * The namespaces of the cases. The operator reads its list of watched namespaces at start, so all of them are created before
 * the first case.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const CASES = [
  'samples',
  'sidecar',
  'inline',
  'stranger',
  'deployment',
  'faults',
  'deletion-1',
  'deletion-2',
  'deletion-3',
  'deleted',
  'uninstall',
] as const;
/** The purpose of a namespace. */
export type Purpose = (typeof CASES)[number];

/** Avoids conflicts with existing namespaces in an external cluster. The processes of a run inherit it. */
export const RUN = (process.env.E2E_RUN ??= randomBytes(3).toString('hex'));
const SAMPLE = join(import.meta.dirname, '../samples/installation/namespaces.yaml');

export function namespaceFor(purpose: Purpose): string {
  return `e2e-${purpose}-${RUN}`;
}

/** All namespaces that a run creates. */
export const NAMESPACES: readonly string[] = CASES.map(namespaceFor);
/** The namespace of the samples, which exists in every cluster. */
export const SAMPLES_NAMESPACE = 'default';

/** @returns a namespace as a gateway's owner would create it. */
export function namespaceObject(name: string): object {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

/** @returns the RoleBinding of the installation sample, which grants the operator access to a namespace. */
export function bindingIn(namespace: string): BindingObject {
  const [document] = parseAllDocuments(readFileSync(SAMPLE, 'utf8'));
  const binding = document?.toJS() as BindingObject;
  return { ...binding, metadata: { ...binding.metadata, namespace } };
}

/** The fields of a RoleBinding that the cases use. */
export interface BindingObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
}
