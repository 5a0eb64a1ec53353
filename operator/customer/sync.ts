/**
 * Syncs the gateway's record of one customer with its spec: observes it, and then creates or updates it if required.
 */
import type { UsableBudget } from '../budget/budget.ts';
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type {
  Field,
  Fields,
  GatewayClient,
  GatewayError,
  ObservedCustomer,
  Step,
  Strategy,
  SupportedFields,
} from '../gateway/gateway.ts';
import { budgetRowId, execute, fieldsOf, isGatewayError, customerFieldsStrategy } from '../gateway/gateway.ts';
import { pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type { CurrentCustomer } from './currentCustomer.ts';
import type { Dependencies } from './dependencies.ts';
import { desiredFields, specHash } from './desired.ts';
import type { Drift } from './drift.ts';
import { driftOf } from './drift.ts';
import type { SyncAction } from './events.ts';
import { unappliedFields } from './fullyApplied.ts';
import { markText, type Ownership, ownershipOf } from './ownership.ts';
import { mayCreateFirst, observeAfterWrite, observeFirst, observeRecord } from './observation.ts';
import { isLinked, linkedResource, recordOwner } from './recordOwner.ts';
import type { SyncOutcome } from './status.ts';
import { strategyFor } from './strategy.ts';
import { type Inheritance, inheritanceOf } from './succession.ts';
import * as outcomes from './syncOutcomes.ts';

/** One sync: its inputs and its first observation. */
interface Sync {
  readonly dependencies: Dependencies;
  readonly current: CurrentCustomer;
  readonly connection: GatewayConnection;
  readonly client: GatewayClient;
  readonly strategy: Strategy;
  readonly signal: AbortSignal;
  readonly desired: Fields;
  readonly specHash: string;
  readonly ownership: Ownership;
  readonly inheritance: Inheritance;
  /** The sync request that this sync handles. A later one is left to the next sync. */
  readonly syncRequest: string | undefined;
  /** Whether another client created the record while this sync was creating it. */
  readonly lostCreation: boolean;
}

/** The desired record, compared with the observed one. */
interface Comparison {
  readonly supported: SupportedFields;
  /** The fields that the operator has set before. */
  readonly applied: ReadonlySet<Field>;
  readonly drift: Drift;
  readonly specChanged: boolean;
}

/**
 * Observes first, unless {@link mayCreateFirst}. Writes the finalizer and the create mark only before a change or an adoption.
 * @throws GatewayError from the call that failed; ApiError 404 or DeletedFirstError when the resource is deleted;
 *   nothing has been written then
 */
export async function sync(
  dependencies: Dependencies,
  current: CurrentCustomer,
  connection: GatewayConnection,
  { tier, signal }: { readonly tier: UsableBudget | undefined; readonly signal: AbortSignal },
): Promise<SyncOutcome> {
  const customer = current.latest;
  const client = dependencies.clients.for(connection);
  const ownership = ownershipOf(customer);
  const inheritance = inheritanceOf(dependencies, customer);
  const createsFirst = !inheritance.record && mayCreateFirst(client, customer, ownership);
  const observed = createsFirst ? undefined : await observeFirst(client, customer, signal);
  const desired = desiredFields(customer.spec, tier?.budgetId);
  const run: Sync = {
    ...{ dependencies, current, connection, client, signal, desired, ownership, inheritance },
    strategy: await strategyFor(dependencies, customer, connection),
    specHash: specHash(desired, tier?.lastChange),
    syncRequest: pendingSyncRequest(customer),
    lostCreation: false,
  };
  if (observed !== undefined) return await updateRecord(run, customer, observed);
  try {
    if (createsFirst) client.checkCapacity('POST /customer/new', 'urgent');
    return await createRecord(run, customer);
  } catch (error) {
    // Another client created it, probably by a paid call. LiteLLM may check the fields before it detects a duplicate.
    const mayExist =
      isGatewayError(error, 'alreadyExists') ||
      (createsFirst && isGatewayError(error, 'terminal') && isCreation(error));
    if (!mayExist) throw error;
    const existing = await observeRecord(client, customer, { signal });
    if (existing === undefined) throw error;
    return await updateRecord({ ...run, lostCreation: true }, customer, existing);
  }
}

function isCreation({ operation }: GatewayError): boolean {
  return operation === 'POST /customer/new';
}

async function createRecord(run: Sync, customer: GatewayCustomer): Promise<SyncOutcome> {
  const { dependencies, current, strategy, desired, ownership, client, signal } = run;
  const { fields: applied, state, marked } = ownership;
  const supported = strategy.supportedFields(desired, applied, undefined);
  await announce(run, { fields: fieldsOf(supported.fields) });
  const steps = strategy.plan({
    customerId: customer.spec.customerId,
    desired: supported.fields,
    applied,
    observed: undefined,
    fresh: state === 'none' && !marked,
    replaces: customer.status?.replacesBudget,
  });
  dependencies.finalizer.beforeExternalWrite(current.latest);
  await execute(client, steps, { signal });
  if (state === 'owned') dependencies.metrics.drift.inc();
  const after = await observeAfterWrite(client, customer, signal);
  return conclude(run, { after, supported, applied, action: outcomes.createdAction(state === 'owned') });
}

async function updateRecord(run: Sync, customer: GatewayCustomer, observed: ObservedCustomer): Promise<SyncOutcome> {
  const { dependencies, current, strategy, client, signal, ownership, connection } = run;
  const instanceNamespace = connection.instance.namespace;
  const owner = recordOwner(dependencies, customer, observed, { ...run, instanceNamespace });
  if (owner !== 'thisResource') {
    await cleanUpCreation(run);
    return owner === 'refused' ? outcomes.refused : outcomes.linkedToAnother(dependencies, customer, observed);
  }

  const comparison = compare(run, customer, observed);
  const action = outcomes.adoptedAction(ownership, isLinked(customer, observed));
  const foreignRow = linkedResource(customer, observed);
  const replaces = foreignRow === undefined ? customer.status?.replacesBudget : budgetRowId(foreignRow);
  if (replaces === undefined && !mustWrite(run, customer, observed, comparison)) {
    await current.ensureFinalizer();
    return outcomes.upToDate(current.latest, appliedInput(run, comparison, observed), action);
  }

  const { supported, applied, drift, specChanged } = comparison;
  const input = {
    ...{ customerId: customer.spec.customerId, desired: supported.fields, applied, observed, replaces },
    fresh: isUntouched(run),
  };
  const fields = [...fieldsOf(supported.fields), ...run.inheritance.fields];
  await announce(run, { fields, replaces, copies: strategy.copiedBudget(input) });
  const steps = strategy.plan(input);
  dependencies.finalizer.beforeExternalWrite(current.latest);
  const adopting = ownership.state !== 'owned';
  await execute(client, adopting ? steps.filter(hasEffect) : steps, { signal });
  const after = await observeAfterWrite(client, customer, signal);
  if (!adopting && !specChanged) dependencies.metrics.drift.inc();
  return conclude(run, { after, supported, applied, action: action ?? outcomes.updatedAction(drift, specChanged) });
}

/** Deletes the budget row that remains from an attempt to create a record in place of one that belongs to others. */
async function cleanUpCreation({ dependencies, current, client, strategy, signal, ...run }: Sync): Promise<void> {
  if (!run.lostCreation && run.ownership.state !== 'pending') return;
  dependencies.finalizer.beforeExternalWrite(current.latest);
  await execute(client, strategy.cleanupSteps(), { signal });
}

function compare(run: Sync, customer: GatewayCustomer, observed: ObservedCustomer): Comparison {
  const { strategy, desired, ownership, inheritance } = run;
  const applied = new Set([...(isUntouched(run) ? [] : ownership.fields), ...inheritance.fields]);
  const supported = strategy.supportedFields(desired, applied, observed);
  return {
    ...{ supported, applied },
    drift: driftOf(supported.fields, applied, strategy.observedValues(observed, supported.fields), observed.reported),
    specChanged: ownership.state === 'owned' && customer.status?.specHash !== run.specHash,
  };
}

/** Whether this resource has set no field of the record. Announced fields do not count. */
function isUntouched({ ownership, lostCreation }: Sync): boolean {
  return ownership.state === 'none' || (ownership.state === 'pending' && lostCreation);
}

function mustWrite(
  { ownership, strategy, syncRequest }: Sync,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
  { drift, specChanged }: Comparison,
): boolean {
  // If a budget row was created before a crash, only the link to it is known.
  const leftover =
    ownership.state === 'pending' && strategy !== customerFieldsStrategy && !isLinked(customer, observed);
  if (leftover || specChanged || drift.differs.length > 0) return true;
  const unapplied = unappliedFields(drift);
  if (unapplied.length === 0) return false;
  // A field that the gateway does not store or clear is sent until the status reports it, and again on a sync request.
  const reported = customer.status?.unappliedFields ?? [];
  const known = unapplied.length === reported.length && unapplied.every((field) => reported.includes(field));
  return !known || syncRequest !== undefined;
}

/** Evaluates a write by a new observation of the record: a 200 alone does not prove success. */
function conclude(
  run: Sync,
  written: { after: ObservedCustomer; supported: SupportedFields; applied: ReadonlySet<Field>; action: SyncAction },
): SyncOutcome {
  const { strategy, dependencies, current } = run;
  const { after, supported, applied, action } = written;
  const drift = driftOf(supported.fields, applied, strategy.observedValues(after, supported.fields), after.reported);
  const input = appliedInput(run, { supported, drift }, after);
  const customer = current.latest;
  if (drift.differs.length > 0) return outcomes.notConverged(customer, input);
  if (customer.status?.specHash === undefined) {
    const age = dependencies.now().getTime() - Date.parse(customer.metadata.creationTimestamp);
    dependencies.metrics.firstSync.observe(Math.max(0, age) / 1000);
  }
  return outcomes.written(customer, input, action);
}

function appliedInput(
  { dependencies, connection, specHash: hash, syncRequest, desired }: Sync,
  { supported, drift }: Pick<Comparison, 'supported' | 'drift'>,
  observed: ObservedCustomer,
): outcomes.AppliedInput {
  return {
    dependencies,
    connection,
    specHash: hash,
    budgetId: desired.budgetId,
    syncRequest,
    supported,
    drift,
    observed,
  };
}

/** The effects of a write, which the status or the create mark records before the write. */
interface Announcement {
  readonly fields: readonly Field[];
  /** See {@link PlanInput.replaces}. */
  readonly replaces?: string | undefined;
  /** See {@link Strategy.copies}. */
  readonly copies?: string | undefined;
}

/**
 * Records the fields before they are set, unless they are recorded already, so that they can still be cleared after a
 * crash. For a new resource, writes them as a create mark in one patch with its finalizer.
 */
async function announce({ current, ownership }: Sync, { fields, replaces, copies }: Announcement): Promise<void> {
  const { uid } = current.latest.metadata;
  const marks = ownership.state === 'none' && !ownership.announcedInStatus;
  await current.ensureFinalizer(marks ? { [annotations.createPending]: markText({ uid, fields }) } : {});
  const known = ownershipOf(current.latest).fields;
  const inStatus = !ownership.announcedInStatus || current.latest.status?.appliedFields !== undefined;
  const recorded = inStatus && fields.every((field) => known.has(field));
  await current.updateStatus({
    ...(recorded ? {} : { appliedFields: [...new Set([...known, ...fields])] }),
    // Once the record is linked to this resource's own row, the operator can no longer find the row of the other
    // resource.
    ...(replaces === undefined ? {} : { replacesBudget: replaces }),
    ...(copies === undefined ? {} : { copiedBudget: copies }),
  });
}

/** An update that names only the customer changes nothing. */
function hasEffect(step: Step): boolean {
  return step.do !== 'customerUpdate' || Object.keys(step.body).length > 1;
}
