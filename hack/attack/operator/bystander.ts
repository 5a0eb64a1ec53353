/** The customers of another gateway, which change continuously while the operator is attacked. */
import { setTimeout as delay } from 'node:timers/promises';
import { customers, instances } from '../../../operator/api/kinds.ts';
import { eventually, type RestClient } from '../../../operator/runtime/testing/testing.ts';
import { type DevGateway, startDevGateway } from '../../harness/gateway/gateway.ts';
import { largeJsonMs } from '../largeJson.ts';
import { MAX_RATIO, MIN_SAMPLES, percentile } from '../measure.ts';
import { isSynced } from './conditions.ts';

const NAMESPACE = 'bystander';
const MASTER_KEY = 'sk-bystander';
const CUSTOMERS = 8;
/** The interval between two changes of all customers together. */
const CHANGE_MS = 150;
const SYNC_TIMEOUT_MS = 60_000;
/**
 * The duration of a sync that is always allowed, as a multiple of {@link largeJsonMs}. The API server, etcd, the gateways,
 * and the guardrail that is attacked at the same time share two processors with the operator. A blocked event loop takes far
 * longer.
 */
const FLOOR_RATIO = 28;

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
  readonly #latencies: { readonly at: number; readonly ms: number }[] = [];
  #isOver = false;
  #usualMs: readonly number[] = [];
  #floorMs = 0;

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

  /** Measures for `ms` milliseconds how long a sync usually takes. */
  async calibrate(ms: number): Promise<void> {
    const from = performance.now();
    await delay(ms);
    this.#usualMs = this.#latencies.filter((one) => one.at >= from && Number.isFinite(one.ms)).map((one) => one.ms);
    this.#floorMs = FLOOR_RATIO * (await largeJsonMs());
  }

  /** @returns a fault if the syncs of changes in a period were too slow */
  async slowdown(from: number, until: number): Promise<string | undefined> {
    const during = this.#latencies.filter(({ at }) => at >= from && at <= until).map(({ ms }) => ms);
    if (during.length === 0) return 'no customer of another instance was synced during the attack';
    // A short attack has few changes, and a blocked event loop may delay only one of them. In a long one, a single slow
    // change is noise of the machine: a blocked event loop delays all bystanders.
    const slowest = percentile(during, during.length < MIN_SAMPLES ? 1 : 0.99);
    const usual = MAX_RATIO * percentile(this.#usualMs, 0.99);
    if (slowest <= Math.max(usual, this.#floorMs)) return undefined;
    // The machine may have become slower since it was measured.
    this.#floorMs = Math.max(this.#floorMs, FLOOR_RATIO * (await largeJsonMs()));
    const allowed = Math.max(usual, this.#floorMs);
    if (slowest <= allowed) return undefined;
    return `a customer of another instance was synced after ${slowest.toFixed(0)} ms; the limit is ${allowed.toFixed(0)} ms`;
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

  /** Changes one customer repeatedly, and measures the duration of each sync. */
  async #changeContinuously(key: CustomerKey): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const at = performance.now();
      try {
        await this.#client.patch(customers, key, { spec: { alias: `Alias ${n}` } });
        await eventually(() => this.#requireSynced(key), SYNC_TIMEOUT_MS);
        this.#latencies.push({ at, ms: performance.now() - at });
      } catch {
        this.#latencies.push({ at, ms: Number.POSITIVE_INFINITY });
      }
      await delay(CUSTOMERS * CHANGE_MS);
    }
  }

  async #requireSynced(key: CustomerKey): Promise<void> {
    const customer = await this.#client.get(customers, key);
    if (!isSynced(customer)) throw new Error(`Customer ${key.name} is not synced.`);
  }
}
