/** The command `top`: what customers have spent of their budgets. */
import { budgets, customers, instances } from '../api/kinds.ts';
import type { GatewayBudget, GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { BudgetAmounts, spendingOf } from '../customer/customer.ts';
import { type ClusterReader, isForbidden, keyText, type ObjectKey, type ResourceKind } from '../runtime/runtime.ts';

/** One customer, as `-o json` has it. Absent: not known. */
export interface TopRow {
  readonly namespace: string;
  readonly name: string;
  /** The instance, as `namespace/name`. */
  readonly instance: string;
  readonly spendUsd?: number;
  readonly maxBudgetUsd?: number;
  /** 1: all of the budget. */
  readonly usedRatio?: number;
  readonly blocked?: boolean;
  readonly synced: boolean;
}

/** Which customers are wanted. */
export interface TopQuery {
  /** undefined: all namespaces */
  readonly namespace: string | undefined;
  readonly instance: Partial<ObjectKey> | undefined;
}

/** The rows of all wanted customers, the highest used share first, then the highest spend. @throws ApiError */
export async function readTop(cluster: Pick<ClusterReader, 'each'>, query: TopQuery): Promise<TopRow[]> {
  const found: GatewayCustomer[] = [];
  await cluster.each(
    customers,
    (customer) => {
      if (isOf(customer, query.instance)) found.push(customer);
    },
    query.namespace,
  );
  const known = new Map<string, GatewayInstance>();
  for (const one of await readable(cluster, instances, query.namespace)) known.set(keyText(one.metadata), one);
  const amounts = new BudgetAmounts(await readable<GatewayBudget>(cluster, budgets, query.namespace));
  return found
    .map((customer) => rowOf(customer, known.get(keyText(instanceKeyOf(customer))), amounts))
    .sort(compareRows);
}

function isOf(customer: GatewayCustomer, wanted: Partial<ObjectKey> | undefined): boolean {
  const { namespace, name } = instanceKeyOf(customer);
  return wanted === undefined || (wanted.name === name && (wanted.namespace ?? namespace) === namespace);
}

/** What the user may list: all namespaces, or else one. */
async function readable<T extends GatewayInstance | GatewayBudget>(
  cluster: Pick<ClusterReader, 'each'>,
  kind: ResourceKind<T>,
  namespace: string | undefined,
): Promise<T[]> {
  for (const scope of namespace === undefined ? [undefined] : [undefined, namespace]) {
    const found: T[] = [];
    try {
      await cluster.each(kind, (object) => found.push(object), scope);
      return found;
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
  }
  return [];
}

function rowOf(customer: GatewayCustomer, instance: GatewayInstance | undefined, amounts: BudgetAmounts): TopRow {
  const { spend, maxBudget, usedRatio } = spendingOf(customer, instance, amounts);
  const { blocked, synced = false } = customer.status ?? {};
  return {
    namespace: customer.metadata.namespace,
    name: customer.metadata.name,
    instance: keyText(instanceKeyOf(customer)),
    ...(spend === undefined ? {} : { spendUsd: spend }),
    ...(maxBudget === undefined ? {} : { maxBudgetUsd: maxBudget }),
    ...(usedRatio === undefined ? {} : { usedRatio }),
    ...(blocked === undefined ? {} : { blocked }),
    synced,
  };
}

function compareRows(one: TopRow, other: TopRow): number {
  return (
    (other.usedRatio ?? -1) - (one.usedRatio ?? -1) ||
    (other.spendUsd ?? -1) - (one.spendUsd ?? -1) ||
    one.namespace.localeCompare(other.namespace, 'en') ||
    one.name.localeCompare(other.name, 'en')
  );
}

/** The rows as text. */
export function topTable(rows: readonly TopRow[]): string {
  if (rows.length === 0) return 'No customers found.\n';
  const head = ['NAMESPACE', 'NAME', 'INSTANCE', 'SPEND', 'BUDGET', 'USED', 'BLOCKED', 'SYNCED'];
  const usd = (amount: number | undefined): string => (amount === undefined ? '-' : `$${amount.toFixed(2)}`);
  return tableOf([
    head,
    ...rows.map((row) => [
      row.namespace,
      row.name,
      row.instance,
      usd(row.spendUsd),
      usd(row.maxBudgetUsd),
      // Rounded down: 100 % is all of the budget.
      row.usedRatio === undefined ? '-' : `${Math.floor(row.usedRatio * 100)} %`,
      row.blocked === undefined ? '-' : String(row.blocked),
      String(row.synced),
    ]),
  ]);
}

/** Columns of text, as kubectl prints them. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
