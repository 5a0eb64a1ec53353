/** Finalizes a deleted instance: releases the gateway's Deployment, and deletes the default budget at the gateway. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { annotations, FINALIZER } from '../api/v1alpha1/v1alpha1.ts';
import { ownsOrCreates } from '../budget/budget.ts';
import { isRejection, namespaceIsBeingDeleted } from '../cluster/cluster.ts';
import type { Result } from '../runtime/runtime.ts';
import { isForbidden, keyText } from '../runtime/runtime.ts';
import { deleteRow } from './defaultBudget.ts';
import type { Dependencies } from './dependencies.ts';
import { releaseAllWorkloads } from './release.ts';
import { customerCounts, reportReady } from './report.ts';

const RETRY_MS = 5_000;

/** Finalizes a deleted instance, and then removes its finalizer. */
export async function finalize(
  dependencies: Dependencies,
  instance: GatewayInstance,
  signal: AbortSignal,
): Promise<Result> {
  const { finalizer } = dependencies;
  if (!finalizer.isSet(instance)) return {};
  const forced = instance.metadata.annotations?.[annotations.forceDelete] === 'true';
  const { total } = customerCounts(dependencies, instance);
  const remaining = forced ? undefined : remainingOf(dependencies, instance, total);
  if (remaining !== undefined) {
    await reportReady(dependencies, instance, { status: 'False', ...remaining });
    return {};
  }
  if (forced) recordForceDeletion(dependencies, instance, total);
  finalizer.beforeExternalWrite(instance);
  const failure = await cleanUp(dependencies, instance, signal);
  if (failure !== undefined && !forced) {
    const message = `${failure} To delete the instance anyway, set annotation ${annotations.forceDelete} to "true".`;
    await reportReady(dependencies, instance, { status: 'False', reason: 'Deleting', message });
    return { requeueAfter: RETRY_MS };
  }
  await finalizer.remove(instance);
  return {};
}

interface Remaining {
  readonly reason: 'CustomersRemain' | 'BudgetsRemain' | 'KeysRemain';
  readonly message: string;
}

/** The resources whose records at the gateway only the instance can delete. undefined: there are none. */
function remainingOf(
  { budgetsByInstance, keysByInstance }: Dependencies,
  { metadata }: GatewayInstance,
  customers: number,
): Remaining | undefined {
  if (customers > 0) return { reason: 'CustomersRemain', message: customersRemain(customers) };
  const budgets = budgetsByInstance.get(keyText(metadata)).filter(ownsOrCreates).length;
  if (budgets > 0) return { reason: 'BudgetsRemain', message: budgetsRemain(budgets) };
  const keys = keysByInstance
    .get(keyText(metadata))
    .filter((key) => key.metadata.finalizers?.includes(FINALIZER)).length;
  return keys > 0 ? { reason: 'KeysRemain', message: keysRemain(keys) } : undefined;
}

function customersRemain(total: number): string {
  return (
    `${total} GatewayCustomer${total === 1 ? ' refers' : 's refer'} to this instance, and the deletion of their records requires its master key. ` +
    `Delete them first, or set annotation ${annotations.forceDelete} to "true" to leave their records at the gateway.`
  );
}

function budgetsRemain(total: number): string {
  return (
    `${total} GatewayBudget${total === 1 ? ' belongs' : 's belong'} to this instance, and their deletion at the gateway requires its master key. ` +
    `Delete them first, or set annotation ${annotations.forceDelete} to "true" to leave them at the gateway.`
  );
}

function keysRemain(total: number): string {
  return (
    `${total} GatewayKey${total === 1 ? ' belongs' : 's belong'} to this instance, and their deletion at the gateway requires its master key. ` +
    `Delete them first, or set annotation ${annotations.forceDelete} to "true" to leave them valid at the gateway.`
  );
}

function recordForceDeletion({ events }: Dependencies, instance: GatewayInstance, customers: number): void {
  events.record(instance, {
    type: 'Warning',
    reason: 'ForceDeleted',
    message: `Force-deleted while ${customers} customer${customers === 1 ? ' still references' : 's still reference'} it.`,
  });
}

/** @returns a sentence with state and cause if the cleanup failed; undefined if it is complete */
async function cleanUp(
  dependencies: Dependencies,
  instance: GatewayInstance,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await releaseAllWorkloads(dependencies, instance);
  } catch (error) {
    if (!isRejection(error)) throw error;
    // The gateway's Deployment and the operator's permissions are deleted together with the namespace.
    const { namespace } = instance.metadata;
    if (!isForbidden(error) || !(await namespaceIsBeingDeleted(dependencies.client, namespace))) {
      return `The operator cannot remove its changes from the gateway's Deployment: ${error.message.replace(/\.?$/, '.')}`;
    }
  }
  if (instance.status?.defaultBudget?.rowId === undefined) return undefined;
  const isDeleted = await deleteRow(dependencies, instance, { since: instance.metadata.deletionTimestamp, signal });
  return isDeleted
    ? undefined
    : 'The operator cannot delete the budget row of this instance at the gateway, and retries for five minutes.';
}
