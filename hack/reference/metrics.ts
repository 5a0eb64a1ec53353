/** All metrics that the two programs export, except those of Node.js, which depend on the platform. */
import type { Registry } from 'prom-client';
import { registerBuildInfo } from '../../guardrail/buildInfo.ts';
import type { Access } from '../../guardrail/customers/customers.ts';
import { createMetrics } from '../../guardrail/http/middleware/metrics.ts';
import { createMemoryStore } from '../../guardrail/store/store.ts';
import { customerMetrics, type ExportSources, registerCustomerGauges } from '../../operator/customer/metrics.ts';
import { recordMetrics } from '../../operator/external/external.ts';
import { BudgetAmounts } from '../../operator/customer/spending.ts';
import { gatewayCallMetrics } from '../../operator/gateway/gatewayHttp.ts';
import { RuntimeMetrics } from '../../operator/runtime/runtime.ts';
import { anchored, code, plain, table } from './markdown.ts';

/** A metric, as prom-client describes it. */
export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** No customer has metrics: only their names matter here. */
export const noExports: ExportSources = {
  isLeading: () => false,
  isSynced: () => false,
  instances: () => [],
  customersOf: () => [],
  budgetAmounts: () => new BudgetAmounts([]),
};

/** The metrics of the operator. */
export function operatorMetrics(): MetricDescription[] {
  const { registry } = new RuntimeMetrics();
  customerMetrics(registry);
  recordMetrics(registry, 'budget', 'Budgets');
  gatewayCallMetrics(registry);
  registerCustomerGauges(registry, noExports);
  registerBuildInfo(registry, 'gateway_guardrail_operator_build_info', {});
  return described(registry);
}

/** Access to no list: only the names of the metrics matter here. */
const noCustomers: Access = {
  state: () => undefined,
  decide: () => {
    throw new Error('Nobody calls.');
  },
};

/** The metrics of the guardrail. */
export function guardrailMetrics(): MetricDescription[] {
  const metrics = createMetrics();
  metrics.instrumentStore(createMemoryStore({ ttlMs: 1000 }));
  metrics.watchCustomers(noCustomers);
  return described(metrics.registry);
}

function described(registry: Registry): MetricDescription[] {
  const all = registry.getMetricsAsArray() as unknown as MetricDescription[];
  return all.filter(({ name }) => !/^(?:nodejs|process)_/.test(name));
}

/** The table of the metrics of a program. */
export function metricsTable(metrics: readonly MetricDescription[]): string {
  return table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    metrics.map(({ name, type, labelNames, help }) => [
      anchored(`metric ${name}`, name),
      type,
      labelNames.map(code).join(', '),
      plain(help),
    ]),
  );
}
