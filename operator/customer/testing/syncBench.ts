/** For tests: resources that are synced with a gateway without an API server, and assertions about each sync. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { GatewayCustomer } from '../../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../../connection/connection.ts';
import { type Outcome, type Ownership, PendingError, Run, syncRecord } from '../../external/external.ts';
import {
  allFields,
  budgetRowId,
  type CustomerRow,
  type Field,
  type Fields,
  desiredOf,
  fieldsOf,
  type GatewayClient,
  GatewayClients,
  isEmpty,
  isGatewayError,
  limitsOf,
  observe,
  sameValue,
} from '../../gateway/gateway.ts';
import { startTestProxy, type TestProxy } from '../../gateway/testing/testProxy.ts';
import type { ObjectKey } from '../../runtime/runtime.ts';
import { CustomerAdapter } from '../adapter.ts';
import type { Dependencies } from '../dependencies.ts';
import { strategyFor } from '../record.ts';
import { neverCleared, neverReported, type Spec, tiers } from './specs.ts';
import { connectionOf, customerOf, memoryDependencies } from './testDependencies.ts';

/** A gateway to test against. It must serve the models gpt-4o-mini and fast. */
export interface GatewayUnderTest {
  readonly url: string;
  readonly masterKey: string;
}

/** One resource, with its state in memory. */
export class SyncedResource {
  readonly id: string;
  readonly stored: { customer: GatewayCustomer };
  readonly #bench: SyncBench;
  readonly #dependencies: Dependencies;

  constructor(bench: SyncBench, id: string) {
    this.id = id;
    this.stored = { customer: customerOf({ customerId: id }, id) };
    this.#bench = bench;
    // The instance has as many customers as the bench says, and this one.
    const keys = (): readonly ObjectKey[] =>
      Array.from({ length: bench.customersOfInstance }, () => ({ namespace: 'default', name: 'customer' }));
    const index = { get: () => [], keys };
    this.#dependencies = {
      ...memoryDependencies(bench.clients, this.stored),
      byInstance: index,
      byClaim: index,
      byUid: { get: (uid) => bench.others.filter(({ metadata }) => metadata.uid === uid), keys: () => [] },
    };
  }

  get ownership(): Ownership<Field> {
    return this.#dependencies.claims.of(this.stored.customer).ownership;
  }

  set(desired: Spec): void {
    const { customer } = this.stored;
    const { instanceRef } = customer.spec;
    const generation = customer.metadata.generation + 1;
    this.stored.customer = {
      ...customer,
      metadata: { ...customer.metadata, generation },
      spec: { instanceRef, customerId: this.id, ...desired },
    };
  }

  /** Syncs and writes the status. An error is a crash: the status is not written. */
  async reconcile(): Promise<Outcome> {
    const adapter = new CustomerAdapter(this.#dependencies);
    const run = new Run(this.#dependencies, adapter, this.stored.customer);
    const { signal } = new AbortController();
    const outcome = await run.sync(this.#bench.connection, signal, (sync) =>
      syncRecord(this.#dependencies, adapter, sync),
    );
    await run.report(outcome);
    return outcome;
  }

  /** Reconciles as {@link reconcile}, and again while the record list is being read. */
  async reconcileListed(): Promise<Outcome> {
    for (;;) {
      try {
        return await this.reconcile();
      } catch (error) {
        if (!(error instanceof PendingError)) throw error;
        await setImmediate();
      }
    }
  }

  /** Reconciles until it succeeds, as a restarted operator does. One attempt may fail. */
  async recover(attempts = 10): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      try {
        await this.reconcile();
        return;
      } catch (error) {
        if (!isGatewayError(error, 'transient')) throw error;
      }
    }
    if (attempts > 1) throw new Error('The resource does not recover.');
  }

  async delete(): Promise<void> {
    const { client, connection } = this.#bench;
    if ((await client.customerInfo(this.id)) !== undefined) await client.customerDelete(this.id);
    const strategy = await strategyFor(this.#dependencies, this.stored.customer, connection);
    for (const step of strategy.cleanupSteps()) if (step.do === 'budgetDelete') await client.budgetDelete(step.id);
  }

  get rowId(): string {
    return budgetRowId(this.stored.customer.metadata.uid);
  }
}

/** A gateway behind a proxy that counts and breaks its calls, and the resources that are synced with it. */
export class SyncBench {
  readonly gateway: GatewayUnderTest;
  readonly proxy: TestProxy;
  readonly clients: GatewayClients;
  readonly connection: GatewayConnection;
  /** The number of customers of the instance: the record list is read for many. */
  customersOfInstance = 0;
  /** Other resources of the cluster, which own budget rows. */
  others: readonly GatewayCustomer[] = [];
  // A gateway with a database has the customers of earlier runs.
  readonly #prefix = `law-${process.pid}-${Date.now()}`;
  #serial = 0;

  private constructor(gateway: GatewayUnderTest, proxy: TestProxy) {
    this.gateway = gateway;
    this.proxy = proxy;
    this.clients = new GatewayClients({ timeouts: { connect: 2_000, idle: 5_000, total: 10_000 } });
    this.connection = connectionOf(proxy.url, gateway.masterKey);
  }

  static async start(gateway: GatewayUnderTest): Promise<SyncBench> {
    const bench = new SyncBench(gateway, await startTestProxy(gateway.url));
    for (const [id, limits] of Object.entries(tiers)) {
      await bench.client.budgetDelete(id);
      await bench.client.budgetNew({ budget_id: id, ...limits });
    }
    return bench;
  }

  async stop(): Promise<void> {
    await this.clients.close();
    await this.proxy.stop();
  }

  get client(): GatewayClient {
    return this.clients.for(this.connection);
  }

  resource(): SyncedResource {
    return new SyncedResource(this, `${this.#prefix}-${++this.#serial}`);
  }

  /** @throws Error if the gateway has no record of the resource */
  async recordOf({ id }: SyncedResource): Promise<CustomerRow> {
    const row = await this.client.customerInfo(id);
    if (row === undefined) throw new Error('The gateway has no record of the customer.');
    return row;
  }

  /** Asserts that the record has the fields of the spec, and that a second sync changes nothing. */
  async expectConverged(resource: SyncedResource): Promise<void> {
    const { customer } = resource.stored;
    expect(customer.status?.conditions?.[0]).to.include({ type: 'Synced', status: 'True' });
    const observed = observe(await this.recordOf(resource));
    const desired: Fields = desiredOf(allFields, customer.spec);
    const tier = desired.budgetId !== undefined;
    for (const field of fieldsOf(desired)) {
      if ((tier && field in limitsOf(desired)) || neverReported.includes(field)) continue;
      const same = sameValue(desired[field], observed.fields[field]);
      expect(same, `${field} of ${JSON.stringify(customer.spec)}`).to.equal(true);
    }
    const left = [...resource.ownership.fields].filter((field) => desired[field] === undefined);
    expect(left.filter((field) => !neverCleared.includes(field))).to.deep.equal([]);
    // The resource's own row exists exactly if the record is linked to it.
    const rows = await this.client.budgetInfo([resource.rowId]);
    expect(rows.length === 1).to.equal(observed.budgetId === resource.rowId);
    await this.#expectTiersUnchanged();
    await this.#expectSteadyState(resource);
  }

  /** Asserts that a record that only the operator has changed has only fields of the spec. */
  async expectNothingElse(resource: SyncedResource): Promise<void> {
    const row = await this.recordOf(resource);
    const desired = desiredOf(allFields, resource.stored.customer.spec);
    const { fields } = observe(row);
    const left = fieldsOf(fields).filter((field) => {
      if (desired[field] !== undefined || isEmpty(fields[field]) || neverCleared.includes(field)) return false;
      const inRow = row.budget_id === resource.rowId ? field === 'budgetId' : field in limitsOf(fields);
      return !inRow;
    });
    expect(left).to.deep.equal([]);
  }

  async #expectTiersUnchanged(): Promise<void> {
    for (const [id, limits] of Object.entries(tiers)) {
      expect((await this.client.budgetInfo([id]))[0]).to.include(limits);
    }
  }

  /** Asserts that a second reconcile observes once and changes nothing at the gateway or in the status. */
  async #expectSteadyState(resource: SyncedResource): Promise<void> {
    const { status } = resource.stored.customer;
    this.proxy.calls.length = 0;
    await resource.reconcile();
    expect(this.proxy.calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)).to.deep.equal([
      'GET /customer/info',
    ]);
    expect(resource.stored.customer.status).to.deep.equal(status);
  }
}
