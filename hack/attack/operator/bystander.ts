/** The customers of another gateway, which change continuously while the operator is attacked. */
import { setTimeout as delay } from 'node:timers/promises';
import { customers } from '../../../operator/api/kinds.ts';
import { eventually, type RestClient } from '../../../operator/runtime/testing/testing.ts';
import { type DevGateway, startDevGateway } from '../../harness/gateway/gateway.ts';
import { percentile } from '../measure.ts';
import { Namespace } from './namespace.ts';

const MASTER_KEY = 'sk-bystander';
const CUSTOMERS = 8;
/** The interval between two changes of all customers together. */
const CHANGE_MS = 150;
const SYNC_TIMEOUT_MS = 60_000;
/** A change that takes longer has waited for a call to another gateway, which the operator abandons after twice this time. */
const SYNCED_WITHIN_MS = 5_000;
/** A sync needs some ten calls. On a busy machine, it may take this multiple of a write at the API server. */
const MAX_WRITES = 25;

/** Changes its customers continuously, and measures how long the operator takes to sync each change. */
export class Bystander {
  readonly #home: Namespace;
  readonly #gateway: DevGateway;
  readonly #open = new Set<Promise<void>>();
  /** In the current period: the longest sync, and the writes at the API server. */
  #longestMs = 0;
  #writes: number[] = [];
  #isOver = false;

  private constructor(home: Namespace, gateway: DevGateway) {
    this.#home = home;
    this.#gateway = gateway;
  }

  static async start(client: RestClient): Promise<Bystander> {
    const gateway = await startDevGateway({ port: 0, masterKey: MASTER_KEY, proxyName: 'litellm' });
    const bystander = new Bystander(await Namespace.create('bystander', client), gateway);
    await bystander.#createCustomers();
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

  async #createCustomers(): Promise<void> {
    // The operator installs the CRDs first.
    await eventually(() => this.#home.customers());
    await this.#home.instance('main', this.#gateway.url, MASTER_KEY);
    const names = Array.from({ length: CUSTOMERS }, (_, at) => `bystander-${at}`);
    for (const name of names) await this.#home.customer(name, { customerId: name, alias: 'One', maxBudget: 5 });
    for (const name of names) await this.#home.untilSynced(name);
    for (const name of names) void this.#changeContinuously(name);
  }

  async #changeContinuously(name: string): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const change = this.#change(name, `Alias ${n}`);
      this.#open.add(change);
      await change;
      this.#open.delete(change);
      await delay(CUSTOMERS * CHANGE_MS);
    }
  }

  /** Changes a customer, and measures the duration of the sync. Never throws. */
  async #change(name: string, alias: string): Promise<void> {
    const at = performance.now();
    try {
      await this.#home.client.patch(customers, this.#home.key(name), { spec: { alias } });
      this.#writes.push(performance.now() - at);
      await this.#home.untilSynced(name, SYNC_TIMEOUT_MS);
      this.#longestMs = Math.max(this.#longestMs, performance.now() - at);
    } catch {
      this.#longestMs = Number.POSITIVE_INFINITY;
    }
  }
}
