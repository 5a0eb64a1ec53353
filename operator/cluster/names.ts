/** How the objects of an instance are named and labelled. Pure. */
import { createHash } from 'node:crypto';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { INSTANCE_LABEL, MANAGED_BY } from './kinds.ts';

/** Names of what belongs to one instance. */
export interface InstanceNames {
  /** Of Deployment, Service, ServiceAccount, ConfigMap and all others of the guardrail but its Secrets. */
  readonly guardrail: string;
  /** Of the Secret with the API key: the gateway's owner mounts its key `api-key`. */
  readonly apiKeySecret: string;
  /** Of the Secret with what only the guardrail reads: session key and encryption keys. */
  readonly keySecret: string;
}

/** The longest name that leaves room for the longest of our endings in a DNS label. */
const LONGEST = 63 - '-guardrail-api-key'.length;

/** @returns names that are DNS labels whatever the instance is called, and differ where instances do. */
export function namesOf(instance: GatewayInstance): InstanceNames {
  const base = labelOf(instance.metadata.name);
  return {
    guardrail: `${base}-guardrail`,
    apiKeySecret: `${base}-guardrail-api-key`,
    keySecret: `${base}-guardrail-keys`,
  };
}

/** A Service's name is a DNS label that begins with a letter; an instance's may be longer, and hold dots. */
function labelOf(name: string): string {
  if (name.length <= LONGEST && /^[a-z][a-z0-9-]*$/.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `i-${name.replaceAll('.', '-').slice(0, LONGEST - digest.length - 3)}-${digest}`.replaceAll('--', '-');
}

/** Value of the label that names the instance. */
export function instanceLabelOf(name: string): string {
  return labelOf(name);
}

/** Labels of everything that belongs to an instance. */
export function labelsOf(instance: GatewayInstance): Record<string, string> {
  return {
    ...selectorOf(instance),
    'app.kubernetes.io/component': 'guardrail',
    'app.kubernetes.io/managed-by': MANAGED_BY,
    [INSTANCE_LABEL]: labelOf(instance.metadata.name),
  };
}

/** Labels that tell the guardrail's pods of this instance from all others. They never change. */
export function selectorOf(instance: GatewayInstance): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'guardrail',
    'app.kubernetes.io/instance': labelOf(instance.metadata.name),
  };
}
