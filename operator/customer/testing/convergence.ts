/** For tests: the laws of the sync, to be held against any gateway that is LiteLLM or behaves as it does. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { GatewayCustomer, GatewayCustomerSpec } from '../../api/v1alpha1/v1alpha1.ts';
import type { Field, Fields } from '../../gateway/gateway.ts';
import {
  budgetRowId,
  fieldsOf,
  GatewayClients,
  isEmpty,
  isGatewayError,
  limitsOf,
  observe,
  sameValue,
} from '../../gateway/gateway.ts';
import { startTestProxy, type TestProxy } from '../../gateway/testing/testProxy.ts';
import type { GatewayConnection } from '../../connection/connection.ts';
import { appliedFields } from '../ownership.ts';
import { desiredFields } from '../desired.ts';
import type { Dependencies } from '../dependencies.ts';
import { nextStatus } from '../status.ts';
import { strategyFor, sync, type Synced } from '../sync.ts';
import { connectionOf, customerOf, memoryDependencies } from './testDependencies.ts';

/** A gateway to hold the laws against. It must serve the models gpt-4o-mini and fast. */
export interface GatewayUnderTest {
  readonly url: string;
  readonly masterKey: string;
}

const tiers = {
  free: { max_budget: 1, budget_duration: '1d', tpm_limit: 10 },
  pro: { max_budget: 100, rpm_limit: 60 },
};
/** What LiteLLM cannot hold, and what it cannot clear. */
const neverHeld: readonly Field[] = ['metadata'];
const neverCleared: readonly Field[] = ['allowedModelRegion'];

type Spec = Omit<GatewayCustomerSpec, 'instanceRef' | 'customerId'>;

const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const spec: fc.Arbitrary<Spec> = fc
  .record({
    alias: maybe(fc.constantFrom('One', 'Two')),
    models: maybe(list),
    defaultModel: maybe(fc.constantFrom('gpt-4o-mini', 'fast')),
    allowedModelRegion: maybe(fc.constantFrom('eu', 'us')),
    blocked: maybe(fc.boolean()),
    objectPermission: maybe(
      fc.record({ mcpServers: maybe(list), accessGroups: maybe(list), vectorStores: maybe(list), agents: maybe(list) }),
    ),
    metadata: maybe(fc.constantFrom({}, { a: '1' }, { b: '2' })),
    tpmLimit: maybe(fc.constantFrom(0, 5, 9_007_199_254_740_991)),
    rpmLimit: maybe(fc.constantFrom(0, 7)),
    budget: fc.oneof(
      fc.record({ maxBudget: maybe(fc.constantFrom(0, 0.5, 20)), budgetDuration: maybe(fc.constantFrom('1d', '30d')) }),
      fc.record({ budgetId: fc.constantFrom('free', 'pro') }),
    ),
  })
  .map(({ budget, ...rest }) => JSON.parse(JSON.stringify({ ...rest, ...budget })) as Spec);

/** A record that was there before us. */
const existing = fc.record(
  {
    alias: fc.constant('Before'),
    blocked: fc.boolean(),
    models: list,
    default_model: fc.constant('fast'),
    allowed_model_region: fc.constantFrom('eu', 'us'),
    budget: fc.oneof(
      fc.record({ budget_id: fc.constantFrom('free', 'pro') }),
      fc.record({ max_budget: fc.constantFrom(3, 4), tpm_limit: fc.constantFrom(8, 9) }),
    ),
  },
  { requiredKeys: [] },
);

/**
 * Declares the tests.
 * @param gateway the gateway, once it runs
 * @param numRuns how many examples of each law
 */
export function convergenceTests(gateway: () => GatewayUnderTest, numRuns: number): void {
  let proxy: TestProxy;
  let clients: GatewayClients;
  let connection: GatewayConnection;
  let serial = 0;
  // A gateway with a database has the customers of earlier runs.
  const prefix = `law-${process.pid}-${Date.now()}`;

  before(async () => {
    proxy = await startTestProxy(gateway().url);
    clients = new GatewayClients({ timeouts: { connect: 2_000, idle: 5_000, total: 10_000 } });
    connection = connectionOf(proxy.url, gateway().masterKey);
    for (const [id, limits] of Object.entries(tiers)) {
      await clients.for(connection).budgetDelete(id);
      await clients.for(connection).budgetNew({ budget_id: id, ...limits });
    }
  });
  after(async () => {
    await clients.close();
    await proxy.stop();
  });

  /** One resource with what the operator keeps of it, and the ways to reconcile it. */
  class Resource {
    readonly id = `${prefix}-${++serial}`;
    readonly stored: { customer: GatewayCustomer };
    readonly #parts: Dependencies;

    constructor() {
      this.stored = { customer: customerOf({ customerId: this.id }, `${prefix}-${serial}`) };
      this.#parts = memoryDependencies(clients, this.stored) as Dependencies;
    }

    set(wanted: Spec): void {
      const { customer } = this.stored;
      const { instanceRef } = customer.spec;
      const generation = customer.metadata.generation + 1;
      this.stored.customer = {
        ...customer,
        metadata: { ...customer.metadata, generation },
        spec: { instanceRef, customerId: this.id, ...wanted },
      };
    }

    /** As the reconcile does: sync, status. What is thrown is a crash: the status is not written. */
    async reconcile(): Promise<Synced> {
      const parts = this.#parts;
      const synced = await sync(parts, this.stored.customer, connection, new AbortController().signal);
      await parts.status.write(synced.customer, nextStatus(synced.customer, synced.outcome, parts.now()));
      return synced;
    }

    /** Reconciles until it gets through, as a restarted operator does. */
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
      const client = clients.for(connection);
      if ((await client.customerInfo(this.id)) !== undefined) await client.customerDelete(this.id);
      const strategy = await strategyFor(this.#parts, this.stored.customer, connection);
      for (const step of strategy.cleanupSteps()) if (step.do === 'budgetDelete') await client.budgetDelete(step.id);
    }

    get rowId(): string {
      return budgetRowId(this.stored.customer.metadata.uid);
    }
  }

  /** Everything that must hold after a sync, whatever was before. */
  async function expectConverged(resource: Resource): Promise<void> {
    const { customer } = resource.stored;
    const { conditions } = customer.status ?? {};
    expect(conditions?.[0]).to.include({ type: 'Synced', status: 'True' });
    const row = await clients.for(connection).customerInfo(resource.id);
    if (row === undefined) throw new Error('The customer is not there.');
    const observed = observe(row);
    const wanted: Fields = desiredFields(customer.spec);
    const tier = wanted.budgetId !== undefined;
    for (const field of fieldsOf(wanted)) {
      const beside = tier && field in limitsOf(wanted);
      if (beside || neverHeld.includes(field)) continue;
      expect(sameValue(wanted[field], observed.fields[field]), `${field} of ${JSON.stringify(customer.spec)}`).to.equal(
        true,
      );
    }
    // What we have set and no longer want is gone, as far as this gateway can do it.
    const left = [...appliedFields(customer)].filter((field) => wanted[field] === undefined);
    expect(left.filter((field) => !neverCleared.includes(field))).to.deep.equal([]);
    // Our own row is there exactly where it is linked.
    const rows = await clients.for(connection).budgetInfo([resource.rowId]);
    expect(rows.length === 1).to.equal(observed.budgetId === resource.rowId);
    await expectTiersUntouched();
    await expectAtRest(resource);
  }

  /** A customer that nobody but us has ever touched has nothing that the spec does not name. */
  async function expectNothingElse(resource: Resource): Promise<void> {
    const row = await clients.for(connection).customerInfo(resource.id);
    if (row === undefined) throw new Error('The customer is not there.');
    const wanted = desiredFields(resource.stored.customer.spec);
    const { fields } = observe(row);
    const left = fieldsOf(fields).filter((field) => {
      if (wanted[field] !== undefined || isEmpty(fields[field]) || neverCleared.includes(field)) return false;
      const inRow = row.budget_id === resource.rowId ? field === 'budgetId' : field in limitsOf(fields);
      return !inRow;
    });
    expect(left).to.deep.equal([]);
  }

  async function expectTiersUntouched(): Promise<void> {
    for (const [id, limits] of Object.entries(tiers)) {
      expect((await clients.for(connection).budgetInfo([id]))[0]).to.include(limits);
    }
  }

  /** A second reconcile asks once and changes nothing: not at the gateway, not in the status. */
  async function expectAtRest(resource: Resource): Promise<void> {
    const { status } = resource.stored.customer;
    proxy.calls.length = 0;
    await resource.reconcile();
    expect(proxy.calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)).to.deep.equal([
      'GET /customer/info',
    ]);
    expect(resource.stored.customer.status).to.deep.equal(status);
  }

  it('brings any spec to any other, and then rests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spec, { minLength: 1, maxLength: 4 }), async (specs) => {
        const resource = new Resource();
        for (const wanted of specs) {
          resource.set(wanted);
          await resource.reconcile();
          await expectConverged(resource);
        }
        await resource.delete();
        expect(await clients.for(connection).budgetInfo([resource.rowId])).to.deep.equal([]);
      }),
      { numRuns },
    );
  });

  it('adopts any record, sets what the spec names, and leaves the rest of it alone', async () => {
    await fc.assert(
      fc.asyncProperty(existing, spec, async ({ budget, ...there }, wanted) => {
        const resource = new Resource();
        const client = clients.for(connection);
        await client.customerNew({ user_id: resource.id, ...there, ...budget });
        const row = await client.customerInfo(resource.id);
        if (row === undefined) throw new Error('The customer is not there.');
        const before = observe(row).fields;
        resource.set(wanted);
        const { outcome } = await resource.reconcile();
        expect(outcome.reason).to.equal('Adopted');
        await expectConverged(resource);
        const after = observe((await client.customerInfo(resource.id)) ?? row).fields;
        const desired = desiredFields(wanted as GatewayCustomerSpec);
        const movedLimits = desired.budgetId !== undefined;
        for (const field of fieldsOf(before)) {
          if (desired[field] !== undefined || field === 'budgetId') continue;
          if (movedLimits && field in limitsOf(before)) continue;
          expect(after[field], field).to.deep.equal(before[field]);
        }
        // And taking all of it back again takes nothing else.
        resource.set({});
        await resource.reconcile();
        await expectConverged(resource);
      }),
      { numRuns },
    );
  });

  it('converges after a crash before or after any of its calls, without a duplicate and without a leak', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(spec, { minLength: 1, maxLength: 4 }),
        fc.array(fc.record({ at: fc.nat(8), kind: fc.constantFrom('breakBefore' as const, 'breakAfter' as const) }), {
          minLength: 1,
          maxLength: 3,
        }),
        async (specs, crashes) => {
          const resource = new Resource();
          // Calls that change something at the gateway, counted over the whole life of the resource.
          let writes = 0;
          let made = 0;
          proxy.fault = ({ method, path }) => {
            if (path === '/customer/new') made++;
            if (method !== 'POST' || path === '/budget/info') return undefined;
            const crash = crashes.find(({ at }) => at === writes);
            writes++;
            return crash;
          };
          try {
            // The spec may change again before the restart has caught up with it.
            for (const [at, wanted] of specs.entries()) {
              resource.set(wanted);
              if (at % 2 === 0) await resource.recover(1);
              else await resource.recover();
            }
            await resource.recover();
            expect(made).to.be.at.most(1 + crashes.length);
          } finally {
            proxy.fault = () => undefined;
          }
          await resource.recover();
          await expectConverged(resource);
          await expectNothingElse(resource);
          await resource.delete();
          expect(await clients.for(connection).customerInfo(resource.id)).to.equal(undefined);
          expect(await clients.for(connection).budgetInfo([resource.rowId])).to.deep.equal([]);
        },
      ),
      { numRuns },
    );
  });

  it('puts right whatever is edited or deleted behind its back', async () => {
    const edit = fc.oneof(
      fc.record({ alias: fc.constant('Edited') }),
      fc.record({ blocked: fc.boolean() }),
      fc.record({ models: fc.constant(['x']) }),
      fc.record({ default_model: fc.constant('other') }),
      fc.record({ budget_id: fc.constantFrom('free', 'pro') }),
      fc.constant('delete' as const),
      fc.constant('deleteRow' as const),
    );
    await fc.assert(
      fc.asyncProperty(spec, fc.array(edit, { minLength: 1, maxLength: 3 }), async (wanted, edits) => {
        const resource = new Resource();
        resource.set(wanted);
        await resource.reconcile();
        const client = clients.for(connection);
        for (const change of edits) {
          if (change === 'deleteRow') await client.budgetDelete(resource.rowId);
          else if (change === 'delete') await client.customerDelete(resource.id).catch(() => undefined);
          else await client.customerUpdate({ user_id: resource.id, ...change }).catch(() => undefined);
        }
        await resource.reconcile();
        await expectConverged(resource);
      }),
      { numRuns },
    );
  });

  it('takes a customer back that was linked to a tier of the very limits that it shall have', async () => {
    const resource = new Resource();
    resource.set({ tpmLimit: tiers.free.tpm_limit });
    await resource.reconcile();
    await clients.for(connection).customerUpdate({ user_id: resource.id, budget_id: 'free' });
    expect((await resource.reconcile()).outcome.deed?.reason).to.equal('DriftCorrected');
    await expectConverged(resource);
  });

  it('clears what was set just before a crash, though the spec has turned back since', async () => {
    const resource = new Resource();
    resource.set({ alias: 'One' });
    await resource.reconcile();
    resource.set({ alias: 'One', defaultModel: 'fast', tpmLimit: 5 });
    proxy.fault = ({ path }) => (path === '/customer/update' ? { kind: 'breakAfter' } : undefined);
    await resource.recover(1);
    proxy.fault = () => undefined;
    resource.set({ alias: 'One' });
    await resource.recover();
    await expectConverged(resource);
    await expectNothingElse(resource);
  });

  it('knows its own record after a crash where records of others are refused', async () => {
    for (const wanted of [{ alias: 'A', maxBudget: 4 }, { alias: 'A' }]) {
      const resource = new Resource();
      resource.set({ ...wanted, adoptionPolicy: 'Refuse' });
      proxy.fault = ({ path }) => (path === '/customer/new' ? { kind: 'breakAfter' } : undefined);
      await resource.recover(1);
      proxy.fault = () => undefined;
      await resource.recover();
      await expectConverged(resource);
    }
  });

  it('refuses a record that somebody else made in the moment of a crash, and leaves it alone', async () => {
    const resource = new Resource();
    resource.set({ alias: 'A', maxBudget: 4, adoptionPolicy: 'Refuse' });
    proxy.fault = async ({ path }) => {
      if (path !== '/customer/new') return undefined;
      await fetch(`${gateway().url}/customer/new`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway().masterKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: resource.id, alias: 'Of somebody else' }),
      });
      return { kind: 'breakBefore' };
    };
    await resource.recover(1);
    proxy.fault = () => undefined;
    const { outcome } = await resource.reconcile();
    expect(outcome.reason).to.equal('AlreadyExists');
    expect(await clients.for(connection).customerInfo(resource.id)).to.include({ alias: 'Of somebody else' });
  });
}
