/**
 * Syncs the gateway's record of one customer with its spec: observes it, and then creates or updates it if required.
 */
import type { UsableBudget } from '../budget/budget.ts';
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type { Field, GatewayError, ObservedCustomer, Step, SupportedFields } from '../gateway/gateway.ts';
import { budgetRowId, execute, fieldsOf, isGatewayError } from '../gateway/gateway.ts';
import { pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { desiredFields, specHash } from './desired.ts';
import { driftOf } from './drift.ts';
import type { Run, SyncAction } from '../external/external.ts';
import { type Comparison, examine, isUntouched, ownerOfRecord, type Sync } from './examination.ts';
import { listedRecord } from './listedRecord.ts';
import { mayCreateFirst, observeAfterWrite, observeFirst, observeRecord } from './observation.ts';
import { reportsOnlyUse, type SyncOutcome } from './status.ts';
import { strategyFor } from './strategy.ts';
import { inheritanceOf } from './succession.ts';
import * as outcomes from './syncOutcomes.ts';

/**
 * Observes first, unless {@link mayCreateFirst}. Writes the finalizer and the owner mark only before a change or an adoption.
 * @throws GatewayError from the call that failed; ApiError 404 or DeletedFirstError when the resource is deleted;
 *   nothing has been written then; PendingError if the customer is in sync and its record is being listed
 */
export async function sync(
  dependencies: Dependencies,
  current: Run<GatewayCustomer, Field>,
  connection: GatewayConnection,
  { tier, signal }: { readonly tier: UsableBudget | undefined; readonly signal: AbortSignal },
): Promise<SyncOutcome> {
  const customer = current.latest;
  const address = dependencies.identity.addressOfConnection(connection);
  const claim = current.claimAt(connection);
  const given = { current, customer, connection, address, claim, tier, signal };
  const begin = (): Promise<Sync> => beginSync(dependencies, given);
  const listed = await listedRecord(dependencies, customer, connection);
  const confirmed = listed === undefined ? undefined : confirm(await begin(), customer, listed);
  if (confirmed !== undefined) return confirmed;

  const client = dependencies.clients.for(connection);
  const policy = dependencies.claims.adoptionPolicy(customer);
  const createsFirst = mayCreateFirst(customer, { client, claim, policy });
  const observed = createsFirst ? undefined : await observeFirst(client, customer, { policy, signal });
  const run = await begin();
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

async function beginSync(
  dependencies: Dependencies,
  {
    customer,
    tier,
    ...given
  }: Pick<Sync, 'current' | 'connection' | 'address' | 'claim' | 'signal'> & {
    readonly customer: GatewayCustomer;
    readonly tier: UsableBudget | undefined;
  },
): Promise<Sync> {
  const { connection, claim } = given;
  const desired = desiredFields(customer.spec, tier?.budgetId);
  return {
    ...{ ...given, dependencies, desired },
    client: dependencies.clients.for(connection),
    strategy: await strategyFor(dependencies, customer, connection),
    specHash: specHash(desired, tier?.lastChange),
    inheritance: inheritanceOf(claim),
    syncRequest: pendingSyncRequest(customer),
    lostCreation: false,
  };
}

async function createRecord(run: Sync, customer: GatewayCustomer): Promise<SyncOutcome> {
  const { dependencies, current, strategy, desired, client, signal } = run;
  const { fields: applied, state, mayHaveWritten, restoredFrom } = run.claim.ownership;
  const supported = strategy.supportedFields(desired, applied, undefined);
  await announce(run, { fields: fieldsOf(supported.fields) });
  const steps = strategy.plan({
    customerId: customer.spec.customerId,
    desired: supported.fields,
    applied,
    observed: undefined,
    fresh: state === 'none' && !mayHaveWritten,
    replaces: run.inheritance.replaces ?? (restoredFrom === undefined ? undefined : budgetRowId(restoredFrom)),
  });
  dependencies.finalizer.beforeExternalWrite(current.latest);
  await execute(client, steps, { signal });
  if (state === 'owned') dependencies.metrics.drift.inc();
  const after = await observeAfterWrite(client, customer, signal);
  return conclude(run, { after, supported, applied, action: outcomes.createdAction(state === 'owned') });
}

/**
 * The outcome of a sync that has nothing to do according to a record that may be outdated; undefined if the record must be
 * looked up.
 */
function confirm(run: Sync, customer: GatewayCustomer, listed: ObservedCustomer): SyncOutcome | undefined {
  // A record that may belong to others is never up to date, or its adoption is an action.
  const { comparison, action, isUpToDate } = examine(run, customer, listed);
  const { finalizer } = run.dependencies;
  const isRecorded = finalizer.isSet(customer) && ownerMark(run, customer, []) === undefined;
  if (!isUpToDate || action !== undefined || !isRecorded) return undefined;
  const outcome = outcomes.upToDate(customer, appliedInput(run, comparison, listed), action);
  return reportsOnlyUse(customer, run.current.nextStatus(outcome)) ? outcome : undefined;
}

async function updateRecord(run: Sync, customer: GatewayCustomer, observed: ObservedCustomer): Promise<SyncOutcome> {
  const { dependencies, current, strategy, client, signal } = run;
  const { ownership } = run.claim;
  const owner = ownerOfRecord(run, customer, observed);
  if (owner !== 'thisResource') {
    await cleanUpCreation(run);
    return owner === 'refused'
      ? outcomes.refused(run, customer, observed)
      : outcomes.linkedToAnother(run, customer, observed);
  }

  const { comparison, action, replaces, isUpToDate } = examine(run, customer, observed);
  if (isUpToDate) {
    await ensureMarked(run, []);
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
  const correcting = !adopting && !specChanged;
  if (correcting) dependencies.metrics.drift.inc();
  const update = action ?? outcomes.updatedAction(drift, specChanged);
  const outcome = conclude(run, { after, supported, applied, action: update });
  return correcting && drift.differs.length > 0 ? { ...outcome, corrected: drift.differs } : outcome;
}

/** Deletes the budget row that remains from an attempt to create a record in place of one that belongs to others. */
async function cleanUpCreation({ dependencies, current, client, strategy, signal, ...run }: Sync): Promise<void> {
  const { lostCreation } = run;
  const { ownership } = run.claim;
  if (!lostCreation && ownership.state !== 'pending') return;
  // The mark announced a creation that did not happen.
  if (ownership.restoredFrom === undefined) await current.ensureFinalizer({ [annotations.ownerMark]: null });
  dependencies.finalizer.beforeExternalWrite(current.latest);
  await execute(client, strategy.cleanupSteps(), { signal });
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
  { dependencies, connection, address, specHash: hash, syncRequest, desired }: Sync,
  { supported, drift }: Pick<Comparison, 'supported' | 'drift'>,
  observed: ObservedCustomer,
): outcomes.AppliedInput {
  return {
    dependencies,
    connection,
    address,
    specHash: hash,
    budgetId: desired.budgetId,
    syncRequest,
    supported,
    drift,
    observed,
  };
}

/** The effects of a write, which the status or the owner mark records before the write. */
interface Announcement {
  readonly fields: readonly Field[];
  /** See {@link PlanInput.replaces}. */
  readonly replaces?: string | undefined;
  /** See {@link Strategy.copies}. */
  readonly copies?: string | undefined;
}

/**
 * Records the fields before they are set, unless they are recorded already, so that they can still be cleared after a
 * crash. For a resource whose status does not record its record yet, writes them as a mark in one patch with its finalizer.
 */
async function announce(run: Sync, { fields, replaces, copies }: Announcement): Promise<void> {
  const { current } = run;
  const { ownership } = run.claim;
  await ensureMarked(run, fields);
  const announced = current.latest.status?.appliedFields;
  const isInStatus = !ownership.announcedInStatus || announced !== undefined;
  const isRecorded = isInStatus && fields.every((field) => ownership.fields.has(field));
  await current.updateStatus({
    ...(isAnnouncedByMark(run) || isRecorded ? {} : { appliedFields: [...new Set([...ownership.fields, ...fields])] }),
    // Once the record is linked to this resource's own row, the operator can no longer find the row of the other
    // resource.
    ...(replaces === undefined ? {} : { replacesBudget: replaces }),
    ...(copies === undefined ? {} : { copiedBudget: copies }),
  });
}

/** Sets the finalizer and a valid mark, in at most one patch. */
async function ensureMarked(run: Sync, fields: readonly Field[]): Promise<void> {
  const mark = ownerMark(run, run.current.latest, fields);
  await run.current.ensureFinalizer(mark === undefined ? {} : { [annotations.ownerMark]: mark });
}

/** Whether the mark announces the fields, not the status. */
function isAnnouncedByMark({ claim: { ownership } }: Sync): boolean {
  return ownership.state !== 'owned' && !ownership.announcedInStatus;
}

/** The mark that a customer needs; undefined if it has it. @param fields those that are about to be set */
function ownerMark(run: Sync, customer: GatewayCustomer, fields: readonly Field[]): string | undefined {
  const { dependencies, address } = run;
  const { ownership } = run.claim;
  const { uid } = customer.metadata;
  const all = [...new Set([...ownership.fields, ...fields])];
  const { mark } = ownership;
  const isAnnounced = !isAnnouncedByMark(run) || all.every((field) => mark?.fields.includes(field) === true);
  if (mark?.uid === uid && isAnnounced) return undefined;
  const signedAt = dependencies.now().toISOString();
  return dependencies.identity.sign(dependencies.claims.markSubject(customer), address, { uid, fields: all, signedAt });
}

/** An update that names only the customer changes nothing. */
function hasEffect(step: Step): boolean {
  return step.do !== 'customerUpdate' || Object.keys(step.body).length > 1;
}
