/** The customers of another gateway, which change continuously while the operator is attacked. */
import { setTimeout as delay } from 'node:timers/promises';
import { customers, instances } from '../../../operator/api/kinds.ts';
import { eventually, type RestClient } from '../../../operator/runtime/testing/testing.ts';
import { type DevGateway, startDevGateway } from '../../harness/gateway/gateway.ts';
import { percentile } from '../measure.ts';
import { isSynced } from './conditions.ts';

const NAMESPACE = 'bystander';
const MASTER_KEY = 'sk-bystander';
const CUSTOMERS = 8;
/** The interval between two changes of all customers together. */
const CHANGE_MS = 150;
const SYNC_TIMEOUT_MS = 60_000;
/** A change that takes longer has waited for a call to another gateway, which the operator abandons after twice this time. */
const SYNCED_WITHIN_MS = 5_000;
/** A sync needs some ten calls. On a busy machine, it may take this multiple of a write at the API server. */
const MAX_WRITES = 25;

interface CustomerKey {
  readonly namespace: string;
  readonly name: string;
}

/** The access that the bystander needs. */
export interface BystanderSetup {
  readonly client: RestClient;
  readonly createNamespace: (name: string) => Promise<void>;
  readonly createSecret: (namespace: string, name: string, key: string) => Promise<void>;
}

/** Changes its customers continuously, and measures how long the operator takes to sync each change. */
export class Bystander {
  readonly #client: RestClient;
  readonly #gateway: DevGateway;
  readonly #open = new Set<Promise<void>>();
  /** In the current period: the longest sync, and the writes at the API server. */
  #longestMs = 0;
  #writes: number[] = [];
  #isOver = false;

  private constructor(client: RestClient, gateway: DevGateway) {
    this.#client = client;
    this.#gateway = gateway;
  }

  static async start(setup: BystanderSetup): Promise<Bystander> {
    const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
    const bystander = new Bystander(setup.client, gateway);
    await bystander.#createCustomers(setup);
    return bystander;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#gateway.stop();
  }

  startPeriod(): void {
    this.#longestMs = 0;
    this.#writes = [];
  }

  /** Waits for the syncs that have begun in a period. @returns a fault if one was too slow */
  async endPeriod(): Promise<string | undefined> {
    await Promise.all(this.#open);
    const limit = Math.max(SYNCED_WITHIN_MS, MAX_WRITES * percentile(this.#writes, 0.5));
    if (this.#longestMs <= limit) return undefined;
    return `a customer of another instance was synced after ${this.#longestMs.toFixed(0)} ms; the limit is ${limit.toFixed(0)} ms`;
  }

  async #createCustomers({ client, createNamespace, createSecret }: BystanderSetup): Promise<void> {
    const namespace = NAMESPACE;
    await createNamespace(namespace);
    await createSecret(namespace, 'gateway', MASTER_KEY);
    const masterKeySecretRef = { name: 'gateway', key: 'key' };
    const spec = { endpoint: this.#gateway.url, proxyName: 'litellm', masterKeySecretRef };
    // The operator installs the CRDs first.
    await eventually(() => client.create(instances, { metadata: { namespace, name: 'main' }, spec } as object));
    const names = Array.from({ length: CUSTOMERS }, (_, at) => `bystander-${at}`);
    for (const name of names) {
      const own = { instanceRef: { name: 'main' }, customerId: name, alias: 'One', maxBudget: 5 };
      await client.create(customers, { metadata: { namespace, name }, spec: own } as object);
    }
    for (const name of names) await eventually(() => this.#requireSynced({ namespace, name }));
    for (const name of names) void this.#changeContinuously({ namespace, name });
  }

  async #changeContinuously(key: CustomerKey): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const change = this.#change(key, `Alias ${n}`);
      this.#open.add(change);
      await change;
      this.#open.delete(change);
      await delay(CUSTOMERS * CHANGE_MS);
    }
  }

  /** Changes a customer, and measures the duration of the sync. Never throws. */
  async #change(key: CustomerKey, alias: string): Promise<void> {
    const at = performance.now();
    try {
      await this.#client.patch(customers, key, { spec: { alias } });
      this.#writes.push(performance.now() - at);
      await eventually(() => this.#requireSynced(key), SYNC_TIMEOUT_MS);
      this.#longestMs = Math.max(this.#longestMs, performance.now() - at);
    } catch {
      this.#longestMs = Number.POSITIVE_INFINITY;
    }
  }

  async #requireSynced(key: CustomerKey): Promise<void> {
    const customer = await this.#client.get(customers, key);
    if (!isSynced(customer)) throw new Error(`Customer ${key.name} is not synced.`);
  }
}
