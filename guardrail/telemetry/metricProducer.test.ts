import { expect } from 'chai';
import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createMetrics } from '../http/http.ts';
import { createMetricProducer } from './metricProducer.ts';

const STARTED = new Date(1_700_000_000_250);

async function metricsOf(registry: Registry, observe?: () => void) {
  const { resourceMetrics, errors } = await createMetricProducer({ registry, observe }, STARTED).collect();
  expect(errors).to.deep.equal([]);
  return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
}

describe('metrics of a registry for OpenTelemetry', () => {
  it('keep their names, descriptions, labels and values, and say their units', async () => {
    const registry = new Registry();
    const registers = [registry];
    new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['status'], registers }).inc({ status: 200 }, 3);
    new Gauge({ name: 'heap_bytes', help: 'Heap.', registers }).set(7);
    const histogram = new Histogram({ name: 'call_seconds', help: 'Time.', buckets: [0.1, 1], registers });
    for (const seconds of [0.05, 0.1, 0.5, 2, 3]) histogram.observe(seconds);
    const found = await metricsOf(registry);
    expect(found.map(({ descriptor: { name, description, unit } }) => [name, description, unit])).to.deep.equal([
      ['calls_total', 'Calls.', ''],
      ['heap_bytes', 'Heap.', 'By'],
      ['call_seconds', 'Time.', 's'],
    ]);
    const [calls, heap, time] = found.map(({ dataPoints }) => dataPoints[0]);
    expect([calls?.attributes, calls?.value]).to.deep.equal([{ status: '200' }, 3]);
    expect(calls?.startTime).to.deep.equal([1_700_000_000, 250_000_000]);
    expect([heap?.attributes, heap?.value]).to.deep.equal([{}, 7]);
    expect(time?.value).to.deep.equal({ buckets: { boundaries: [0.1, 1], counts: [2, 1, 2] }, sum: 5.65, count: 5 });
  });

  it('keep the series of a histogram apart', async () => {
    const registry = new Registry();
    const histogram = new Histogram({
      name: 's',
      help: 's',
      buckets: [1],
      labelNames: ['a', 'b'],
      registers: [registry],
    });
    histogram.observe({ a: 'x', b: 'y' }, 0.5);
    histogram.observe({ b: 'x', a: 'y' }, 2);
    const [found] = await metricsOf(registry);
    expect(found?.dataPoints.map(({ attributes, value }) => [attributes, value])).to.deep.equal([
      [
        { a: 'x', b: 'y' },
        { buckets: { boundaries: [1], counts: [1, 0] }, sum: 0.5, count: 1 },
      ],
      [
        { a: 'y', b: 'x' },
        { buckets: { boundaries: [1], counts: [0, 1] }, sum: 2, count: 1 },
      ],
    ]);
  });

  it('of a histogram count each value once, between its bounds', async () => {
    const bounds = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1 }), async (some, values) => {
        const buckets = [...some].sort((a, b) => a - b);
        const registry = new Registry();
        const histogram = new Histogram({ name: 'h', help: 'h', buckets, registers: [registry] });
        for (const value of values) histogram.observe(value);
        const [found] = await metricsOf(registry);
        const expected = [...buckets, Infinity].map(
          (bound, at) => values.filter((value) => value <= bound && value > (buckets[at - 1] ?? -Infinity)).length,
        );
        expect((found?.dataPoints[0]?.value as { buckets: object }).buckets).to.deep.equal({
          boundaries: buckets,
          counts: expected,
        });
      }),
      { numRuns: 50 },
    );
  });

  it('leave out what is not a number, and metrics without a value', async () => {
    const registry = new Registry();
    new Gauge({ name: 'unknown', help: 'u', registers: [registry] }).set(Number.NaN);
    new Counter({ name: 'never', help: 'n', labelNames: ['x'], registers: [registry] });
    expect(await metricsOf(registry)).to.deep.equal([]);
  });

  it('are brought up to date first', async () => {
    const registry = new Registry();
    const gauge = new Gauge({ name: 'age', help: 'a', registers: [registry] });
    const found = await metricsOf(registry, () => {
      gauge.set(5);
    });
    expect(found[0]?.dataPoints[0]?.value).to.equal(5);
  });

  it('are all metrics of the guardrail that have a value', async () => {
    const { registry } = createMetrics();
    const names = (await metricsOf(registry)).map(({ descriptor }) => descriptor.name);
    const exposed = [...(await registry.metrics()).matchAll(/^([a-z][a-z0-9_]*)(?:\{.*\})? [-+\d]/gm)].map(
      ([, name = '']) => name,
    );
    const families = new Set(exposed.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
    const found = new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
    expect([...families].filter((name) => !found.has(name))).to.deep.equal([]);
  });
});
