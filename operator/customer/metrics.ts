import { Histogram, type Registry } from 'prom-client';
import { budgets, customers, instances } from '../api/kinds.ts';
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { allows, instanceIndexKeys } from '../connection/connection.ts';
import { type ExternalDependencies, recordMetrics } from '../external/external.ts';
import type { Field } from '../gateway/gateway.ts';
import { CollectedGauge, keyText, type Runtime, type Sample } from '../runtime/runtime.ts';
import { BudgetAmounts, type Spending, spendingOf } from './spending.ts';
import { conditionOf } from './status.ts';

/** Creates the metrics of customers. Call it once for each registry. */
export function customerMetrics(registry: Registry): ExternalDependencies<GatewayCustomer, Field>['metrics'] {
  return {
    ...recordMetrics(registry, 'customer', 'Customer records'),
    firstSync: new Histogram({
      name: 'gateway_guardrail_operator_customer_first_sync_seconds',
      help: 'Time from the creation of a customer resource to its first successful sync.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
      registers: [registry],
    }),
  };
}

/**
 * The names of resources: no customer id and no alias, which can be personal data. Not `namespace` and `instance`, which
 * Prometheus sets to those of the scrape target.
 */
const RESOURCE = ['customer_namespace', 'customer', 'gateway_namespace', 'gateway'] as const;
type ResourceLabel = (typeof RESOURCE)[number];
type Labels = Readonly<Record<ResourceLabel, string>>;

const CONDITION = [...RESOURCE, 'type', 'status', 'reason'] as const;
/** Ready is not among them: its status is that of Synced. */
const CONDITION_TYPES = ['Synced', 'FullyApplied'] as const;

/** A customer with metrics, and its instance. */
interface Exported {
  readonly customer: GatewayCustomer;
  readonly instance: GatewayInstance;
}

/** The sources of the metrics. */
export interface ExportSources {
  readonly isLeading: () => boolean;
  /** Whether all resources have been read once. */
  readonly isSynced: () => boolean;
  readonly instances: () => readonly GatewayInstance[];
  /** @param instance as `namespace/name` */
  readonly customersOf: (instance: string) => readonly GatewayCustomer[];
  readonly budgetAmounts: () => BudgetAmounts;
}

/** Registers the metrics. Call it once for each registry, while wiring. */
export function exportCustomers(runtime: Runtime): void {
  const [customerCache, instanceCache, budgetCache] = [
    runtime.cache(customers),
    runtime.cache(instances),
    runtime.cache(budgets),
  ];
  const byInstance = customerCache.indexBy(instanceIndexKeys);
  registerCustomerGauges(runtime.metrics, {
    isLeading: runtime.isLeading,
    isSynced: () => [customerCache, instanceCache, budgetCache].every(({ synced }) => synced),
    instances: () => instanceCache.list(),
    customersOf: (instance) => byInstance.get(instance),
    budgetAmounts: () => new BudgetAmounts(budgetCache.list()),
  });
}

/** Creates the gauges in a registry. */
export function registerCustomerGauges(registry: Registry, sources: ExportSources): void {
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    samplesOf: (exported: Exported, labels: Labels, amounts: () => BudgetAmounts) => readonly Sample<Label>[],
  ): unknown =>
    new CollectedGauge(registry, { name: `gateway_guardrail_operator_customer_${name}`, help, labelNames }, () => {
      let known: BudgetAmounts | undefined;
      const amounts = (): BudgetAmounts => (known ??= sources.budgetAmounts());
      return exported(sources).flatMap((one) => samplesOf(one, labelsOf(one), amounts));
    });
  const amount = (name: string, help: string, valueOf: (spending: Spending) => number | undefined): unknown =>
    gauge(name, help, RESOURCE, ({ customer, instance }, labels, amounts) => {
      const value = valueOf(spendingOf(customer, instance, amounts()));
      return value === undefined ? [] : [{ labels, value }];
    });

  amount('spend_usd', 'Spend of the customer in USD, as the gateway last reported it.', ({ spend }) => spend);
  amount('max_budget_usd', 'Maximum that the customer may spend, in USD.', ({ maxBudget }) => maxBudget);
  amount('budget_used_ratio', 'Share of its maximum that the customer has spent: 1 is all.', (one) => one.usedRatio);
  gauge(
    'blocked',
    'Whether the gateway reports the customer as blocked: 1 if it is.',
    RESOURCE,
    ({ customer }, labels) => {
      const blocked = customer.status?.blocked;
      return blocked === undefined ? [] : [{ labels, value: Number(blocked) }];
    },
  );
  gauge(
    'condition',
    'The conditions Synced and FullyApplied of the customer, with their current status and reason: always 1.',
    CONDITION,
    ({ customer }, labels) => conditionSamples(customer, labels),
  );
}

/** The customers with metrics; none at a process that does not lead, whose resources can be outdated. */
function exported(sources: ExportSources): Exported[] {
  if (!sources.isLeading() || !sources.isSynced()) return [];
  return sources
    .instances()
    .filter(({ spec }) => spec.metrics?.perCustomer === true)
    .flatMap((instance) =>
      sources
        .customersOf(keyText(instance.metadata))
        // Others could add any number of series.
        .filter(({ metadata }) => allows(instance, metadata.namespace))
        .map((customer) => ({ customer, instance })),
    );
}

function labelsOf({ customer, instance }: Exported): Labels {
  return {
    customer_namespace: customer.metadata.namespace,
    customer: customer.metadata.name,
    gateway_namespace: instance.metadata.namespace,
    gateway: instance.metadata.name,
  };
}

function conditionSamples(customer: GatewayCustomer, labels: Labels): Sample<(typeof CONDITION)[number]>[] {
  return CONDITION_TYPES.map((type) => {
    const { status = 'Unknown', reason = 'NotSynced' } = conditionOf(customer, type) ?? {};
    return { labels: { ...labels, type, status, reason }, value: 1 };
  });
}
