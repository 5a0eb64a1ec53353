/** For tests: the properties of the sync, for LiteLLM and gateways that behave like it. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { GatewayCustomerSpec } from '../../api/v1alpha1/v1alpha1.ts';
import { allFields, desiredOf, fieldsOf, limitsOf, observe } from '../../gateway/gateway.ts';
import type { Fault } from '../../gateway/testing/testProxy.ts';
import { crashes, edits, existingRecords, specs, type Spec, tiers } from './specs.ts';
import { type GatewayUnderTest, SyncBench, type SyncedResource } from './syncBench.ts';

/**
 * Declares the tests.
 * @param gateway returns the running gateway
 * @param numRuns number of examples for each property
 */
export function convergenceTests(gateway: () => GatewayUnderTest, numRuns: number): void {
  let bench: SyncBench;
  before(async () => {
    bench = await SyncBench.start(gateway());
  });
  after(() => bench.stop());

  it('syncs any sequence of specs, and writes nothing without a change', async () => {
    const sequences = fc.array(specs, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sequences, (sequence) => syncsInTurn(bench, sequence)),
      { numRuns },
    );
  });

  it('adopts any record, sets the fields of the spec, and does not change other fields', async () => {
    await fc.assert(
      fc.asyncProperty(existingRecords, specs, (record, spec) => adopts(bench, record, spec)),
      { numRuns },
    );
  });

  it('adopts any record after a crash at any of its calls, and does not change other fields', async () => {
    await fc.assert(
      fc.asyncProperty(existingRecords, specs, crashes, (record, spec, at) => adopts(bench, record, spec, at)),
      { numRuns },
    );
  });

  it('converges after a crash before or after any of its calls, without a duplicate and without a leak', async () => {
    const sequences = fc.array(specs, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sequences, crashes, (sequence, at) => survives(bench, sequence, at)),
      { numRuns },
    );
  });

  it('corrects what another client edits or deletes', async () => {
    const changes = fc.array(edits, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(specs, changes, (spec, made) => corrects(bench, spec, made)),
      { numRuns },
    );
  });

  it('corrects a link to a tier that has the limits of the spec', async () => {
    const resource = bench.resource();
    resource.set({ tpmLimit: tiers.free.tpm_limit });
    await resource.reconcile();
    await bench.client.customerUpdate({ user_id: resource.id, budget_id: 'free' });
    expect((await resource.reconcile()).action?.reason).to.equal('DriftCorrected');
    await bench.expectConverged(resource);
  });

  crashTests(() => bench);
}

function crashTests(bench: () => SyncBench): void {
  /** Reconciles once while a call fails. */
  const crash = async (resource: SyncedResource, path: string, fault: () => Fault | Promise<Fault>): Promise<void> => {
    bench().proxy.fault = (call) => (call.path === path ? fault() : undefined);
    await resource.recover(1);
    bench().proxy.fault = () => undefined;
  };

  it('clears fields that were set before a crash if the spec has changed back in the meantime', async () => {
    const resource = bench().resource();
    resource.set({ alias: 'One' });
    await resource.reconcile();
    resource.set({ alias: 'One', defaultModel: 'fast', tpmLimit: 5 });
    await crash(resource, '/customer/update', () => ({ kind: 'breakAfter' }));
    resource.set({ alias: 'One' });
    await resource.recover();
    await bench().expectConverged(resource);
    await bench().expectNothingElse(resource);
  });

  it('recognizes its own record after a crash if records of others are refused', async () => {
    for (const spec of [{ alias: 'A', maxBudget: 4 }, { alias: 'A' }]) {
      const resource = bench().resource();
      resource.set({ ...spec, adoptionPolicy: 'Refuse' });
      await crash(resource, '/customer/new', () => ({ kind: 'breakAfter' }));
      await resource.recover();
      await bench().expectConverged(resource);
    }
  });

  it('refuses a record that another client created at the moment of a crash, and does not change it', async () => {
    const resource = bench().resource();
    const { url, masterKey } = bench().gateway;
    resource.set({ alias: 'A', maxBudget: 4, adoptionPolicy: 'Refuse' });
    await crash(resource, '/customer/new', async () => {
      await fetch(`${url}/customer/new`, {
        method: 'POST',
        headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: resource.id, alias: 'Of another client' }),
      });
      return { kind: 'breakBefore' };
    });
    expect((await resource.reconcile()).reason).to.equal('AlreadyExists');
    expect(await bench().recordOf(resource)).to.include({ alias: 'Of another client' });
  });
}

async function syncsInTurn(bench: SyncBench, sequence: readonly Spec[]): Promise<void> {
  const resource = bench.resource();
  for (const spec of sequence) {
    resource.set(spec);
    await resource.reconcile();
    await bench.expectConverged(resource);
  }
  await resource.delete();
  expect(await bench.client.budgetInfo([resource.rowId])).to.deep.equal([]);
}

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

async function adopts(
  bench: SyncBench,
  { budget, ...record }: Generated<typeof existingRecords>,
  spec: Spec,
  at: Generated<typeof crashes> = [],
): Promise<void> {
  const resource = bench.resource();
  await bench.client.customerNew({ user_id: resource.id, ...record, ...budget });
  const before = observe(await bench.recordOf(resource)).fields;
  resource.set(spec);
  if (at.length === 0) expect((await resource.reconcile()).reason).to.equal('Adopted');
  else await recoverFrom(bench, resource, at);
  await bench.expectConverged(resource);
  const after = observe(await bench.recordOf(resource)).fields;
  const desired = desiredOf(allFields, spec as GatewayCustomerSpec);
  const movedLimits = desired.budgetId !== undefined;
  for (const field of fieldsOf(before)) {
    if (desired[field] !== undefined || field === 'budgetId') continue;
    if (movedLimits && field in limitsOf(before)) continue;
    expect(after[field], field).to.deep.equal(before[field]);
  }
  // An empty spec removes nothing else.
  resource.set({});
  await resource.reconcile();
  await bench.expectConverged(resource);
}

/** Reconciles until no call fails any more. A crash of a creation may interrupt it before or after the duplicate is found. */
async function recoverFrom(bench: SyncBench, resource: SyncedResource, at: Generated<typeof crashes>): Promise<void> {
  let writes = 0;
  bench.proxy.fault = ({ method, path }) =>
    method !== 'POST' || path === '/budget/info' ? undefined : at.find((crash) => crash.at === writes++);
  try {
    await resource.recover();
  } finally {
    bench.proxy.fault = () => undefined;
  }
}

async function survives(bench: SyncBench, sequence: readonly Spec[], at: Generated<typeof crashes>): Promise<void> {
  const resource = bench.resource();
  // Calls that change the gateway, over the whole life of the resource.
  let writes = 0;
  let created = 0;
  bench.proxy.fault = ({ method, path }) => {
    if (path === '/customer/new') created++;
    if (method !== 'POST' || path === '/budget/info') return undefined;
    const found = at.find((crash) => crash.at === writes);
    writes++;
    return found;
  };
  try {
    // The spec may change again before the operator has recovered.
    for (const [index, spec] of sequence.entries()) {
      resource.set(spec);
      if (index % 2 === 0) await resource.recover(1);
      else await resource.recover();
    }
    await resource.recover();
    expect(created).to.be.at.most(1 + at.length);
  } finally {
    bench.proxy.fault = () => undefined;
  }
  await resource.recover();
  await bench.expectConverged(resource);
  await bench.expectNothingElse(resource);
  await resource.delete();
  expect(await bench.client.customerInfo(resource.id)).to.equal(undefined);
  expect(await bench.client.budgetInfo([resource.rowId])).to.deep.equal([]);
}

async function corrects(bench: SyncBench, spec: Spec, changes: readonly Generated<typeof edits>[]): Promise<void> {
  const resource = bench.resource();
  resource.set(spec);
  await resource.reconcile();
  for (const change of changes) {
    if (change === 'deleteRow') await bench.client.budgetDelete(resource.rowId);
    else if (change === 'delete') await bench.client.customerDelete(resource.id).catch(() => undefined);
    else await bench.client.customerUpdate({ user_id: resource.id, ...change }).catch(() => undefined);
  }
  await resource.reconcile();
  await bench.expectConverged(resource);
}
