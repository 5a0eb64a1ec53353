/** The names and labels of an instance's objects. Pure. */
import { createHash } from 'node:crypto';
import { VERSION } from '../../guardrail/guardrail.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { Metadata } from '../runtime/runtime.ts';
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
  /** Name of the Secret with the authorities of the instance, and of the ConfigMap with the certificates that verify the guardrail. */
  readonly ca: string;
  /** Name of the Secret with the certificate of the guardrail, if the operator issues it. */
  readonly tlsSecret: string;
  /** Name of the Secret that cert-manager writes, with the certificate of the guardrail. */
  readonly issuedSecret: string;
  /** Name of the Secret with the certificate of the guardrail's clients: the gateway and the operator. */
  readonly clientSecret: string;
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
    ca: `${base}-guardrail-ca`,
    tlsSecret: `${base}-guardrail-tls`,
    issuedSecret: `${base}-guardrail-cert`,
    clientSecret: `${base}-guardrail-client`,
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

/**
 * The labels of every object of an instance. The version is that of the operator that has written the object last: Secrets
 * and lists are written only when they change.
 */
export function labelsOf(instance: GatewayInstance): Record<string, string> {
  return { ...podLabelsOf(instance), 'app.kubernetes.io/version': VERSION };
}

/**
 * The labels of the guardrail's pods. They have no version: a changed label of the pod template is a rollout, which deletes
 * the mappings of a store in memory, also if the image of the guardrail stays the same.
 */
export function podLabelsOf(instance: GatewayInstance): Record<string, string> {
  return {
    ...identityOf(instance),
    'app.kubernetes.io/component': 'guardrail',
    'app.kubernetes.io/part-of': 'gateway-guardrail',
  };
}

/**
 * Whether an object has the labels that tell whose it is. An object of an earlier version may lack the others, for example
 * after it was restored from a backup.
 */
export function isLabelledFor({ labels = {} }: Pick<Metadata, 'labels'>, instance: GatewayInstance): boolean {
  return Object.entries(identityOf(instance)).every(([name, value]) => labels[name] === value);
}

function identityOf(instance: GatewayInstance): Record<string, string> {
  return {
    ...selectorOf(instance),
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
