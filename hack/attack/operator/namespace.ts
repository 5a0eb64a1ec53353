/** A namespace of an attack: what its users do in it, and what the operator must do there. */
import { customers, instances } from '../../../operator/api/kinds.ts';
import { annotations, type GatewayCustomer, type GatewayInstance } from '../../../operator/api/v1alpha1/v1alpha1.ts';
import { type KubeObject, type ObjectKey, resource, type ResourceKind } from '../../../operator/runtime/runtime.ts';
import { eventually, kubeEvents, type RestClient } from '../../../operator/runtime/testing/testing.ts';

const core = { group: '', version: 'v1' };
export const namespaces = resource<KubeObject>(
  { ...core, kind: 'Namespace', plural: 'namespaces' },
  { namespaced: false },
);
export const secrets = resource<KubeObject>({ ...core, kind: 'Secret', plural: 'secrets' });
export const configMaps = resource<KubeObject>({ ...core, kind: 'ConfigMap', plural: 'configmaps' });

/** The operator abandons a call to a gateway after 10 s. The rest is for a busy machine. */
const WITHIN_MS = 30_000;
/** The reference to the key in the Secret `gateway`. */
export const masterKeySecretRef = { name: 'gateway', key: 'key' };
/** The reference of a customer to the instance of its namespace. */
export const instanceRef = { name: 'main' };

/** The resources of the operator in one namespace. */
export class Namespace {
  readonly name: string;
  /** Calls the API server with the rights of a user. */
  readonly client: RestClient;

  constructor(name: string, client: RestClient) {
    this.name = name;
    this.client = client;
  }

  /** Creates a namespace, with the rights of an administrator. */
  static async create(name: string, client: RestClient): Promise<Namespace> {
    await client.create(namespaces, { metadata: { name } });
    return new Namespace(name, client);
  }

  key(name: string): ObjectKey {
    return { namespace: this.name, name };
  }

  async secret(name: string, key: string): Promise<void> {
    await this.client.create(secrets, { metadata: this.key(name), stringData: { key } } as object);
  }

  /** Creates a Secret with a master key, and an instance that uses it. */
  async instance(name: string, endpoint: string, masterKey: string, more: object = {}): Promise<void> {
    await this.secret(name, masterKey);
    const spec = { endpoint, proxyName: 'litellm', masterKeySecretRef: { name, key: 'key' }, ...more };
    await this.client.create(instances, { metadata: this.key(name), spec } as object);
  }

  /** Creates a customer, by default of the instance `main`. */
  async customer(name: string, spec: object): Promise<void> {
    await this.client.create(customers, { metadata: this.key(name), spec: { instanceRef, ...spec } } as object);
  }

  /** Creates an object. @returns whether the API server accepts it */
  isAccepted(kind: typeof instances | typeof customers, name: string, spec: object): Promise<boolean> {
    return this.client.create(kind as typeof instances, { metadata: this.key(name), spec } as object).then(
      () => true,
      () => false,
    );
  }

  /** Deletes a customer. Does not wait. */
  async delete(name: string): Promise<void> {
    await this.client.delete(customers, this.key(name));
  }

  customers(): Promise<GatewayCustomer[]> {
    return this.client.list(customers, { namespace: this.name });
  }

  async #objects(): Promise<(GatewayInstance | GatewayCustomer)[]> {
    return [...(await this.client.list(instances, { namespace: this.name })), ...(await this.customers())];
  }

  /** The statuses and events that a user of the namespace can read. */
  async sees(): Promise<string> {
    const notes = (await this.client.list(kubeEvents, { namespace: this.name })).map(({ note }) => note);
    return JSON.stringify([(await this.#objects()).map(({ status }) => status), notes]);
  }

  /** Requests an immediate sync of all resources. @param token the value of the request */
  async requestSync(token = String(performance.now())): Promise<void> {
    const patch = { metadata: { annotations: { [annotations.syncRequested]: token } } };
    for (const { kind, metadata } of await this.#objects()) {
      const of = (kind === 'GatewayInstance' ? instances : customers) as ResourceKind;
      await this.client.patch(of, this.key(metadata.name), patch).catch(() => undefined);
    }
  }

  /** Waits until a customer is synced. @throws Error with its conditions */
  async untilSynced(name: string, withinMs = WITHIN_MS): Promise<void> {
    await eventually(async () => {
      const customer = await this.client.get(customers, this.key(name));
      if (!isSynced(customer)) throw new Error(`customer ${name} is not synced: ${messagesOf(customer)}`);
    }, withinMs);
  }

  /** Waits until every object has a condition with a reason and a message. @returns the faults */
  unexplained(): Promise<string[]> {
    return faultsUntil(async () => {
      const all = await this.#objects();
      return all
        .filter(
          ({ status }) => !(status?.conditions ?? []).some(({ message, reason }) => message !== '' && reason !== ''),
        )
        .map(
          ({ kind, metadata: { name } }) => `${kind} ${this.name}/${name} has no condition with a reason and a message`,
        );
    });
  }

  /** Waits until what is being deleted is gone. @returns the faults */
  deleted(): Promise<string[]> {
    return faultsUntil(async () => {
      const left = (await this.#objects()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      return left.map((one) => `the deletion of ${one.metadata.name} does not end: ${messagesOf(one)}`);
    });
  }

  /** Deletes all resources, without the operator's finalization. */
  async clear(): Promise<void> {
    for (const kind of [customers, instances] as readonly ResourceKind[]) {
      for (const { metadata } of await this.client.list(kind, { namespace: this.name })) {
        const key = this.key(metadata.name);
        await this.client.patch(kind, key, { metadata: { finalizers: null } }).catch(() => undefined);
        await this.client.delete(kind, key);
      }
    }
  }
}

/** Repeats a check until it finds no fault, or for a time. @returns the faults that it found last */
export async function faultsUntil(check: () => Promise<readonly string[]>, withinMs = WITHIN_MS): Promise<string[]> {
  let faults: readonly string[] = [];
  await eventually(async () => {
    faults = await check();
    if (faults.length > 0) throw new Error('There is a fault.');
  }, withinMs).catch((error: unknown) => {
    if (faults.length === 0) throw error;
  });
  return [...faults];
}

/** Whether a customer is synced with its current spec. */
export function isSynced({ metadata, status }: GatewayCustomer): boolean {
  return status?.synced === true && status.observedGeneration === metadata.generation;
}

/** The messages of all conditions of an object. */
export function messagesOf({ status }: GatewayCustomer | GatewayInstance): string {
  return (status?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason}: ${message}`).join('\n');
}
