/**
 * The budget of customers that have none of their own. Where the gateway has a budget API the amount is kept in a row of
 * our own there too, since LiteLLM takes `max_end_user_budget` and does not act on it.
 */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { BudgetRow, GatewayClients } from '../gateway/gateway.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type { BudgetSettings } from '../configuration/configuration.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { notRequested } from '../conditions/conditions.ts';
import { conditionOf } from './status.ts';

/** What is to be told to the gateway by its configuration, and what was found on the way. */
export interface DefaultBudget {
  readonly settings: BudgetSettings | undefined;
  /** undefined: enforced as soon as the gateway runs with the configuration. */
  readonly fault: ConditionState<'DefaultBudgetEnforced'> | undefined;
}

/** The columns of the instance's own row that the spec decides. */
interface DefaultBudgetRow {
  readonly max_budget: number;
  readonly budget_duration: string | null;
}

/** The id of an instance's own budget row. No tier of an admin's may begin like this. */
export function defaultBudgetId(instance: GatewayInstance): string {
  return `gcust-default-${instance.metadata.uid}`;
}

/** What is said of a default budget before its row is made. */
export const rowAnnounced: ConditionState<'DefaultBudgetEnforced'> = {
  status: 'False',
  reason: 'BudgetRowNotWritten',
  message: 'The budget row of the default is being made at the gateway.',
};

/** Whether the gateway may have a budget row of the instance's own: its status says so before there is one. */
export function mayHaveRow(instance: GatewayInstance): boolean {
  const told = conditionOf(instance, 'DefaultBudgetEnforced');
  return told !== undefined && told.reason !== 'NotRequested';
}

/**
 * Brings the default budget to the gateway, as far as its API goes.
 * @param connection undefined where the gateway cannot be called now
 * @param configuredId the row that the gateway's configuration names already
 * @param announce called before a row is made: see {@link mayHaveRow}
 */
export async function settleDefaultBudget(
  clients: GatewayClients,
  instance: GatewayInstance,
  connection: GatewayConnection | undefined,
  configuredId: string | undefined,
  announce: () => Promise<void>,
): Promise<DefaultBudget> {
  const wanted = instance.spec.defaultCustomerBudget;
  if (wanted === undefined) {
    return mayHaveRow(instance) ? removed(clients, instance, connection) : { settings: undefined, fault: none };
  }
  const { maxBudget, budgetDuration, budgetId } = wanted;
  const plain: BudgetSettings = {
    ...(maxBudget === undefined ? {} : { maxBudget }),
    ...(budgetId === undefined ? {} : { budgetId }),
  };
  const id = defaultBudgetId(instance);
  // The gateway may be waiting for this very configuration to start: it gets what is known of it.
  const asBefore = maxBudget !== undefined && configuredId === id ? { ...plain, budgetId: id } : plain;
  if (connection === undefined) {
    return {
      settings: asBefore,
      fault: {
        status: 'Unknown',
        reason: 'NotReachable',
        message: 'The default budget cannot be verified: the gateway is unreachable.',
      },
    };
  }
  try {
    const hasBudgetApi = await clients.hasBudgetApi(connection);
    if (!hasBudgetApi) {
      return { settings: plain, fault: budgetDuration === undefined ? undefined : periodNotHeld(budgetDuration) };
    }
    const client = clients.for(connection);
    const [row] = await client.budgetInfo([budgetId ?? id]);
    if (maxBudget === undefined) {
      return {
        settings: plain,
        fault:
          row === undefined
            ? {
                status: 'False',
                reason: 'BudgetNotFound',
                message: `The gateway has no budget ${budgetId ?? ''}: create it there, or correct spec.defaultCustomerBudget.budgetId.`,
              }
            : undefined,
      };
    }
    if (row === undefined) {
      await announce();
      const period = budgetDuration === undefined ? {} : { budget_duration: budgetDuration };
      await client.budgetNew({ budget_id: id, max_budget: maxBudget, ...period });
    } else {
      const changes = rowChanges(row, { max_budget: maxBudget, budget_duration: budgetDuration ?? null });
      if (Object.keys(changes).length > 0) await client.budgetUpdate({ budget_id: id, ...changes });
    }
    return { settings: { ...plain, budgetId: id }, fault: undefined };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    // A gateway that asks for time has not let go of what it was told.
    const holds = error.kind === 'retryAfter' && conditionOf(instance, 'DefaultBudgetEnforced')?.status === 'True';
    return {
      settings: asBefore,
      fault: holds ? undefined : { status: 'False', reason: 'BudgetRowNotWritten', message: error.message },
    };
  }
}

/** Only what changes: a duration that is sent again would begin a new period. */
function rowChanges(row: BudgetRow, wanted: DefaultBudgetRow): Partial<DefaultBudgetRow> {
  return {
    ...(row.max_budget === wanted.max_budget ? {} : { max_budget: wanted.max_budget }),
    ...((row.budget_duration ?? null) === wanted.budget_duration ? {} : { budget_duration: wanted.budget_duration }),
  };
}

/** `max_end_user_budget` is an amount alone. */
function periodNotHeld(budgetDuration: string): ConditionState<'DefaultBudgetEnforced'> {
  return {
    status: 'False',
    reason: 'NotSupported',
    message:
      `The gateway has no /budget API and takes max_end_user_budget alone, so that the period ${budgetDuration} does not hold and the default is a cap for each customer's life. ` +
      'Remove spec.defaultCustomerBudget.budgetDuration to accept that, or replace it and maxBudget by budgetId, a tier of the gateway.',
  };
}

/** The finding, once it is known whether the gateway runs with its configuration. */
export function defaultBudgetFinding(
  instance: GatewayInstance,
  budget: DefaultBudget,
  configured: ConditionState<'ProxyConfigured'>,
): ConditionState<'DefaultBudgetEnforced'> {
  if (budget.fault !== undefined) return budget.fault;
  const { settings } = budget;
  if (instance.spec.proxyConfig === undefined || configured.status !== 'True') {
    return {
      status: 'False',
      reason: 'ProxyNotConfigured',
      message:
        instance.spec.proxyConfig === undefined
          ? `The gateway reads its default budget from its configuration: set spec.proxyConfig, or write ${settingNames(instance, settings)} there yourself.`
          : `The gateway does not run with the default budget yet: ${configured.message}`,
    };
  }
  return {
    status: 'True',
    reason: 'Enforced',
    message: `The gateway was started with ${settingNames(instance, settings)}.${periodOf(instance)}`,
  };
}

/** Takes our row away again, wherever the instance is going. */
export async function removeDefaultBudget(
  clients: GatewayClients,
  instance: GatewayInstance,
  connection: GatewayConnection,
): Promise<void> {
  if (!(await clients.hasBudgetApi(connection))) return;
  await clients.for(connection).budgetDelete(defaultBudgetId(instance));
}

const none = notRequested<'DefaultBudgetEnforced'>(
  'No default budget is asked for: customers without a budget of their own have none.',
);

async function removed(
  clients: GatewayClients,
  instance: GatewayInstance,
  connection: GatewayConnection | undefined,
): Promise<DefaultBudget> {
  try {
    if (connection !== undefined) {
      await removeDefaultBudget(clients, instance, connection);
      return { settings: undefined, fault: none };
    }
  } catch (error) {
    if (!isGatewayError(error)) throw error;
  }
  return {
    settings: undefined,
    fault: {
      status: 'False',
      reason: 'NotReachable',
      message: `The budget row ${defaultBudgetId(instance)} of the former default could not be removed yet.`,
    },
  };
}

function periodOf({ spec: { defaultCustomerBudget: budget } }: GatewayInstance): string {
  if (budget?.maxBudget === undefined) return '';
  return budget.budgetDuration === undefined
    ? " Without budgetDuration it is a cap for each customer's life."
    : ` The spend counts from zero again every ${budget.budgetDuration}.`;
}

function settingNames(instance: GatewayInstance, settings: BudgetSettings | undefined): string {
  const section = `${instance.spec.proxyName ?? 'gateway'}_settings`;
  return [
    ...(settings?.maxBudget === undefined ? [] : [`${section}.max_end_user_budget: ${settings.maxBudget}`]),
    ...(settings?.budgetId === undefined ? [] : [`${section}.max_end_user_budget_id: ${settings.budgetId}`]),
  ].join(' and ');
}
