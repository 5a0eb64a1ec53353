/**
 * The connections to the gateways of all instances. The reconcilers of both kinds share them, so that a rotated key or a
 * changed endpoint applies to all customers at once.
 */
import { isDeepStrictEqual } from 'node:util';
import type { GatewayInstance, InstanceRef } from '../api/v1alpha1/v1alpha1.ts';
import { namespaceIsBeingDeleted } from '../cluster/cluster.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { type Clock, keyText, type KubeClient, type Lister } from '../runtime/runtime.ts';
import { allows } from './admission.ts';
import { ConnectionError, type GatewayConnection, instanceNotFound, readConnection } from './readConnection.ts';

/** The sources from which connections are read. The runtime provides all of them. */
export interface ConnectionSources {
  readonly client: Pick<KubeClient, 'get'>;
  readonly instances: Pick<Lister<GatewayInstance>, 'get'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The key, the certificate authority, the Service and the configuration are read again after this time. */
const REREAD_AFTER_MS = 60_000;

/** The number of instances whose last complete connection is kept for deletions. The oldest are dropped first. */
const MAX_LAST_CONNECTIONS = 1_000;

/** The last complete connection of an instance. */
interface LastConnection {
  readonly instance: GatewayInstance;
  readonly connection: GatewayConnection;
}

interface CachedConnection {
  readonly fingerprint: string;
  readonly connection: GatewayConnection;
  readonly readAt: number;
}

/** The connections of all instances: one object for the whole operator. */
export class Connections {
  readonly #sources: ConnectionSources;
  readonly #cached = new Map<string, CachedConnection>();
  readonly #reads = new Map<string, Promise<GatewayConnection>>();
  readonly #last = new Map<string, LastConnection>();

  constructor(sources: ConnectionSources) {
    this.#sources = sources;
  }

  /**
   * The connection of an instance.
   * @throws ConnectionError if its key, Service or certificate authority cannot be read
   */
  async forInstance(instance: GatewayInstance): Promise<GatewayConnection> {
    const cached = this.#cached.get(keyText(instance.metadata));
    const isFresh = cached !== undefined && this.#now() - cached.readAt < REREAD_AFTER_MS;
    if (isFresh && cached.fingerprint === fingerprintOf(instance)) return cached.connection;
    return await this.#read(instance);
  }

  /**
   * The connection for a customer of a namespace.
   * @throws ConnectionError if the instance does not exist, does not allow the namespace, or has no key
   */
  async forCustomer(ref: InstanceRef, customerNamespace: string): Promise<GatewayConnection> {
    const namespace = ref.namespace ?? customerNamespace;
    const instance = this.#sources.instances.get({ namespace, name: ref.name });
    if (instance === undefined) throw instanceNotFound(namespace, ref.name);
    if (allows(instance, customerNamespace)) return await this.forInstance(instance);
    throw new ConnectionError(
      'NamespaceNotAllowed',
      `GatewayInstance ${namespace}/${ref.name} does not allow customers of namespace ${customerNamespace}. Add the namespace to spec.allowedNamespaces of the instance.`,
    );
  }

  /**
   * The connection for the deletion of a customer. Kubernetes deletes the Secrets of a namespace before the objects that
   * have finalizers: if the namespace of the instance is being deleted, this is the last connection that the process
   * has read.
   * @throws ConnectionError as {@link forCustomer}
   */
  async forDeletion(ref: InstanceRef, customerNamespace: string): Promise<GatewayConnection> {
    try {
      return await this.forCustomer(ref, customerNamespace);
    } catch (error) {
      const namespace = ref.namespace ?? customerNamespace;
      return (await this.#lastConnection(error, namespace, ref.name, customerNamespace)).connection;
    }
  }

  /**
   * The connection for the deletion of an instance: see {@link forDeletion}.
   * @throws ConnectionError as {@link forInstance}
   */
  async forInstanceDeletion(instance: GatewayInstance): Promise<GatewayConnection> {
    try {
      return await this.forInstance(instance);
    } catch (error) {
      const { namespace, name, uid } = instance.metadata;
      const last = await this.#lastConnection(error, namespace, name, namespace);
      if (last.instance.metadata.uid !== uid) throw error;
      return last.connection;
    }
  }

  /**
   * Reads the key again. Called after the gateway has returned 401.
   * @returns a connection with another key; the same object if the key has not changed
   * @throws ConnectionError as {@link forInstance}
   */
  async refresh(connection: GatewayConnection): Promise<GatewayConnection> {
    const { namespace, name } = connection.instance;
    const instance = this.#sources.instances.get({ namespace, name });
    if (instance === undefined) throw instanceNotFound(namespace, name);
    const cached = this.#cached.get(keyText({ namespace, name }));
    // Another reconcile has already read the new key.
    if (cached !== undefined && cached.connection.masterKey !== connection.masterKey) {
      return await this.forInstance(instance);
    }
    const fresh = await this.#read(instance);
    return fresh.masterKey === connection.masterKey && fresh.endpoint === connection.endpoint ? connection : fresh;
  }

  /**
   * Drops the connection of a deleted instance, with its master key.
   * @param keepForDeletion whether the one for {@link forDeletion} stays: the namespace of the instance is being deleted, and
   *   resources still refer to the instance
   */
  forget(namespace: string, name: string, keepForDeletion: boolean): void {
    const key = keyText({ namespace, name });
    this.#cached.delete(key);
    if (!keepForDeletion) this.#last.delete(key);
  }

  /** Concurrent callers for one instance share one read. */
  async #read(instance: GatewayInstance): Promise<GatewayConnection> {
    const key = keyText(instance.metadata);
    const fingerprint = fingerprintOf(instance);
    const id = `${key} ${fingerprint}`;
    const inProgress = this.#reads.get(id);
    if (inProgress !== undefined) return await inProgress;
    const read = readConnection(this.#sources.client, instance)
      .then((connection) => {
        // The instance was deleted during the read: nothing may keep its key.
        if (this.#sources.instances.get(instance.metadata)?.metadata.uid !== instance.metadata.uid) return connection;
        this.#keepLast(key, { instance, connection });
        return this.#cache(key, fingerprint, connection);
      })
      .catch((error: unknown) => {
        const cached = this.#cached.get(key);
        // While the API server is unreachable, the last known key remains in use.
        if (!(error instanceof ConnectionError) && cached?.fingerprint === fingerprint) return cached.connection;
        if (error instanceof ConnectionError) this.#cached.delete(key);
        throw error;
      })
      .finally(() => this.#reads.delete(id));
    this.#reads.set(id, read);
    return await read;
  }

  /** @returns the cached object if nothing in it has changed */
  #cache(key: string, fingerprint: string, fresh: GatewayConnection): GatewayConnection {
    const cached = this.#cached.get(key);
    const isSame = cached?.fingerprint === fingerprint && isSameConnection(cached.connection, fresh);
    const connection = isSame ? cached.connection : fresh;
    this.#cached.set(key, { fingerprint, connection, readAt: this.#now() });
    return connection;
  }

  #keepLast(key: string, last: LastConnection): void {
    this.#last.delete(key);
    this.#last.set(key, last);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_LAST_CONNECTIONS && oldest !== undefined) this.#last.delete(oldest);
  }

  /** @throws the given error unless the last connection may replace the one that cannot be read */
  async #lastConnection(
    error: unknown,
    namespace: string,
    name: string,
    customerNamespace: string,
  ): Promise<LastConnection> {
    const last = this.#last.get(keyText({ namespace, name }));
    if (!(error instanceof ConnectionError) || error.reason === 'NamespaceNotAllowed' || last === undefined)
      throw error;
    const current = this.#sources.instances.get({ namespace, name });
    const isReplaced = current !== undefined && current.metadata.uid !== last.instance.metadata.uid;
    // The deletion of an instance does not allow additional namespaces.
    if (isReplaced || !allows(last.instance, customerNamespace)) throw error;
    if (!(await namespaceIsBeingDeleted(this.#sources.client, namespace))) throw error;
    return last;
  }

  #now(): number {
    return this.#sources.clock.monotonic();
  }
}

/** Identifies the version of an instance that a connection was read for. */
function fingerprintOf(instance: GatewayInstance): string {
  return `${instance.metadata.uid}#${instance.metadata.generation}`;
}

function isSameConnection(one: GatewayConnection, other: GatewayConnection): boolean {
  return (
    one.endpoint === other.endpoint &&
    one.masterKey === other.masterKey &&
    one.ca === other.ca &&
    isDeepStrictEqual(one.enforcement, other.enforcement)
  );
}

/**
 * Runs calls to a gateway. After a 401 it reads the master key again and, if the key has changed, runs them once more
 * with the new one.
 */
export async function retryWithFreshKey<T>(
  { connections }: { readonly connections: Pick<Connections, 'refresh'> },
  connection: GatewayConnection,
  run: (connection: GatewayConnection) => Promise<T>,
): Promise<T> {
  try {
    return await run(connection);
  } catch (error) {
    if (!isGatewayError(error, 'unauthorized')) throw error;
    const fresh = await connections.refresh(connection);
    if (fresh === connection) throw error;
    return await run(fresh);
  }
}
