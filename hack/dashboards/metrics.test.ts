import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Registry } from 'prom-client';
import { parse } from 'yaml';
import { createMetrics } from '../../guardrail/http/middleware/metrics.ts';
import { createMemoryStore } from '../../guardrail/store/store.ts';
import { customerMetrics, registerCustomerGauges } from '../../operator/customer/metrics.ts';
import { gatewayCallMetrics } from '../../operator/gateway/gatewayHttp.ts';
import { RuntimeMetrics } from '../../operator/runtime/runtime.ts';
import { noExports } from '../reference/metrics.ts';

/** The labels that Prometheus and the ServiceMonitors add to all metrics. */
const TARGET_LABELS = ['job', 'namespace', 'pod', 'service', 'container', 'instance', 'endpoint'];
const WORDS = new Set(
  (
    'sum max min avg count rate increase irate histogram_quantile absent by without on ignoring group_left label_values ' +
    'bool and or unless topk vector'
  ).split(' '),
);

interface Known {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** @returns all series that the two programs export, with their labels. */
function exported(): Map<string, readonly string[]> {
  const operator = new RuntimeMetrics();
  operator.collectProcess();
  customerMetrics(operator.registry);
  registerCustomerGauges(operator.registry, noExports);
  gatewayCallMetrics(operator.registry);
  const guardrail = createMetrics();
  guardrail.instrumentStore(createMemoryStore({ ttlMs: 1000 }));
  const all = [operator.registry, guardrail.registry].flatMap(
    (registry: Registry) => registry.getMetricsAsArray() as unknown as Known[],
  );
  return new Map(
    all.flatMap(({ name, type, labelNames }): [string, readonly string[]][] =>
      type === 'histogram'
        ? [
            [`${name}_bucket`, [...labelNames, 'le']],
            [`${name}_sum`, labelNames],
            [`${name}_count`, labelNames],
          ]
        : [[name, labelNames]],
    ),
  );
}

/** @returns the series and the labels in an expression. */
function readExpression(expression: string): { series: string[]; labels: string[] } {
  const bare = expression.replaceAll(/"[^"]*"/g, '""');
  const selected = [...bare.matchAll(/\{([^}]*)\}/g)].flatMap(
    ([, inside = '']) => inside.match(/\w+(?=\s*[=!])/g) ?? [],
  );
  const grouped = [...bare.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, inside = '']) =>
    inside.split(',').map((label) => label.trim()),
  );
  const rest = bare
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without)\s*\([^)]*\)/g, ' ')
    .replaceAll(/(?<![\w:])[\d.]+(?:e\d+)?/g, ' ');
  const series = (rest.match(/[a-zA-Z_:][\w:]*/g) ?? []).filter((word) => !WORDS.has(word));
  return { series: [...new Set(series)], labels: [...new Set([...selected, ...grouped])] };
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

interface Rules {
  readonly spec: { readonly groups: readonly { readonly rules: readonly { alert: string; expr: string }[] }[] };
}

function expressions(): [title: string, expression: string][] {
  const dashboard = JSON.parse(readFileSync(join(import.meta.dirname, 'gateway-guardrail.json'), 'utf8')) as Dashboard;
  const rules = parse(
    readFileSync(
      join(import.meta.dirname, '../../operator/manifests/components/prometheus/prometheusrule.yaml'),
      'utf8',
    ),
  ) as Rules;
  return [
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }): [string, string] => [`panel ${title}`, expr]),
    ),
    ...rules.spec.groups.flatMap(({ rules: all }) =>
      all.map(({ alert, expr }): [string, string] => [`alert ${alert}`, expr]),
    ),
  ];
}

describe('dashboard and alerts', () => {
  it('are parsed correctly', () => {
    const example = 'sum by (le, a) (rate(one_total{x=~"y|z", w!="by (q)"}[5m])) / 1e9 > bool 0.1 or absent(two == 1)';
    expect(readExpression(example)).to.deep.equal({ series: ['one_total', 'two'], labels: ['x', 'w', 'le', 'a'] });
  });

  it('use only exported series and their labels', () => {
    const known = exported();
    const all = expressions();
    expect(all.length).to.be.greaterThan(20);
    for (const [title, expression] of all) {
      const { series, labels } = readExpression(expression);
      expect(series, title).not.to.deep.equal([]);
      expect([...known.keys()], title).to.include.members(series);
      const possible = [...TARGET_LABELS, ...series.flatMap((name) => known.get(name) ?? [])];
      expect(possible, title).to.include.members(labels);
    }
  });
});
