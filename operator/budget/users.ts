/** References to budgets: who uses a budget, and which budget a reference leads to. Depends only on the resources. */
import type { BudgetRef, GatewayBudget, GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  addressOfGateway,
  admits,
  instanceKeyOf,
  instancesOfGateway,
  isReachable,
  type KnownInstances,
} from '../connection/connection.ts';
import { type Index, keyText, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import { budgetIdOf, conditionOf, isReady, ownsOrCreates } from './status.ts';

/** The sources of {@link usersOf}. */
export interface UserSources extends KnownInstances {
  /** Customers by {@link budgetUses}. */
  readonly byBudget: Index<GatewayCustomer>;
}

/** The resources that use a budget. */
export interface BudgetUsers {
  /** Those that refer to the resource, those that name the id, and those that are still linked to it. */
  readonly customers: readonly GatewayCustomer[];
  /** Those that use it as their default budget. */
  readonly instances: readonly GatewayInstance[];
}

/** The index key of all customers that refer to a budget resource. */
function resourceUse(budget: ObjectKey): string {
  return `resource ${keyText(budget)}`;
}

function idUse(instance: ObjectKey, budgetId: string): string {
  return `id ${keyText(instance)} ${budgetId}`;
}

/** The index keys of a customer: the budget resource that it refers to, and the ids that it uses at its instance. */
export function budgetUses(customer: GatewayCustomer): readonly string[] {
  const { metadata, spec, status } = customer;
  const { budgetRef } = spec;
  const ids = [spec.budgetId, status?.budgetId].filter((id) => id !== undefined);
  return [
    ...(budgetRef === undefined ? [] : [resourceUse({ namespace: metadata.namespace, ...budgetRef })]),
    ...[...new Set(ids)].map((id) => idUse(instanceKeyOf(customer), id)),
  ];
}

/** The index keys of a budget: the customers that use it have one of them, see {@link budgetUses}. */
export function budgetUseKeys(budget: GatewayBudget): readonly string[] {
  return [resourceUse(budget.metadata), idUse(instanceKeyOf(budget), budgetIdOf(budget))];
}

/**
 * The users of a budget: those that hold its deletion and have its limits. Only customers that their instance admits count,
 * and only in namespaces that may use the budget. Users through another instance of the gateway count only if it is
 * proved that the instance has a key of the gateway: the customer is linked to the budget, or the instance is reachable.
 */
export function usersOf(sources: UserSources, budget: GatewayBudget): BudgetUsers {
  const id = budgetIdOf(budget);
  const own = instanceKeyOf(budget);
  // An id at the gateway belongs to the resource that owns the budget.
  const isOwner = ownsOrCreates(budget);
  const byName = sources.byBudget.get(resourceUse(budget.metadata));
  const byId = isOwner ? sources.byBudget.get(idUse(own, id)) : [];
  const near = [...byName, ...byId].filter((customer) => mayRefer(customer, budget));
  const peers = isOwner ? instancesOfGateway(sources, own).filter((key) => keyText(key) !== keyText(own)) : [];
  const address = addressOfGateway(sources, own);
  const linked = peers
    .flatMap((instance) => sources.byBudget.get(idUse(instance, id)))
    .filter(({ status }) => {
      const isHere = address !== undefined && status?.gateway === sources.identity.digest(address);
      return isHere && status.ownership === 'Owned' && status.budgetId === id;
    });
  const all = new Map([...near, ...linked].map((customer) => [customer.metadata.uid, customer]));
  const ownInstance = sources.instances.get(own) ?? [];
  const reachable = peers.flatMap((key) => sources.instances.get(key) ?? []).filter(isReachable);
  return {
    customers: [...all.values()].filter((customer) => isAdmitted(sources, customer)),
    instances: [ownInstance, reachable].flat().filter((instance) => isDefaultOf(instance, budget, id)),
  };
}

/** Whether a customer may refer to a budget: both have the same instance, and the budget is in its or their namespace. */
export function mayRefer(customer: GatewayCustomer, budget: GatewayBudget): boolean {
  const instance = instanceKeyOf(customer);
  const { namespace } = budget.metadata;
  const near = namespace === customer.metadata.namespace || namespace === instance.namespace;
  return near && keyText(instance) === keyText(instanceKeyOf(budget));
}

function isAdmitted({ instances }: UserSources, customer: GatewayCustomer): boolean {
  const instance = instances.get(instanceKeyOf(customer));
  return instance === undefined || admits(instance, customer.metadata.namespace, customer.spec.customerId);
}

/** An instance that is being deleted waits for its budgets, so they must not wait for it. */
function isDefaultOf({ metadata, spec }: GatewayInstance, budget: GatewayBudget, id: string): boolean {
  const { budgetId, budgetRef } = spec.defaultCustomerBudget ?? {};
  if (metadata.deletionTimestamp !== undefined) return false;
  const refers = budgetRef?.name === budget.metadata.name && metadata.namespace === budget.metadata.namespace;
  return refers || budgetId === id;
}

/** The maximum number of resources that a message names. */
const MAX_NAMED = 10;

/**
 * The first sentences of the condition of a deletion that waits: who uses the budget, and what to do. Resources of other
 * namespaces are named only in the namespace of the instance, whose owner may know all its customers.
 * @returns undefined if nothing uses the budget
 */
export function inUseMessage(budget: GatewayBudget, { customers, instances }: BudgetUsers): string | undefined {
  if (customers.length === 0 && instances.length === 0) return undefined;
  const { namespace } = budget.metadata;
  const namesAll = instanceKeyOf(budget).namespace === namespace;
  const named = customers
    .filter(({ metadata }) => namesAll || metadata.namespace === namespace)
    .map(({ metadata }) => keyText(metadata))
    .sort()
    .slice(0, MAX_NAMED);
  const users = [
    ...(customers.length === 0 ? [] : [customersText(named, customers.length)]),
    ...instances.map((instance) => `GatewayInstance ${namesAll ? keyText(instance.metadata) : 'of the budget'}`),
  ];
  return `The budget is in use by ${users.join(' and by ')}. Change or delete ${customers.length + instances.length > 1 ? 'them' : 'it'} first.`;
}

function customersText(named: readonly string[], total: number): string {
  const count = `${total} GatewayCustomer${total === 1 ? '' : 's'}`;
  if (named.length === 0) return `${count} in other namespaces`;
  const others = total - named.length;
  return `${count} (${named.join(', ')}${others === 0 ? '' : ` and ${others} more`})`;
}

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
