/** Finds the customers and instances that use a budget. */
import type { GatewayBudget, GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  addressOfGateway,
  admits,
  instanceKeyOf,
  instancesOfGateway,
  isReachable,
  type KnownInstances,
} from '../connection/connection.ts';
import { type Index, keyText, type ObjectKey } from '../runtime/runtime.ts';
import { budgetIdOf, ownsOrCreates } from './status.ts';

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
