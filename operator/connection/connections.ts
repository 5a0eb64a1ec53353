/**
 * How to reach the gateway of an instance: address, key, certificate authority and limits. Both reconciles share it, so
 * that a rotated key or a moved endpoint reaches every customer at once.
 */
import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type GatewayInstance,
  instanceDefaults,
  type InstanceRef,
  type RateLimit,
  type SecretKeyRef,
} from '../api/v1alpha1/v1alpha1.ts';
import type { EnforcementSettings } from '../gateway/gateway.ts';
import { enforcementOffThread } from '../configuration/configuration.ts';
import type { InstanceConditionReason } from '../conditions/conditions.ts';
import type { Clock, KubeClient, Lister } from '../runtime/runtime.ts';
import { isForbidden, isNotFound, keyText } from '../runtime/runtime.ts';
import { namespaceIsBeingDeleted, parseDuration, readText, secrets, services } from '../cluster/cluster.ts';

/** Everything that a client of the gateway's admin API needs. The same object is handed out until something in it changes. */
export interface GatewayConnection {
  /** The instance that it belongs to. Limits are kept by `uid`, which outlives a rotated key. */
  readonly instance: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** Base address without a trailing slash: paths such as `/customer/new` are appended to it. */
  readonly endpoint: string;
  /** The proxy's own name, such as `litellm`. */
  readonly proxyName: string;
  /** The key of the gateway's admin API. Never in a log, an event or a condition. */
  readonly masterKey: string;
  /** PEM certificates of the authorities to trust instead of the public ones. */
  readonly ca: string | undefined;
  /** Limits of the calls to the gateway's admin API. */
  readonly rateLimit: Required<RateLimit>;
  /** How often each customer is compared with the gateway, in milliseconds. */
  readonly syncInterval: number;
  /** What the gateway's configuration makes it enforce, as far as spec.proxyConfig.base tells. */
  readonly enforcement: EnforcementSettings;
}

/** Why there is no connection for a customer: a reason of its condition `Synced`. */
export type CustomerConnectionReason =
  'InstanceNotFound' | 'InstanceNotReady' | 'NamespaceNotAllowed' | 'CustomerIdNotAllowed';

/** The instance cannot be used now. The message is a whole sentence that says what to do, and holds no secret. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** For a customer's condition `Synced`. */
  readonly reason: CustomerConnectionReason;
  /** For the instance's condition `Reachable`; undefined where the instance itself is not at fault. */
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

/** What connections are read from: the runtime has all of it. */
export interface ConnectionSources {
  readonly client: Pick<KubeClient, 'get'>;
  readonly instances: Pick<Lister<GatewayInstance>, 'get'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Connections of all instances. */
export interface Connections {
  /**
   * The connection for a customer of a namespace.
   * @throws ConnectionError where the instance does not exist, does not allow the namespace, or lacks its key.
   */
  forCustomer(ref: InstanceRef, customerNamespace: string): Promise<GatewayConnection>;
  /** The connection of an instance. @throws ConnectionError where its key, service or authority cannot be read. */
  forInstance(instance: GatewayInstance): Promise<GatewayConnection>;
  /**
   * The connection for a deletion that a customer of a namespace waits for. Where the instance, its key or its authority
   * went with their namespace, it is the one that this process knew last: a namespace takes its Secrets away before what
   * a finalizer holds.
   * @throws ConnectionError as {@link forCustomer}.
   */
  forDeletion(ref: InstanceRef, customerNamespace: string): Promise<GatewayConnection>;
  /** The same for what an instance itself has at its gateway. @throws ConnectionError as {@link forInstance}. */
  forInstanceDeletion(instance: GatewayInstance): Promise<GatewayConnection>;
  /**
   * Reads the key again at once: to be called when the gateway answered 401.
   * @returns a connection with another key, or the very same object where the key is still the refused one.
   * @throws ConnectionError as {@link forInstance}.
   */
  refresh(connection: GatewayConnection): Promise<GatewayConnection>;
  /** Lets go of what is kept for an instance that is no more, but for what {@link forDeletion} may need of it. */
  forget(namespace: string, name: string): void;
}

/** The key, the authority, the Service and the gateway's configuration are read again when what is known of them is older than this. */
const REREAD_AFTER_MS = 60_000;

/** How many instances are remembered for deletions. The oldest go first. */
const REMEMBERED = 1_000;

/** The last connection of an instance that was complete, kept as long as the process lives. */
interface Last {
  readonly instance: GatewayInstance;
  readonly connection: GatewayConnection;
}

interface Kept {
  readonly fingerprint: string;
  readonly connection: GatewayConnection;
  readonly readAt: number;
}

/** Connections for both reconciles: one object for all of the operator. */
export function createConnections(sources: ConnectionSources): Connections {
  const now = (): number => sources.clock.monotonic();
  const kept = new Map<string, Kept>();
  const reading = new Map<string, Promise<GatewayConnection>>();
  const lasts = new Map<string, Last>();

  async function forInstance(instance: GatewayInstance, atOnce = false): Promise<GatewayConnection> {
    const key = keyText(instance.metadata);
    const fingerprint = fingerprintOf(instance);
    const known = kept.get(key);
    if (!atOnce && known?.fingerprint === fingerprint && now() - known.readAt < REREAD_AFTER_MS)
      return known.connection;
    // A thousand customers of one instance cause one read, not a thousand.
    const flight = `${key} ${fingerprint}`;
    const underWay = reading.get(flight);
    if (underWay !== undefined) return await underWay;
    const read = readConnection(sources, instance)
      .then((connection) => {
        remember(key, { instance, connection });
        return keep(key, fingerprint, connection);
      })
      .catch((error: unknown) => {
        // While the API server is away the last known key goes on serving.
        const last = kept.get(key);
        if (!(error instanceof ConnectionError) && last?.fingerprint === fingerprint) return last.connection;
        if (error instanceof ConnectionError) kept.delete(key);
        throw error;
      })
      .finally(() => reading.delete(flight));
    reading.set(flight, read);
    return await read;
  }

  function keep(key: string, fingerprint: string, fresh: GatewayConnection): GatewayConnection {
    const last = kept.get(key);
    const connection =
      last?.fingerprint === fingerprint && sameConnection(last.connection, fresh) ? last.connection : fresh;
    kept.set(key, { fingerprint, connection, readAt: now() });
    return connection;
  }

  async function forCustomer(ref: InstanceRef, customerNamespace: string): Promise<GatewayConnection> {
    const namespace = ref.namespace ?? customerNamespace;
    const instance = sources.instances.get({ namespace, name: ref.name });
    if (instance === undefined) throw notFound(namespace, ref.name);
    if (!allows(instance, customerNamespace)) {
      throw new ConnectionError(
        'NamespaceNotAllowed',
        `GatewayInstance ${namespace}/${ref.name} does not allow customers of namespace ${customerNamespace}: add it to spec.allowedNamespaces of the instance.`,
      );
    }
    return await forInstance(instance);
  }

  function remember(key: string, last: Last): void {
    lasts.delete(key);
    lasts.set(key, last);
    const [oldest] = lasts.keys();
    if (lasts.size > REMEMBERED && oldest !== undefined) lasts.delete(oldest);
  }

  /** @throws the error of the connection as it is now, where there is no other */
  async function orLast(error: unknown, namespace: string, name: string, customerNamespace: string): Promise<Last> {
    const last = lasts.get(keyText({ namespace, name }));
    if (!(error instanceof ConnectionError) || error.reason === 'NamespaceNotAllowed' || last === undefined)
      throw error;
    const now = sources.instances.get({ namespace, name });
    const another = now !== undefined && now.metadata.uid !== last.instance.metadata.uid;
    // Who was not let in while the instance was there is not let in now.
    if (another || !allows(last.instance, customerNamespace)) throw error;
    if (!(await namespaceIsBeingDeleted(sources.client, namespace))) throw error;
    return last;
  }

  return {
    forInstance: (instance) => forInstance(instance),
    forCustomer,
    async forDeletion(ref, customerNamespace) {
      try {
        return await forCustomer(ref, customerNamespace);
      } catch (error) {
        const namespace = ref.namespace ?? customerNamespace;
        return (await orLast(error, namespace, ref.name, customerNamespace)).connection;
      }
    },
    async forInstanceDeletion(instance) {
      try {
        return await forInstance(instance);
      } catch (error) {
        const { namespace, name, uid } = instance.metadata;
        const last = await orLast(error, namespace, name, namespace);
        if (last.instance.metadata.uid !== uid) throw error;
        return last.connection;
      }
    },
    async refresh(connection) {
      const { namespace, name } = connection.instance;
      const instance = sources.instances.get({ namespace, name });
      if (instance === undefined) throw notFound(namespace, name);
      const known = kept.get(keyText({ namespace, name }));
      // Another customer has just found the new key.
      if (known !== undefined && known.connection.masterKey !== connection.masterKey)
        return await forInstance(instance);
      const fresh = await forInstance(instance, true);
      return fresh.masterKey === connection.masterKey && fresh.endpoint === connection.endpoint ? connection : fresh;
    },
    forget(namespace, name) {
      kept.delete(keyText({ namespace, name }));
    },
  };
}

/** Whether customers of a namespace may refer to an instance. Its own namespace always may. */
export function allows(instance: GatewayInstance, customerNamespace: string): boolean {
  const allowed = instance.spec.allowedNamespaces ?? [];
  return (
    customerNamespace === instance.metadata.namespace || allowed.includes(customerNamespace) || allowed.includes('*')
  );
}

/** Whether customers of a namespace may have an id: any, unless the instance lists prefixes for the namespace. */
export function permitsId({ spec }: GatewayInstance, customerNamespace: string, customerId: string): boolean {
  const listed = spec.customerIdPrefixes?.find(({ namespace }) => namespace === customerNamespace);
  return listed === undefined || listed.prefixes.some((prefix) => customerId.startsWith(prefix));
}

/** Whether an instance takes a customer: its namespace and its id. */
export function admits(instance: GatewayInstance, customerNamespace: string, customerId: string): boolean {
  return allows(instance, customerNamespace) && permitsId(instance, customerNamespace, customerId);
}

async function readConnection(sources: ConnectionSources, instance: GatewayInstance): Promise<GatewayConnection> {
  const { namespace, name, uid } = instance.metadata;
  const { spec } = instance;
  const proxyName = spec.proxyName ?? 'gateway';
  const [endpoint, masterKey, ca, enforcement] = await Promise.all([
    readEndpoint(sources, instance),
    readSecretKey(sources, namespace, spec.masterKeySecretRef, 'spec.masterKeySecretRef'),
    spec.tls === undefined
      ? undefined
      : readSecretKey(sources, namespace, spec.tls.caSecretRef, 'spec.tls.caSecretRef').then(checkedCa),
    readBase(sources, instance).then((base) => enforcementOffThread(keyText(instance.metadata), base, proxyName)),
  ]);
  if (/[^\x21-\x7e]/.test(masterKey)) {
    throw notReady(
      'SecretKeyMissing',
      `Key ${spec.masterKeySecretRef.key} of Secret ${spec.masterKeySecretRef.name} (spec.masterKeySecretRef) holds white space or characters that cannot be sent in a header: store the gateway's master key alone.`,
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

/** The admin's configuration of the gateway. Customers go on without it: what is wrong with it, ProxyConfigured says. */
async function readBase({ client }: ConnectionSources, instance: GatewayInstance): Promise<string> {
  const base = instance.spec.proxyConfig?.base;
  if (base === undefined) return '';
  const text = await readText(client, instance, base).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return undefined;
  });
  return text ?? '';
}

async function readEndpoint(sources: ConnectionSources, instance: GatewayInstance): Promise<string> {
  const { endpoint, serviceRef } = instance.spec;
  if (endpoint !== undefined) {
    // The API server checks most of it, in instances that were stored before it did nothing.
    if (URL.canParse(endpoint)) return endpoint.replace(/\/+$/, '');
    throw notReady(
      'EndpointInvalid',
      'The address in spec.endpoint is not valid: write for example https://gateway.example.com:4000, with a port of at most 65535.',
    );
  }
  if (serviceRef === undefined) {
    throw notReady('ServiceNotFound', 'The instance names no gateway: set spec.endpoint or spec.serviceRef.');
  }
  const { namespace } = instance.metadata;
  const service = await sources.client.get(services, { namespace, name: serviceRef.name }).catch((error: unknown) => {
    if (isForbidden(error)) {
      throw notReady(
        'ServiceNotFound',
        `The operator may not read Service ${serviceRef.name} (spec.serviceRef): bind its ClusterRole in namespace ${namespace}.`,
        { cause: error },
      );
    }
    if (!isNotFound(error)) throw error;
    throw notReady(
      'ServiceNotFound',
      `There is no Service ${serviceRef.name} in namespace ${namespace}: create it, or correct spec.serviceRef.name.`,
    );
  });
  const ports = (service.spec?.ports ?? []).map(({ port }) => port);
  const port = serviceRef.port ?? (ports.length === 1 ? ports[0] : undefined);
  if (port === undefined || !ports.includes(port)) {
    throw notReady(
      'ServicePortUnclear',
      `Service ${serviceRef.name} has the ports ${ports.join(', ') || 'none'}: set spec.serviceRef.port to the one of the gateway.`,
    );
  }
  return `${serviceRef.scheme ?? 'http'}://${serviceRef.name}.${namespace}.svc:${port}`;
}

async function readSecretKey(
  sources: ConnectionSources,
  namespace: string,
  ref: SecretKeyRef,
  field: string,
): Promise<string> {
  const secret = await sources.client.get(secrets, { namespace, name: ref.name }).catch((error: unknown) => {
    if (isNotFound(error)) {
      throw notReady(
        'SecretNotFound',
        `There is no Secret ${ref.name} in namespace ${namespace}: create it, or correct ${field}.name.`,
      );
    }
    if (isForbidden(error)) {
      throw notReady(
        'SecretNotReadable',
        `The operator may not read Secret ${ref.name} (${field}): allow its ServiceAccount to get Secrets in namespace ${namespace}.`,
        { cause: error },
      );
    }
    throw error;
  });
  const value = Buffer.from(secret.data?.[ref.key] ?? '', 'base64')
    .toString('utf8')
    .trim();
  if (value === '') {
    throw notReady(
      'SecretKeyMissing',
      `Secret ${ref.name} has no value under ${ref.key}: add it, or correct ${field}.key.`,
    );
  }
  return value;
}

function checkedCa(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return pem;
  throw notReady(
    'CaInvalid',
    'The Secret of spec.tls.caSecretRef holds no PEM certificate, or a broken one: store the authority there.',
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

function notFound(namespace: string, name: string): ConnectionError {
  return new ConnectionError(
    'InstanceNotFound',
    `There is no GatewayInstance ${name} in namespace ${namespace}: create it, or delete this customer and create it for another instance.`,
  );
}

function notReady(
  reason: InstanceConditionReason<'Reachable'>,
  message: string,
  options?: ErrorOptions,
): ConnectionError {
  return new ConnectionError('InstanceNotReady', message, reason, options);
}

/** What of an instance a connection depends on: another uid or generation is another connection. */
function fingerprintOf(instance: GatewayInstance): string {
  return `${instance.metadata.uid}#${instance.metadata.generation}`;
}

function sameConnection(one: GatewayConnection, other: GatewayConnection): boolean {
  return (
    one.endpoint === other.endpoint &&
    one.masterKey === other.masterKey &&
    one.ca === other.ca &&
    isDeepStrictEqual(one.enforcement, other.enforcement)
  );
}
