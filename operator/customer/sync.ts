/** Brings one customer's record at the gateway to what its spec asks for: observe, then create, update or nothing. */
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type {
  Field,
  Fields,
  GatewayClient,
  LimitValues,
  ObservedCustomer,
  Step,
  Strategy,
  SupportedFields,
} from '../gateway/gateway.ts';
import {
  budgetRowId,
  budgetRowStrategy,
  execute,
  fieldsOf,
  GatewayError,
  isGatewayError,
  isLimit,
  limitNames,
  limitsOf,
  observe,
  customerFieldsStrategy,
  resourceOfRow,
  unenforced,
} from '../gateway/gateway.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import { gatewayDigest, isOutranked, ownerOfRow } from './claimants.ts';
import { adoptionPolicyOf, announcesInStatus, appliedFields, claimOf, createMark, markText } from './ownership.ts';
import { desiredFields, specHash } from './desired.ts';
import type { Drift } from './drift.ts';
import { appliedAfter, driftOf } from './drift.ts';
import { inheritanceOf, type Inheritance, isTakingOver } from './succession.ts';
import type { Dependencies } from './dependencies.ts';
import type { SyncAction } from './events.ts';
import type { AppliedState, SyncOutcome } from './status.ts';
import { conditionOf, saysOfFields } from './status.ts';

/** The message of `Synced=True`, whatever its reason: it must not change from one reconcile to the next. */
const agrees = 'The record at the gateway agrees with the spec.';

/** How a sync ended, and the resource as it is after the writes on the way. */
export interface Synced {
  readonly customer: GatewayCustomer;
  readonly outcome: SyncOutcome & { readonly deed?: SyncAction | undefined };
}

interface Work {
  readonly parts: Dependencies;
  readonly client: GatewayClient;
  readonly strategy: Strategy;
  readonly signal: AbortSignal;
  readonly desired: ReturnType<typeof desiredFields>;
  readonly hash: string;
  /** Nothing was ever begun for this resource, so that what the gateway has was made by others. */
  readonly fresh: boolean;
  /** What this resource takes up from others. */
  readonly inheritance: Inheritance;
  readonly connection: GatewayConnection;
  /** The record was made by others while this sync was creating it. */
  readonly lost: boolean;
}

/** The deletion of the resource came before the finalizer: nothing was begun at the gateway, and nothing may be. */
export class DeletedFirstError extends Error {
  override readonly name = 'DeletedFirstError';
}

/** The annotation's token, if it has not been acted on yet. */
export function pendingSyncRequest(customer: GatewayCustomer): string | undefined {
  const token = customer.metadata.annotations?.[annotations.syncRequested];
  return token === customer.status?.lastHandledSyncRequest ? undefined : token;
}

/**
 * Looks first. The finalizer and the mark are put on when something is going to be changed or taken over.
 * @throws GatewayError from the call that failed; ApiError 404 or DeletedFirstError when the resource goes, with nothing done
 */
export async function sync(
  parts: Dependencies,
  customer: GatewayCustomer,
  connection: GatewayConnection,
  signal: AbortSignal,
): Promise<Synced> {
  const client = parts.clients.for(connection);
  const priority = isRoutine(customer) ? 'routine' : 'urgent';
  const observed = await look(client, customer, { signal, priority }).catch((error: unknown) => {
    if (!mayTryToCreate(customer, error)) throw error;
    return undefined;
  });
  const strategy = await strategyFor(parts, customer, connection);
  const desired = desiredFields(customer.spec);
  const fresh = claimOf(customer) === 'none' && createMark(customer) === undefined;
  const hash = specHash(desired);
  const inheritance = inheritanceOf(parts, customer);
  const work: Work = {
    ...{ parts, client, strategy, signal, desired, hash, connection, fresh, inheritance },
    lost: false,
  };
  if (observed !== undefined) return await keep(work, customer, observed);
  try {
    return await create(work, customer);
  } catch (error) {
    if (!isGatewayError(error, 'alreadyExists')) throw error;
    // Made by somebody else in this moment, most likely by a paid call. Looked at, not tried again.
    const made = await look(client, customer, { signal });
    if (made === undefined) throw error;
    return await keep({ ...work, lost: true }, customer, made);
  }
}

/** Whether nothing is known to have changed since the customer was last in sync. */
export function isRoutine(customer: GatewayCustomer): boolean {
  const { status, metadata } = customer;
  const settled = status?.synced === true && status.observedGeneration === metadata.generation;
  return settled && pendingSyncRequest(customer) === undefined;
}

/** The strategy that this gateway takes, found out by asking it. */
export async function strategyFor(
  parts: Dependencies,
  customer: GatewayCustomer,
  connection: GatewayConnection,
): Promise<Strategy> {
  if (!(await parts.clients.hasBudgetApi(connection))) return customerFieldsStrategy;
  return budgetRowStrategy(budgetRowId(customer.metadata.uid), await defaultLimits(parts, connection));
}

/** What a customer gets that has limits of its own but no budget among them: the instance's default. */
async function defaultLimits(parts: Dependencies, connection: GatewayConnection): Promise<Partial<LimitValues>> {
  const budget = parts.instances.get(connection.instance)?.spec.defaultCustomerBudget;
  if (budget?.maxBudget !== undefined) {
    const { maxBudget, budgetDuration } = budget;
    return { maxBudget, ...(budgetDuration === undefined ? {} : { budgetDuration }) };
  }
  if (budget?.budgetId === undefined) return {};
  const row = await parts.clients.tier(connection, budget.budgetId);
  return {
    ...(typeof row?.max_budget === 'number' ? { maxBudget: row.max_budget } : {}),
    ...(typeof row?.budget_duration === 'string' ? { budgetDuration: row.budget_duration } : {}),
  };
}

async function create(work: Work, customer: GatewayCustomer): Promise<Synced> {
  const { parts, strategy, desired, client, signal } = work;
  const missed = claimOf(customer) === 'recorded';
  const applied = appliedFields(customer);
  const wanted = strategy.supportedFields(desired, applied, undefined);
  const announced = await announce(parts, customer, { fields: fieldsOf(wanted.fields) });
  const steps = strategy.plan({
    customerId: customer.spec.customerId,
    wanted: wanted.fields,
    applied,
    observed: undefined,
    fresh: work.fresh,
    replaces: customer.status?.replacesBudget,
  });
  parts.finalizer.beforeExternalWrite(announced);
  await execute(client, steps, { signal });
  if (missed) parts.metrics.drift.inc();
  const after = await lookAfterWriting(client, customer, signal);
  return conclude(work, announced, { after, wanted, applied, deed: missed ? createdAgain : created });
}

async function keep(work: Work, customer: GatewayCustomer, observed: ObservedCustomer): Promise<Synced> {
  const { parts, strategy, desired, client, signal, hash, inheritance } = work;
  const claim = claimOf(customer);
  const adopting = claim !== 'recorded';
  const made = claim === 'pending' && !work.lost && !wouldBeLinked(work, customer);
  const foreign = linkedResource(customer, observed);
  if (foreign !== undefined && !mayReplace(work, customer, foreign)) {
    return { customer, outcome: linkedToAnother(parts, customer, foreign) };
  }
  const ours = claim === 'recorded' || made || isLinked(customer, observed) || inheritance.record;
  if (adoptionPolicyOf(customer) === 'Refuse' && !ours) {
    // What was begun to create the record is of no use to anybody.
    if (work.lost || claim === 'pending') {
      parts.finalizer.beforeExternalWrite(customer);
      await execute(client, strategy.cleanupSteps(), { signal });
    }
    return { customer, outcome: refused };
  }

  // What a resource has only announced, it has not applied yet.
  const untouched = claim === 'none' || (adopting && work.lost);
  const applied = new Set([...(untouched ? [] : appliedFields(customer)), ...inheritance.fields]);
  const replaces = foreign === undefined ? customer.status?.replacesBudget : budgetRowId(foreign);
  const wanted = strategy.supportedFields(desired, applied, observed);
  const drift = driftOf(wanted.fields, applied, strategy.observedValues(observed, wanted.fields), observed.reported);
  const specChanged = !adopting && customer.status?.specHash !== hash;
  const deed = deedOf(customer, adopting, isLinked(customer, observed));
  const state = appliedState(work, customer, wanted, drift, observed);
  // Of a row that was made before a crash, only what is linked to it tells.
  const leftover = claim === 'pending' && strategy !== customerFieldsStrategy && !isLinked(customer, observed);
  if (!leftover && replaces === undefined && !mustWrite(customer, state, specChanged)) {
    return upToDate(await hold(parts, customer), observed, state, deed);
  }

  const input = {
    ...{ customerId: customer.spec.customerId, wanted: wanted.fields, applied, observed, replaces },
    fresh: untouched,
  };
  const fields = [...fieldsOf(wanted.fields), ...inheritance.fields];
  const announced = await announce(parts, customer, { fields, replaces, copies: strategy.copiedBudget(input) });
  const steps = strategy.plan(input);
  parts.finalizer.beforeExternalWrite(announced);
  await execute(client, adopting ? steps.filter(saysAnything) : steps, { signal });
  const after = await lookAfterWriting(client, customer, signal);
  if (!adopting && !specChanged) parts.metrics.drift.inc();
  return conclude(work, announced, { after, wanted, applied, deed: deed ?? changed(drift, specChanged) });
}

function deedOf(customer: GatewayCustomer, adopting: boolean, linked: boolean): SyncAction | undefined {
  if (isTakingOver(customer)) return tookOver;
  if (!adopting) return undefined;
  return linked ? created : adopted;
}

const created: SyncAction = { reason: 'Created', message: 'The customer was created at the gateway.' };

const createdAgain: SyncAction = {
  reason: 'Created',
  message: 'The customer was missing at the gateway and was created again.',
};

const adopted: SyncAction = {
  reason: 'Adopted',
  message: 'The gateway had a customer of this id already: it was taken over.',
};

const tookOver: SyncAction = {
  reason: 'Adopted',
  message: 'This resource took the record of another one over, with what was spent.',
};

function changed(drift: Drift, specChanged: boolean): SyncAction {
  const amiss = [...drift.differs, ...drift.uncleared, ...drift.unheld].join(', ');
  if (!specChanged) {
    return { reason: 'DriftCorrected', message: `Found different at the gateway, and put right: ${amiss}.` };
  }
  const message = amiss === '' ? 'The changed spec was sent to the gateway.' : `Changed at the gateway: ${amiss}.`;
  return { reason: 'Updated', message };
}

const refused: SyncOutcome = {
  synced: false,
  reason: 'AlreadyExists',
  message:
    "The gateway has a customer of this id already, and spec.adoptionPolicy is Refuse, the default outside the instance's namespace: delete it there, or set adoptionPolicy to Adopt.",
};

/** The other resource whose own budget row the record is linked to. */
function linkedResource({ metadata }: GatewayCustomer, { budgetId }: ObservedCustomer): string | undefined {
  const uid = resourceOfRow(budgetId);
  return uid === metadata.uid ? undefined : uid;
}

/**
 * Whether a record that is linked to another resource's budget row may be taken over. From a resource that has precedence
 * below this one, or has handed it over, it may. From one that this cluster does not have, as after the loss of a cluster,
 * it may in the namespace of the instance alone, and not where this resource already had the record: then, somebody else
 * is using it.
 */
function mayReplace({ parts, inheritance, connection }: Work, customer: GatewayCustomer, uid: string): boolean {
  if (inheritance.rows.includes(budgetRowId(uid))) return true;
  const owner = ownerOfRow(parts, uid);
  if (owner !== undefined) return isOutranked(parts, customer, owner);
  return claimOf(customer) !== 'recorded' && customer.metadata.namespace === connection.instance.namespace;
}

function linkedToAnother(parts: Dependencies, { metadata }: GatewayCustomer, uid: string): SyncOutcome {
  const owner = ownerOfRow(parts, uid);
  const message =
    owner?.metadata.namespace === metadata.namespace
      ? `The record at the gateway belongs to GatewayCustomer ${metadata.namespace}/${owner.metadata.name}: delete one of the two.`
      : 'The record at the gateway belongs to another GatewayCustomer: create this one with another customerId, or ask the admin of the gateway to delete that record.';
  return { synced: false, reason: 'Conflict', message };
}

function mustWrite(customer: GatewayCustomer, state: AppliedState, specChanged: boolean): boolean {
  const { drift } = state;
  if (specChanged || drift.differs.length > 0) return true;
  if (drift.unheld.length === 0 && drift.uncleared.length === 0) return false;
  // A field that the gateway cannot hold or clear is tried until the status reports it, and again on a sync request.
  return !saysOfFields(customer, state) || pendingSyncRequest(customer) !== undefined;
}

function upToDate(
  customer: GatewayCustomer,
  observed: ObservedCustomer,
  applied: AppliedState,
  deed: SyncAction | undefined,
): Synced {
  const before = conditionOf(customer, 'Synced');
  // A condition that holds goes on saying how it came to hold.
  const kept = before?.status === 'True' ? (before.reason as SyncOutcome['reason']) : 'UpToDate';
  const syncRequest = pendingSyncRequest(customer);
  const reason = deed === undefined ? kept : reasonOf(deed);
  return { customer, outcome: { synced: true, reason, message: agrees, observed, applied, syncRequest, deed } };
}

/** What came of writing: told by what the gateway reports afterwards, not by its having answered 200. */
function conclude(
  work: Work,
  customer: GatewayCustomer,
  written: { after: ObservedCustomer; wanted: SupportedFields; applied: ReadonlySet<Field>; deed: SyncAction },
): Synced {
  const { parts, strategy } = work;
  const { after, wanted, deed } = written;
  const seen = strategy.observedValues(after, wanted.fields);
  const drift = driftOf(wanted.fields, written.applied, seen, after.reported);
  const applied = appliedState(work, customer, wanted, drift, after);
  const syncRequest = pendingSyncRequest(customer);
  if (drift.differs.length > 0) {
    const message = `The gateway took the change, but reports other values for ${drift.differs.join(', ')}: check whether something else sets them, or whether this gateway can hold them.`;
    return {
      customer,
      outcome: { synced: false, reason: 'NotConverged', message, observed: after, applied, syncRequest },
    };
  }
  if (customer.status?.specHash === undefined) {
    const age = parts.now().getTime() - Date.parse(customer.metadata.creationTimestamp);
    parts.metrics.firstSync.observe(Math.max(0, age) / 1000);
  }
  const told = { reason: reasonOf(deed), message: agrees, deed };
  return { customer, outcome: { synced: true, ...told, observed: after, applied, wrote: true, syncRequest } };
}

function reasonOf({ reason }: SyncAction): SyncOutcome['reason'] {
  return reason === 'DriftCorrected' ? 'Updated' : reason;
}

function appliedState(
  { parts, hash, connection }: Work,
  customer: GatewayCustomer,
  { fields, unsupported }: SupportedFields,
  drift: Drift,
  observed: ObservedCustomer,
): AppliedState {
  const notEnforced = unenforced(fields, observed, connection.enforcement).filter(
    ({ field }) => !drift.unheld.includes(field),
  );
  return {
    gateway: gatewayDigest(parts, customer),
    copiedBudget: stillCopied(customer, fields, observed),
    specHash: hash,
    fields: appliedAfter(fields, drift),
    ...{ drift, unsupported, unenforced: notEnforced },
  };
}

/** What is going to be done, as it is written down before. */
interface Announcement {
  readonly fields: readonly Field[];
  /** See {@link PlanInput.replaces}. */
  readonly replaces?: string | undefined;
  /** See {@link Strategy.copiedBudget}. */
  readonly copies?: string | undefined;
}

/**
 * Writes down what is going to be set before it is set, unless it is written down already: after a crash, what was set
 * and is no longer wanted can still be cleared. A new resource gets it with its finalizer, as a mark in the same patch.
 */
async function announce(
  parts: Dependencies,
  customer: GatewayCustomer,
  { fields, replaces, copies }: Announcement,
): Promise<GatewayCustomer> {
  const inStatus = announcesInStatus(customer);
  const { uid } = customer.metadata;
  const marks =
    claimOf(customer) === 'none' && !inStatus ? { [annotations.createPending]: markText({ uid, fields }) } : {};
  const marked = await hold(parts, customer, marks);
  // The row of another resource is not found again once the record is linked to this one's own.
  const noted = replaces !== undefined || copies !== undefined;
  const held = !noted
    ? marked
    : await parts.status.write(marked, {
        ...marked.status,
        ...(replaces === undefined ? {} : { replacesBudget: replaces }),
        ...(copies === undefined ? {} : { copiedBudget: copies }),
      });
  const known = appliedFields(held);
  const said = !inStatus || held.status?.appliedFields !== undefined;
  if (said && fields.every((field) => known.has(field))) return held;
  return await parts.status.write(held, { ...held.status, appliedFields: [...new Set([...known, ...fields])] });
}

/** Puts the finalizer on. @throws DeletedFirstError where the deletion came first, and something else holds the resource */
async function hold(
  { finalizer }: Dependencies,
  customer: GatewayCustomer,
  marks: Readonly<Record<string, string>> = {},
): Promise<GatewayCustomer> {
  const held = await finalizer.add(customer, marks);
  if (!finalizer.isSet(held)) throw new DeletedFirstError('The resource is being deleted.');
  return held;
}

function isLinked(customer: GatewayCustomer, observed: ObservedCustomer): boolean {
  return observed.budgetId === budgetRowId(customer.metadata.uid);
}

/** The budget that limits were copied from, as long as there is one in the customer's own row that the spec does not name. */
function stillCopied(customer: GatewayCustomer, wanted: Fields, observed: ObservedCustomer): string | undefined {
  const named = new Set<string>(Object.keys(limitsOf(wanted)).map((field) => limitNames[field as keyof LimitValues]));
  const unnamed = Object.keys(observed.budget).some((column) => !named.has(column));
  return isLinked(customer, observed) && unnamed ? customer.status?.copiedBudget : undefined;
}

/**
 * Whether the record that this resource announced would be linked to the resource's own budget row: then one that is not
 * was made by somebody else in the moment when we died.
 */
export function wouldBeLinked({ strategy }: { readonly strategy: Strategy }, customer: GatewayCustomer): boolean {
  const fields = appliedFields(customer);
  return strategy !== customerFieldsStrategy && !fields.has('budgetId') && [...fields].some(isLimit);
}

/** An update that names nothing but the customer changes nothing. */
function saysAnything(step: Step): boolean {
  return step.do !== 'customerUpdate' || Object.keys(step.body).length > 1;
}

async function look(
  client: GatewayClient,
  customer: GatewayCustomer,
  options: Parameters<GatewayClient['customerInfo']>[1],
): Promise<ObservedCustomer | undefined> {
  const row = await client.customerInfo(customer.spec.customerId, options);
  return row === undefined ? undefined : observe(row);
}

/**
 * At a gateway whose word for a missing customer is not known yet, creation tells more than the question: it fails where
 * the path leads nowhere, and the record is looked up afterwards. Not where a record of others must not be touched.
 */
function mayTryToCreate(customer: GatewayCustomer, error: unknown): boolean {
  return isGatewayError(error, 'unconfirmed') && adoptionPolicyOf(customer) !== 'Refuse';
}

async function lookAfterWriting(
  client: GatewayClient,
  customer: GatewayCustomer,
  signal: AbortSignal,
): Promise<ObservedCustomer> {
  const after = await look(client, customer, { signal });
  if (after !== undefined) return after;
  throw new GatewayError(
    'transient',
    'GET /customer/info',
    'The gateway took the customer, but then knew nothing of it: it may be behind, or somebody deleted it.',
  );
}
