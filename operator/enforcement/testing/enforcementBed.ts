/** For tests: an instance with a guardrail, and its customers, on a real API server without a gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ControlPlane } from '../../../hack/harness/controlplane.ts';
import { listHash, listKey, type ListHash } from '../../../guardrail/guardrail.ts';
import { customers, instances } from '../../api/kinds.ts';
import {
  annotations,
  type GatewayCustomer,
  type GatewayCustomerSpec,
  type GatewayInstance,
  type GatewayInstanceSpec,
  GROUP,
} from '../../api/v1alpha1/v1alpha1.ts';
import { testIdentity } from '../../connection/testing/testIdentity.ts';
import { configMaps, secrets } from '../../cluster/cluster.ts';
import { type Clock, Manager, systemClock } from '../../runtime/runtime.ts';
import { RestClient, silentLog, Transport, transportOptions } from '../../runtime/testing/testing.ts';
import { enforcementController, type EnforcementOptions } from '../enforcement.ts';
import { currentPods, fakePods, type FakePods } from './pods.ts';

/** The session key of the guardrail, with which ids are hashed. */
export const SESSION_KEY = 'a session key of more than thirty-two characters';
/** So many requests of a test are sent at the same time. */
const CONCURRENT = 24;

/** An operator with the controller of enforcement alone. Pods have everything at once. */
export class EnforcementOperator extends Manager {
  /** The pods of each guardrail. */
  pods: FakePods = currentPods;
  readonly #options: Omit<EnforcementOptions, 'identity'>;

  constructor(
    kubeConfig: KubeConfig,
    namespace: string,
    { clock = systemClock, ...options }: Omit<EnforcementOptions, 'identity'> & { readonly clock?: Clock } = {},
  ) {
    super({
      log: silentLog,
      kubeConfig,
      namespace,
      watchNamespaces: [namespace],
      leaseName: undefined,
      http: undefined,
      installCrds: false,
      crdRevisionAnnotation: annotations.crdRevision,
      eventSource: `${GROUP}/test`,
      drainMs: 50,
      controllers: { backoffMs: [20, 200] },
      clock,
    });
    this.#options = options;
  }

  protected override init(): Promise<void> {
    const findPods = fakePods(this.runtime, () => this.pods);
    this.addController(enforcementController(this.runtime, { identity: testIdentity, findPods, ...this.#options }));
    return Promise.resolve();
  }

  /** Stops the operator and waits for its end. */
  async end(): Promise<void> {
    this.stop();
    await this.finished();
  }
}

/** A namespace with an instance whose guardrail has its keys. */
export class EnforcementBed {
  readonly namespace: string;
  readonly #transport: Transport;
  readonly #client: RestClient;
  readonly #key = listKey(SESSION_KEY);

  private constructor(plane: ControlPlane, namespace: string) {
    this.namespace = namespace;
    this.#transport = new Transport(plane.kubeConfig(), transportOptions());
    this.#client = new RestClient(this.#transport);
  }

  /** @param plane serves the kinds of the operator already */
  static async start(plane: ControlPlane, spec: Partial<GatewayInstanceSpec> = {}): Promise<EnforcementBed> {
    const bed = new EnforcementBed(plane, await plane.createNamespace('enforcement'));
    const { namespace } = bed;
    const secret = { metadata: { namespace, name: 'main-guardrail-keys' }, stringData: { 'session-key': SESSION_KEY } };
    await bed.#client.create(secrets, secret);
    const full = {
      endpoint: 'http://gateway.invalid',
      masterKeySecretRef: { name: 'gateway', key: 'key' },
      guardrail: {},
      ...spec,
    };
    const instance = { metadata: { namespace, name: 'main' }, spec: full };
    await bed.#client.create(instances, instance);
    return bed;
  }

  async stop(): Promise<void> {
    await this.#transport.close();
  }

  /** Creates customers whose records their resources own, by their name, which is their id too. */
  async customers(specs: ReadonlyMap<string, Partial<GatewayCustomerSpec>>): Promise<void> {
    const { namespace } = this;
    await inParallel(specs, async ([name, own]) => {
      const spec = { instanceRef: { name: 'main' }, customerId: name, ...own };
      const customer = { metadata: { namespace, name }, spec };
      await this.#client.create(customers, customer);
      const owned = { status: { ownership: 'Owned' } };
      await this.#client.patch(customers, { namespace, name }, owned, { subresource: 'status' });
    });
  }

  async patchCustomer(name: string, spec: Partial<GatewayCustomerSpec>): Promise<void> {
    await this.#client.patch(customers, { namespace: this.namespace, name }, { spec });
  }

  async patchInstance(spec: object): Promise<void> {
    await this.#client.patch(instances, { namespace: this.namespace, name: 'main' }, { spec });
  }

  async instance(): Promise<GatewayInstance> {
    return await this.#client.get(instances, { namespace: this.namespace, name: 'main' });
  }

  async listCustomers(): Promise<GatewayCustomer[]> {
    return await this.#client.list(customers, { namespace: this.namespace });
  }

  /** The stored shards of the list, by their number. */
  async shards(): Promise<ReadonlyMap<number, string>> {
    return shardsOf(await this.#client.list(configMaps, { namespace: this.namespace }));
  }

  /** The hash of a customer's id. */
  hashOf(id: string): ListHash {
    return listHash(this.#key, 'customer', id);
  }
}

/** The shards of a list in ConfigMaps, by their number. Other ConfigMaps have none. */
export function shardsOf(maps: readonly { readonly data?: Readonly<Record<string, string>> }[]): Map<number, string> {
  const found = maps.flatMap(({ data = {} }) =>
    Object.entries(data).flatMap(([name, text]): [number, string][] => {
      const [, shard] = /^customers-(\d+)$/.exec(name) ?? [];
      return shard === undefined ? [] : [[Number(shard), text]];
    }),
  );
  return new Map(found);
}

/** Works on all items, several at the same time. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const remaining = Iterator.from(items);
  const worker = async (): Promise<void> => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
}

/** Works on all items one after the other, spread over a time. */
export async function spread<T>(items: readonly T[], ms: number, work: (item: T) => Promise<void>): Promise<void> {
  const began = performance.now();
  const working: Promise<void>[] = [];
  for (const [at, item] of items.entries()) {
    await sleep(Math.max(0, began + (at * ms) / items.length - performance.now()));
    working.push(work(item));
  }
  await Promise.all(working);
}
