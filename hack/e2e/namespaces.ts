/**
 * The namespaces of the cases. The operator watches those of a list, which is read when it starts: so they are known, and
 * there, before the first case.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const CASES = [
  'samples',
  'sidecar',
  'deployment',
  'faults',
  'deletion-1',
  'deletion-2',
  'deletion-3',
  'deleted',
  'uninstall',
] as const;
/** What a namespace is for. */
export type Purpose = (typeof CASES)[number];

/** A cluster that is not ours may have others' namespaces. */
const RUN = randomBytes(3).toString('hex');
const SAMPLE = join(import.meta.dirname, '../samples/installation/namespaces.yaml');

export function namespaceFor(purpose: Purpose): string {
  return `e2e-${purpose}-${RUN}`;
}

/** All that a run makes. */
export const NAMESPACES: readonly string[] = CASES.map(namespaceFor);
/** Where the samples are applied, which is there in every cluster. */
export const SAMPLES_NAMESPACE = 'default';

/** A namespace as a gateway's owner has it. */
export function namespaceObject(name: string): object {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

/** What lets the operator work in a namespace, as the sample of an installation has it. */
export function bindingIn(namespace: string): BindingObject {
  const [document] = parseAllDocuments(readFileSync(SAMPLE, 'utf8'));
  const binding = document?.toJS() as BindingObject;
  return { ...binding, metadata: { ...binding.metadata, namespace } };
}

/** A RoleBinding, as far as it is looked at. */
export interface BindingObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
}
