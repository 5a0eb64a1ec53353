/** Gives the metrics of a registry to OpenTelemetry, so that each metric has one definition. */
import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import { metrics as sdk, resources } from '@opentelemetry/sdk-node';
import type { Registry } from 'prom-client';

type Metric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];
type Value = Metric['values'][number];
/** A value of a histogram says of which of its series it is. */
type NamedValue = Value & { readonly metricName?: string };

/** Units of the Unified Code for Units of Measure, by the endings that names have by the conventions of Prometheus. */
const UNITS: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/_seconds(?:_total)?$/, 's'],
  [/_bytes(?:_total)?$/, 'By'],
  [/_ratio$/, '1'],
];

export interface MetricSource {
  readonly registry: Registry;
  /** Updates metrics that depend on the time. */
  readonly observe?: (() => void) | undefined;
}

/** @param startedAt when the counters of this process were zero */
export function createMetricProducer(
  { registry, observe }: MetricSource,
  startedAt = new Date(performance.timeOrigin),
): sdk.MetricProducer {
  return {
    async collect() {
      observe?.();
      const startTime = hrTimeOf(startedAt);
      const endTime = hrTimeOf(new Date());
      const found = await registry.getMetricsAsJSON();
      const metrics = found.flatMap((metric) => convert(metric, { startTime, endTime }));
      const scopeMetrics = [{ scope: { name: 'prom-client' }, metrics }];
      return { resourceMetrics: { resource: resources.emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** @returns nothing for a metric without values */
function convert(metric: Metric, times: Times): sdk.MetricData[] {
  const base = {
    descriptor: { name: metric.name, description: metric.help, unit: unitOf(metric.name), valueType: ValueType.DOUBLE },
    aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE,
  };
  // The type says that this is an enum, and prom-client gives its names.
  switch (String(metric.type)) {
    case 'counter': {
      const dataPoints = numbersIn(metric.values, times);
      return dataPoints.length === 0
        ? []
        : [{ ...base, dataPointType: sdk.DataPointType.SUM, isMonotonic: true, dataPoints }];
    }
    case 'gauge': {
      const dataPoints = numbersIn(metric.values, times);
      return dataPoints.length === 0 ? [] : [{ ...base, dataPointType: sdk.DataPointType.GAUGE, dataPoints }];
    }
    case 'histogram': {
      const dataPoints = histogramsIn(metric, times);
      return dataPoints.length === 0 ? [] : [{ ...base, dataPointType: sdk.DataPointType.HISTOGRAM, dataPoints }];
    }
    default:
      return [];
  }
}

/** A value that is not a number is left out: JSON has none. */
function numbersIn(values: readonly Value[], times: Times): sdk.DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), value }));
}

interface Series {
  readonly attributes: Attributes;
  /** The upper bounds, and how many values are at most as large. */
  readonly buckets: { readonly bound: number; readonly count: number }[];
  sum: number;
  count: number;
}

function histogramsIn({ name, values }: Metric, times: Times): sdk.DataPoint<sdk.Histogram>[] {
  const all = new Map<string, Series>();
  for (const { metricName, labels, value } of values as readonly NamedValue[]) {
    const { le, ...others } = labels as Value['labels'] & { readonly le?: string | number };
    const key = JSON.stringify(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1)));
    const series = all.get(key) ?? { attributes: attributesOf(others), buckets: [], sum: 0, count: 0 };
    all.set(key, series);
    if (metricName === `${name}_sum`) series.sum = value;
    else if (metricName === `${name}_count`) series.count = value;
    else if (le !== undefined && le !== '+Inf') series.buckets.push({ bound: Number(le), count: value });
  }
  return [...all.values()].map(({ attributes, buckets, sum, count }) => {
    const sorted = buckets.sort((a, b) => a.bound - b.bound);
    // Prometheus counts the values up to a bound, OpenTelemetry those between two bounds.
    const upTo = [...sorted.map((bucket) => bucket.count), count];
    const counts = upTo.map((value, at) => value - (upTo[at - 1] ?? 0));
    const boundaries = sorted.map(({ bound }) => bound);
    return { ...times, attributes, value: { buckets: { boundaries, counts }, sum, count } };
  });
}

function attributesOf(labels: Readonly<Record<string, string | number | undefined>>): Attributes {
  const entries = Object.entries(labels).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function unitOf(name: string): string {
  return UNITS.find(([ending]) => ending.test(name))?.[1] ?? '';
}

function hrTimeOf(time: Date): HrTime {
  const ms = time.getTime();
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)];
}
