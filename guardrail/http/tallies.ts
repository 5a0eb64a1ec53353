/**
 * Counters and histograms that get their values together when they are read. For each value, a metric of prom-client checks the
 * labels, names the series and looks it up, and a call has seven values.
 */
import { Counter, Histogram, type CounterConfiguration, type HistogramConfiguration } from 'prom-client';

type Labels = Readonly<Record<string, string | number>>;

/** Values that wait in a series of a histogram. */
const MAX_VALUES = 256;

export class TalliedCounter {
  readonly #counter: Counter;
  readonly #series = new SeriesByLabels(() => ({ count: 0 }));

  constructor(configuration: CounterConfiguration<string>) {
    const collect = (): void => {
      // Also a count of 0, so that the series is there.
      for (const [labels, { count }] of this.#series.taken()) this.#counter.inc(labels, count);
    };
    this.#counter = new Counter({ ...configuration, collect });
  }

  inc(labels: Labels = {}, count = 1): void {
    this.#series.of(labels).count += count;
  }
}

export class TalliedHistogram {
  readonly #histogram: Histogram;
  readonly #series = new SeriesByLabels((): { values: number[] } => ({ values: [] }));

  constructor(configuration: HistogramConfiguration<string>) {
    const collect = (): void => {
      for (const [labels, { values }] of this.#series.taken()) this.#give(labels, values);
    };
    this.#histogram = new Histogram({ ...configuration, collect });
  }

  observe(labels: Labels, value: number): void {
    const { values } = this.#series.of(labels);
    values.push(value);
    if (values.length >= MAX_VALUES) this.#give(labels, values);
  }

  #give(labels: Labels, values: number[]): void {
    for (const value of values) this.#histogram.observe(labels, value);
    values.length = 0;
  }
}

/** What waits in each series since the last reading. */
class SeriesByLabels<T extends object> {
  readonly #create: () => T;
  #series = new Map<string, readonly [Labels, T]>();

  constructor(create: () => T) {
    this.#create = create;
  }

  /** @param labels in the same order each time */
  of(labels: Labels): T {
    let name = '';
    for (const label in labels) name += `${labels[label] ?? ''}\n`;
    const known = this.#series.get(name);
    if (known) return known[1];
    const created = this.#create();
    this.#series.set(name, [labels, created]);
    return created;
  }

  taken(): Iterable<readonly [Labels, T]> {
    const series = this.#series;
    this.#series = new Map();
    return series.values();
  }
}
