/** The names and labels of an instance's objects. Pure. */
import { createHash } from 'node:crypto';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { INSTANCE_LABEL, MANAGED_BY } from './kinds.ts';

/** The names of an instance's objects. */
export interface InstanceNames {
  /**
   * Name of the guardrail's Deployment, Service, ServiceAccount, ConfigMap and all its other objects without a name here.
   */
  readonly guardrail: string;
  /** Name of the Service that applications call with the integration Inline, and of the NetworkPolicy that closes the gateway. */
  readonly guarded: string;
  /** Name of the Secret with the API key. The gateway mounts its key `api-key`. */
  readonly apiKeySecret: string;
  /** Name of the Secret that only the guardrail reads: session key and encryption keys. */
  readonly keySecret: string;
}

/** The maximum length of a name to which the longest suffix can be added in a DNS label. */
const LONGEST = 63 - '-guardrail-api-key'.length;

/**
 * The names of an instance's objects. They are DNS labels for every name of an instance, and unique for each instance.
 */
export function namesOf(instance: GatewayInstance): InstanceNames {
  const base = labelOf(instance.metadata.name);
  return {
    guardrail: `${base}-guardrail`,
    guarded: `${base}-guarded`,
    apiKeySecret: `${base}-guardrail-api-key`,
    keySecret: `${base}-guardrail-keys`,
  };
}

/**
 * Derives a DNS label that starts with a letter, as required for a Service. The name of an instance can be longer and
 * contain dots.
 */
function labelOf(name: string): string {
  if (name.length <= LONGEST && /^[a-z][a-z0-9-]*$/.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `i-${name.replaceAll('.', '-').slice(0, LONGEST - digest.length - 3)}-${digest}`.replaceAll('--', '-');
}

/** Value of the label that names the instance. */
export function instanceLabelOf(name: string): string {
  return labelOf(name);
}

/** The labels of every object of an instance. */
export function labelsOf(instance: GatewayInstance): Record<string, string> {
  return {
    ...selectorOf(instance),
    'app.kubernetes.io/component': 'guardrail',
    'app.kubernetes.io/managed-by': MANAGED_BY,
    [INSTANCE_LABEL]: labelOf(instance.metadata.name),
  };
}

/** The labels that select the guardrail's pods of this instance. They never change, because a selector is immutable. */
export function selectorOf(instance: GatewayInstance): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'guardrail',
    'app.kubernetes.io/instance': labelOf(instance.metadata.name),
  };
}
