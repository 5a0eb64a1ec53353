/**
 * The default budget at the gateway. LiteLLM accepts `max_end_user_budget` but does not enforce it. If the gateway has
 * a budget API, the amount is stored in a budget row of the instance.
 */
import type { DefaultCustomerBudget, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { BudgetNotUsableError, usableBudget } from '../budget/budget.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { currentCondition } from '../conditions/conditions.ts';
import type { BudgetSettings } from '../configuration/configuration.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import { ConnectionError } from '../connection/connection.ts';
import type { BudgetRow, GatewayClient, GatewayClients, GatewayError } from '../gateway/gateway.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import {
  budgetNotUsable,
  notRequestedBudget,
  periodNotSupported,
  rowNotDeleted,
  tierNotFound,
  unverified,
} from './defaultBudgetCondition.ts';
import type { Dependencies } from './dependencies.ts';

/** The result of {@link reconcileDefaultBudget}. */
export interface DefaultBudget {
  /** The instance as it is after the reconcile, which may have written its status. */
  readonly instance: GatewayInstance;
  /** The settings of the gateway's configuration; undefined: none. */
  readonly settings: BudgetSettings | undefined;
  /** Id of the budget row that the gateway may have for this instance. */
  readonly rowId: string | undefined;
  /** undefined: the budget is enforced as soon as the gateway runs with the settings. */
  readonly failure: ConditionState<'DefaultBudgetEnforced'> | undefined;
}

/** The known properties of the instance's gateway. */
export interface BudgetGateway {
  /** undefined: the gateway cannot be called now. */
  readonly connection: GatewayConnection | undefined;
  /** The row that the gateway's current configuration names. */
  readonly configuredRowId: string | undefined;
}

type BudgetDependencies = Pick<Dependencies, 'clients' | 'status' | 'finalizer' | 'budgets'>;

/** The columns of the instance's budget row that the spec decides. */
interface DesiredRow {
  readonly max_budget: number;
  readonly budget_duration: string | null;
}

/** The maximum time that the deletion of an instance waits for a gateway that does not delete the budget row. */
const MAX_DELETION_WAIT_MS = 5 * 60_000;

/** The id of an instance's budget row. No budget tier of an admin may have this prefix. */
export function defaultBudgetId(instance: GatewayInstance): string {
  return `gcust-default-${instance.metadata.uid}`;
}

/** Creates, updates or deletes the budget row of the instance, and computes the settings of the gateway's configuration. */
export async function reconcileDefaultBudget(
  dependencies: BudgetDependencies,
  instance: GatewayInstance,
  { connection, configuredRowId }: BudgetGateway,
): Promise<DefaultBudget> {
  const { clients } = dependencies;
  const requested = instance.spec.defaultCustomerBudget;
  if (requested === undefined) return await deleteFormerRow(dependencies, instance, connection);
  let desired: TierOrAmount;
  try {
    desired = resolved(dependencies, instance, requested, configuredRowId);
  } catch (error) {
    if (!(error instanceof BudgetNotUsableError)) throw error;
    // The gateway keeps the budget that it has: a missing resource must not remove the limit.
    const settings = configuredRowId === undefined ? undefined : { budgetId: configuredRowId };
    return { instance, settings, rowId: instance.status?.defaultBudget?.rowId, failure: budgetNotUsable(error) };
  }
  const id = defaultBudgetId(instance);
  const rowId = instance.status?.defaultBudget?.rowId;
  const settings = settingsOf(desired);
  // The gateway may need its configuration to start, so its settings stay unchanged while it cannot be called.
  const known = desired.maxBudget !== undefined && configuredRowId === id ? { ...settings, budgetId: id } : settings;
  if (connection === undefined) return { instance, settings: known, rowId, failure: unverified };
  let current = instance;
  try {
    if (!(await clients.hasBudgetApi(connection))) {
      const { budgetDuration } = desired;
      const failure = budgetDuration === undefined ? undefined : periodNotSupported(budgetDuration);
      return { instance, settings, rowId, failure };
    }
    const client = clients.for(connection);
    const [row] = await client.budgetInfo([desired.budgetId ?? id]);
    if (desired.maxBudget === undefined) {
      return {
        instance,
        settings,
        rowId,
        failure: row === undefined ? tierNotFound(desired.budgetId ?? '') : undefined,
      };
    }
    const values = { max_budget: desired.maxBudget, budget_duration: desired.budgetDuration ?? null };
    if (row === undefined) {
      current = await recordRow(dependencies, instance);
      await createRow(client, id, values);
    } else {
      await updateRow(client, id, row, values);
    }
    return { instance: current, settings: { ...settings, budgetId: id }, rowId: id, failure: undefined };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    return {
      instance: current,
      settings: known,
      rowId: current.status?.defaultBudget?.rowId,
      failure: failureOf(instance, error),
    };
  }
}

/**
 * Deletes the budget row of a deleted instance.
 * @param options `since`: the operator gives up five minutes after this time @returns whether the row is deleted,
 *   cannot be deleted, or the operator gave up
 */
export async function deleteRow(
  { clients, connections, now }: Pick<Dependencies, 'clients' | 'connections' | 'now'>,
  instance: GatewayInstance,
  { since, signal }: { readonly since: string | undefined; readonly signal: AbortSignal },
): Promise<boolean> {
  try {
    signal.throwIfAborted();
    await deleteRowAt(clients, instance, await connections.forInstanceDeletion(instance));
    return true;
  } catch (error) {
    // Without an address or a key the gateway cannot be called.
    if (error instanceof ConnectionError) return true;
    if (!isGatewayError(error)) throw error;
    return now().getTime() - Date.parse(since ?? '') > MAX_DELETION_WAIT_MS;
  }
}

/** A default budget whose reference is resolved. */
type TierOrAmount = Omit<DefaultCustomerBudget, 'budgetRef'>;

/**
 * Replaces a reference by the id of its budget.
 * @throws BudgetNotUsableError
 */
function resolved(
  { budgets }: BudgetDependencies,
  { metadata: { namespace, name } }: GatewayInstance,
  { budgetRef, ...rest }: DefaultCustomerBudget,
  inUse: string | undefined,
): TierOrAmount {
  if (budgetRef === undefined) return rest;
  const { budgetId } = usableBudget(budgets, { ref: budgetRef, namespace, instance: { namespace, name }, inUse });
  return { budgetId };
}

/** Records the row before it is created, so that it is deleted with the instance even after a crash. */
async function recordRow(
  { status, finalizer }: BudgetDependencies,
  instance: GatewayInstance,
): Promise<GatewayInstance> {
  const rowId = defaultBudgetId(instance);
  const isRecorded = instance.status?.defaultBudget?.rowId === rowId;
  const recorded = isRecorded
    ? instance
    : await status.write(instance, { ...instance.status, defaultBudget: { rowId } });
  finalizer.beforeExternalWrite(recorded);
  return recorded;
}

async function createRow(client: GatewayClient, id: string, values: DesiredRow): Promise<void> {
  const { max_budget, budget_duration } = values;
  await client.budgetNew({ budget_id: id, max_budget, ...(budget_duration === null ? {} : { budget_duration }) });
}

/** Sends only changes: a duration that is sent again starts a new period. */
async function updateRow(client: GatewayClient, id: string, row: BudgetRow, values: DesiredRow): Promise<void> {
  const changes = {
    ...(row.max_budget === values.max_budget ? {} : { max_budget: values.max_budget }),
    ...((row.budget_duration ?? null) === values.budget_duration ? {} : { budget_duration: values.budget_duration }),
  };
  if (Object.keys(changes).length > 0) await client.budgetUpdate({ budget_id: id, ...changes });
}

/** Deletes the row of a default budget that the spec no longer has. */
async function deleteFormerRow(
  { clients }: BudgetDependencies,
  instance: GatewayInstance,
  connection: GatewayConnection | undefined,
): Promise<DefaultBudget> {
  const rowId = instance.status?.defaultBudget?.rowId;
  const deleted = { instance, settings: undefined, rowId: undefined, failure: notRequestedBudget };
  if (rowId === undefined) return deleted;
  try {
    if (connection !== undefined) {
      await deleteRowAt(clients, instance, connection);
      return deleted;
    }
  } catch (error) {
    if (!isGatewayError(error)) throw error;
  }
  return { instance, settings: undefined, rowId, failure: rowNotDeleted(rowId) };
}

async function deleteRowAt(
  clients: GatewayClients,
  instance: GatewayInstance,
  connection: GatewayConnection,
): Promise<void> {
  if (!(await clients.hasBudgetApi(connection))) return;
  await clients.for(connection).budgetDelete(defaultBudgetId(instance));
}

function settingsOf({ maxBudget, budgetId }: TierOrAmount): BudgetSettings {
  return {
    ...(maxBudget === undefined ? {} : { maxBudget }),
    ...(budgetId === undefined ? {} : { budgetId }),
  };
}

/** A gateway that limits the call rate still enforces the budget. */
function failureOf(instance: GatewayInstance, error: GatewayError): DefaultBudget['failure'] {
  const isEnforced = currentCondition(instance, 'DefaultBudgetEnforced')?.status === 'True';
  if (error.kind === 'retryAfter' && isEnforced) return undefined;
  return { status: 'False', reason: 'BudgetRowNotWritten', message: error.message };
}
