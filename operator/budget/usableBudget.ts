/** Resolves references to budgets. Pure: depends only on the resources. */
import type { BudgetRef, GatewayBudget, GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { type Index, keyText, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import { budgetIdOf, conditionOf, isReady, ownsOrCreates } from './status.ts';
import { mayRefer } from './users.ts';

/** A reference to a budget cannot be used. The message is a condition message. */
export class BudgetNotUsableError extends Error {
  override readonly name = 'BudgetNotUsableError';
  readonly reason: 'BudgetNotFound' | 'BudgetNotReady' | 'BudgetNotAllowed';

  constructor(reason: BudgetNotUsableError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A budget that the gateway has. */
export interface UsableBudget {
  readonly budgetId: string;
  /** See `status.lastChangeTime` of a GatewayBudget. */
  readonly lastChange: string | undefined;
}

/** A reference to a budget, and the resource that has it. */
export interface BudgetReference {
  readonly ref: BudgetRef;
  /** The namespace of the resource that refers to the budget. */
  readonly namespace: string;
  /** The instance of that resource. */
  readonly instance: ObjectKey;
  /** The id of the budget in use, if any: it stays usable while its resource is not Ready. */
  readonly inUse: string | undefined;
}

/**
 * The budget that a reference leads to.
 *
 * A reference may lead to the namespace of the instance, whose owner offers these budgets to all customers that the
 * instance admits. It may not lead to third namespaces: their budgets could otherwise never be deleted.
 * @throws BudgetNotUsableError
 */
export function usableBudget(budgets: Pick<Lister<GatewayBudget>, 'get'>, reference: BudgetReference): UsableBudget {
  const { ref, instance, inUse } = reference;
  const namespace = ref.namespace ?? reference.namespace;
  const name = `GatewayBudget ${namespace}/${ref.name}`;
  if (namespace !== reference.namespace && namespace !== instance.namespace) {
    throw notOffered({ metadata: { namespace: reference.namespace } }, { metadata: { namespace, name: ref.name } });
  }
  const budget = budgets.get({ namespace, name: ref.name });
  if (budget === undefined) {
    throw new BudgetNotUsableError('BudgetNotFound', `${name} does not exist. Create it, or correct the reference.`);
  }
  if (keyText(instanceKeyOf(budget)) !== keyText(instance)) {
    throw new BudgetNotUsableError(
      'BudgetNotAllowed',
      `${name} belongs to another GatewayInstance. Refer to a GatewayBudget of GatewayInstance ${keyText(instance)}.`,
    );
  }
  const budgetId = usableId(budget, inUse);
  if (budgetId !== undefined) return { budgetId, lastChange: budget.status?.lastChangeTime };
  const isDeleted = budget.metadata.deletionTimestamp !== undefined;
  const reason = conditionOf(budget, 'Ready')?.reason;
  const state = isDeleted ? 'is being deleted' : `is not Ready${reason === undefined ? '' : ` (${reason})`}`;
  throw new BudgetNotUsableError('BudgetNotReady', `${name} ${state}. Its condition Ready says what to do.`);
}

/**
 * The budget that a customer names or refers to; undefined if it does neither.
 * @throws BudgetNotUsableError if the customer must wait for its GatewayBudget
 */
export function tierOf(
  {
    budgets,
    budgetsByInstance,
  }: { readonly budgets: Pick<Lister<GatewayBudget>, 'get'>; readonly budgetsByInstance: Index<GatewayBudget> },
  customer: GatewayCustomer,
): UsableBudget | undefined {
  const { spec, metadata, status } = customer;
  const { budgetId, budgetRef } = spec;
  const instance = instanceKeyOf(customer);
  if (budgetRef !== undefined) {
    return usableBudget(budgets, { ref: budgetRef, namespace: metadata.namespace, instance, inUse: status?.budgetId });
  }
  if (budgetId === undefined) return undefined;
  const managed = budgetsByInstance
    .get(keyText(instance))
    .find((budget) => ownsOrCreates(budget) && budgetIdOf(budget) === budgetId);
  if (managed !== undefined && !mayRefer(customer, managed)) throw notOffered(customer, managed);
  return { budgetId, lastChange: managed?.status?.lastChangeTime };
}

/** The error of a customer that refers to a budget of a third namespace. */
function notOffered(
  customer: { readonly metadata: { readonly namespace: string } },
  budget: { readonly metadata: ObjectKey },
): BudgetNotUsableError {
  return new BudgetNotUsableError(
    'BudgetNotAllowed',
    `GatewayBudget ${keyText(budget.metadata)} is neither in namespace ${customer.metadata.namespace} nor in that of the instance. Refer to a GatewayBudget in one of these two namespaces.`,
  );
}

function usableId(budget: GatewayBudget, inUse: string | undefined): string | undefined {
  const { budgetId, ownership } = budget.status ?? {};
  const exists = ownership === 'Owned' || ownership === 'Observed';
  if (budgetId === undefined || !exists) return undefined;
  if (budgetId === inUse) return budgetId;
  return isReady(budget) && budget.metadata.deletionTimestamp === undefined ? budgetId : undefined;
}

/** Whether a change of a budget matters to the resources that refer to it. */
export function mattersToUsers(before: GatewayBudget, after: GatewayBudget): boolean {
  const facts = (budget: GatewayBudget): string =>
    JSON.stringify([
      budget.metadata.uid,
      budget.metadata.deletionTimestamp,
      budget.status?.budgetId,
      budget.status?.ownership,
      budget.status?.lastChangeTime,
      conditionOf(budget, 'Ready')?.status,
    ]);
  return facts(before) !== facts(after);
}
