/** Deletes everything that belongs to one customer resource at the gateway and at the guardrail. */
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { namespaceIsBeingDeleted } from '../cluster/cluster.ts';
import type { Access, Ownership, RecordDeletion } from '../external/external.ts';
import {
  budgetRowId,
  type CustomerRow,
  execute,
  type Field,
  isGatewayError,
  resourceOfRow,
  type Step,
  type Strategy,
} from '../gateway/gateway.ts';
import { callGuardrail, type GuardrailEndpoint, NoGuardrailError } from '../guardrail/guardrail.ts';
import { isForbidden, type ObjectKey } from '../runtime/runtime.ts';
import { wouldBeLinked } from './comparison.ts';
import type { Dependencies } from './dependencies.ts';
import { strategyFor } from './record.ts';

/**
 * Deletes the record, the budget row and the sessions of a customer.
 * @returns whether the gateway no longer has a record of this resource
 * @throws GatewayError, ErasureError
 */
export async function deleteRecord(
  dependencies: Dependencies,
  { resource: customer, connection, client, signal, claim, policy }: Access<GatewayCustomer, Field>,
  deletion: RecordDeletion,
): Promise<boolean> {
  const { customerId } = customer.spec;
  const { ownership } = claim;
  const row = await client.customerInfo(customerId, { signal, priority: 'urgent' });
  const strategy = await strategyFor(dependencies, customer, connection);
  const replaced = replacedRows(customer, ownership);
  const isDeleted =
    deletion !== 'none' &&
    (row === undefined || isOwn(customer, row, { strategy, deletion, ownership, policy, replaced }));
  if (isDeleted && row !== undefined) {
    await client.customerDelete(customerId, { signal, priority: 'urgent' }).catch((error: unknown) => {
      if (!isGatewayError(error, 'notFound')) throw error;
    });
  }
  const replacedSteps: Step[] = isDeleted ? replaced.map((id) => ({ do: 'budgetDelete', id })) : [];
  await execute(client, [...strategy.cleanupSteps(), ...replacedSteps], { signal });
  if (isDeleted) await eraseAtGuardrail(dependencies, customer, connection.instance, signal);
  return isDeleted;
}

/** The budget rows of earlier owners that belong to this resource now. */
function replacedRows({ status }: GatewayCustomer, { restoredFrom, isElsewhere }: Ownership): readonly string[] {
  const replaced = isElsewhere ? undefined : status?.replacesBudget;
  return [replaced ?? [], restoredFrom === undefined ? [] : budgetRowId(restoredFrom)].flat();
}

/** What {@link isOwn} decides by. */
interface DeletionInput {
  readonly strategy: Strategy;
  readonly deletion: Exclude<RecordDeletion, 'none'>;
  readonly ownership: Ownership<Field>;
  readonly policy: 'Adopt' | 'Refuse';
  readonly replaced: readonly string[];
}

/**
 * Whether a record may be deleted with a resource. A record that is linked to another resource's budget row may not. If
 * only a link can prove the origin of the record, it must have one.
 */
function isOwn(
  customer: GatewayCustomer,
  row: CustomerRow,
  { strategy, deletion, ownership, policy, replaced }: DeletionInput,
): boolean {
  const linked = row.budget_id ?? undefined;
  if (linked === budgetRowId(customer.metadata.uid)) return true;
  if (linked !== undefined && resourceOfRow(linked) !== undefined) return replaced.includes(linked);
  if (deletion === 'ifLinked' || ownership.state === 'none') return false;
  const isUncertain = ownership.state === 'pending' && ownership.restoredFrom === undefined && policy === 'Refuse';
  return !(isUncertain && wouldBeLinked(strategy, ownership));
}

async function eraseAtGuardrail(
  dependencies: Dependencies,
  customer: GatewayCustomer,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const instance = dependencies.instances.get(key);
  if (instance === undefined) return;
  const { events } = dependencies;
  try {
    const endpoints = await endpointsOf(dependencies, instance);
    if (endpoints.length === 0) return;
    await eraseSessions(endpoints, customer.spec.customerId, signal);
  } catch (error) {
    if (!(error instanceof ErasureError) || !isGuardrailGivenUp(instance)) throw error;
    events.record(customer, {
      type: 'Warning',
      reason: 'SessionsNotErased',
      message: `${error.message} GatewayInstance ${key.name} is being deleted, and its spec no longer has a guardrail, so the deletion of this customer does not wait. In a shared store, the sessions remain until they expire.`,
      action: 'Delete',
    });
    return;
  }
  events.record(customer, {
    type: 'Normal',
    reason: 'SessionsErased',
    message: 'The sessions of this customer were erased at the guardrail.',
    action: 'Delete',
  });
}

/** Whether nobody will start the guardrail of an instance again. The instance waits for its customers, so they must not wait. */
function isGuardrailGivenUp({ metadata, spec }: GatewayInstance): boolean {
  return metadata.deletionTimestamp !== undefined && spec.guardrail === undefined;
}

/** @throws ErasureError if the guardrail of an instance cannot be found */
async function endpointsOf(
  { guardrails, client }: Dependencies,
  instance: GatewayInstance,
): Promise<readonly GuardrailEndpoint[]> {
  return await guardrails(instance).catch(async (error: unknown) => {
    // The operator loses its permissions in a namespace before the namespace's guardrail is deleted.
    if (isForbidden(error) && (await namespaceIsBeingDeleted(client, instance.metadata.namespace))) return [];
    const known = error instanceof NoGuardrailError;
    const message = known ? error.message : "The address of the instance's guardrail is unknown.";
    throw new ErasureError(message, { cause: error });
  });
}

/** An erasure failed. The message contains no value of the customer. */
export class ErasureError extends Error {
  override readonly name = 'ErasureError';
}

const timeoutMs = 10_000;

/**
 * Erases every session of an end user at every endpoint. Idempotent.
 * @throws ErasureError unless every endpoint has confirmed.
 */
export async function eraseSessions(
  endpoints: readonly GuardrailEndpoint[],
  endUserId: string,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => eraseAt(endpoint, endUserId, signal)));
}

async function eraseAt(endpoint: GuardrailEndpoint, endUserId: string, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { tenant } = endpoint;
  const body = { end_user_id: endUserId, ...(tenant === undefined ? {} : { tenant }) };
  const answer = await callGuardrail(endpoint, {
    method: 'POST',
    path: '/subjects/erase',
    body,
    signal: deadline,
  }).catch(() => undefined);
  const status = answer?.status;
  if (status !== undefined && status >= 200 && status <= 299) return;
  throw new ErasureError(
    status === undefined
      ? 'The sessions of this customer cannot be erased: a guardrail pod is unreachable.'
      : `The sessions of this customer cannot be erased: a guardrail pod returned ${status}.`,
  );
}
