/** Reads the connection to an instance's gateway from the cluster: address, master key, certificate authority, configuration. */
import { X509Certificate } from 'node:crypto';
import { type GatewayInstance, instanceDefaults, type RateLimit, type SecretKeyRef } from '../api/v1alpha1/v1alpha1.ts';
import { parseDuration, readText, secrets, secretValue, services } from '../cluster/cluster.ts';
import type { InstanceConditionReason } from '../conditions/conditions.ts';
import { readEnforcement } from '../configuration/configuration.ts';
import type { EnforcementSettings, GatewayTarget } from '../gateway/gateway.ts';
import { isForbidden, isNotFound, keyText, type KubeClient } from '../runtime/runtime.ts';

/** Everything that the operator needs to call a gateway for an instance. The same object is returned until a value changes. */
export interface GatewayConnection extends GatewayTarget {
  /** The proxy's own name, such as `litellm`. */
  readonly proxyName: string;
  readonly rateLimit: Required<RateLimit>;
  /** How often each customer is compared with the gateway, in milliseconds. */
  readonly syncInterval: number;
  /** What the gateway enforces according to spec.proxyConfig.base. */
  readonly enforcement: EnforcementSettings;
}

/** @throws ConnectionError if a part of the connection is missing or invalid; ApiError */
export async function readConnection(
  client: Pick<KubeClient, 'get'>,
  instance: GatewayInstance,
): Promise<GatewayConnection> {
  const { namespace, name, uid } = instance.metadata;
  const { spec } = instance;
  const proxyName = spec.proxyName ?? instanceDefaults.proxyName;
  const [endpoint, masterKey, ca, enforcement] = await Promise.all([
    readEndpoint(client, instance),
    readSecretKey(client, namespace, spec.masterKeySecretRef, 'spec.masterKeySecretRef'),
    spec.tls === undefined
      ? undefined
      : readSecretKey(client, namespace, spec.tls.caSecretRef, 'spec.tls.caSecretRef').then(checkedCa),
    readBase(client, instance).then((base) => readEnforcement(keyText(instance.metadata), base, proxyName)),
  ]);
  if (/[^\x21-\x7e]/.test(masterKey)) {
    throw notReady(
      'SecretKeyMissing',
      `Key ${spec.masterKeySecretRef.key} of Secret ${spec.masterKeySecretRef.name} (spec.masterKeySecretRef) contains white space or characters that are not allowed in an HTTP header. Store only the gateway's master key in it.`,
    );
  }
  return {
    instance: { namespace, name, uid },
    endpoint,
    proxyName,
    masterKey,
    ca,
    rateLimit: { ...instanceDefaults.rateLimit, ...spec.rateLimit },
    syncInterval: parseDuration(spec.syncInterval ?? instanceDefaults.syncInterval),
    enforcement,
  };
}

/** The admin's configuration of the gateway. Errors in it do not stop customers: the condition ProxyConfigured reports them. */
export async function readBase(client: Pick<KubeClient, 'get'>, instance: GatewayInstance): Promise<string> {
  const base = instance.spec.proxyConfig?.base;
  if (base === undefined) return '';
  const text = await readText(client, instance, base).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return undefined;
  });
  return text ?? '';
}

async function readEndpoint(client: Pick<KubeClient, 'get'>, instance: GatewayInstance): Promise<string> {
  const { endpoint, serviceRef } = instance.spec;
  if (endpoint !== undefined) {
    // The CRD checks most of this, but not in instances that were stored before it had the rule.
    if (URL.canParse(endpoint)) return endpoint.replace(/\/+$/, '');
    throw notReady(
      'EndpointInvalid',
      'The address in spec.endpoint is invalid. Use a format such as https://gateway.example.com:4000, with a port of at most 65535.',
    );
  }
  if (serviceRef === undefined) {
    throw notReady('ServiceNotFound', 'The instance has no gateway address. Set spec.endpoint or spec.serviceRef.');
  }
  const port = await readServicePort(client, instance, serviceRef);
  const scheme = serviceRef.scheme ?? instanceDefaults.serviceRef.scheme;
  return `${scheme}://${serviceRef.name}.${instance.metadata.namespace}.svc:${port}`;
}

async function readServicePort(
  client: Pick<KubeClient, 'get'>,
  { metadata: { namespace } }: GatewayInstance,
  serviceRef: NonNullable<GatewayInstance['spec']['serviceRef']>,
): Promise<number> {
  const service = await client.get(services, { namespace, name: serviceRef.name }).catch((error: unknown) => {
    if (isForbidden(error)) {
      throw notReady(
        'ServiceNotFound',
        `The operator is not permitted to read Service ${serviceRef.name} (spec.serviceRef). Bind the operator's ClusterRole in namespace ${namespace}.`,
        { cause: error },
      );
    }
    if (!isNotFound(error)) throw error;
    throw notReady(
      'ServiceNotFound',
      `Service ${serviceRef.name} does not exist in namespace ${namespace}. Create it, or correct spec.serviceRef.name.`,
    );
  });
  const ports = (service.spec?.ports ?? []).map(({ port }) => port);
  const port = serviceRef.port ?? (ports.length === 1 ? ports[0] : undefined);
  if (port !== undefined && ports.includes(port)) return port;
  throw notReady(
    'ServicePortUnclear',
    `Service ${serviceRef.name} has the ports ${ports.join(', ') || 'none'}. Set spec.serviceRef.port to the gateway's port.`,
  );
}

async function readSecretKey(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  ref: SecretKeyRef,
  field: string,
): Promise<string> {
  const secret = await client.get(secrets, { namespace, name: ref.name }).catch((error: unknown) => {
    if (isNotFound(error)) {
      throw notReady(
        'SecretNotFound',
        `Secret ${ref.name} does not exist in namespace ${namespace}. Create it, or correct ${field}.name.`,
      );
    }
    if (isForbidden(error)) {
      throw notReady(
        'SecretNotReadable',
        `The operator is not permitted to read Secret ${ref.name} (${field}). Allow its ServiceAccount to get Secrets in namespace ${namespace}.`,
        { cause: error },
      );
    }
    throw error;
  });
  const value = secretValue(secret, ref.key);
  if (value !== undefined) return value;
  throw notReady(
    'SecretKeyMissing',
    `Secret ${ref.name} has no value under key ${ref.key}. Add the value, or correct ${field}.key.`,
  );
}

function checkedCa(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return pem;
  throw notReady(
    'CaInvalid',
    'The Secret of spec.tls.caSecretRef contains no valid PEM certificate. Store the certificates of the certificate authority in it.',
  );
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

/** Why a customer, a budget or a key has no connection. */
export type CustomerConnectionReason =
  'InstanceNotFound' | 'InstanceNotReady' | 'NamespaceNotAllowed' | 'CustomerIdNotAllowed' | 'KeyNotAllowed';

/** The gateway of an instance cannot be called. The message is a condition message and contains no secret. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The reason of the customer's condition `Synced`. */
  readonly reason: CustomerConnectionReason;
  /** The reason of the instance's condition `Reachable`; undefined if the instance is not the cause. */
  readonly instanceReason: InstanceConditionReason<'Reachable'> | undefined;

  constructor(
    reason: CustomerConnectionReason,
    message: string,
    instanceReason?: InstanceConditionReason<'Reachable'>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.reason = reason;
    this.instanceReason = instanceReason;
  }
}

/** The instance exists, and its gateway cannot be called. */
export function notReady(
  reason: InstanceConditionReason<'Reachable'>,
  message: string,
  options?: ErrorOptions,
): ConnectionError {
  return new ConnectionError('InstanceNotReady', message, reason, options);
}

/** The instance that a customer refers to does not exist. */
export function instanceNotFound(namespace: string, name: string): ConnectionError {
  return new ConnectionError(
    'InstanceNotFound',
    `GatewayInstance ${name} does not exist in namespace ${namespace}. Create it, or delete this resource and create it for another instance.`,
  );
}
