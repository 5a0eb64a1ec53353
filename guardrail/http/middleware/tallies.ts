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
  #all: (readonly [Labels, T])[] = [];
  #root: Node<T> = { next: new Map(), series: undefined };

  constructor(create: () => T) {
    this.#create = create;
  }

  /** @param labels in the same order each time */
  of(labels: Labels): T {
    let node = this.#root;
    for (const label in labels) {
      const value = labels[label] ?? '';
      let next = node.next.get(value);
      if (!next) {
        next = { next: new Map(), series: undefined };
        node.next.set(value, next);
      }
      node = next;
    }
    if (node.series) return node.series;
    const created = this.#create();
    node.series = created;
    this.#all.push([labels, created]);
    return created;
  }

  taken(): Iterable<readonly [Labels, T]> {
    const all = this.#all;
    this.#all = [];
    this.#root = { next: new Map(), series: undefined };
    return all;
  }
}

/** The series by the value of each label in turn: most values are constants, and no name is put together. */
interface Node<T> {
  readonly next: Map<string | number, Node<T>>;
  series: T | undefined;
}
