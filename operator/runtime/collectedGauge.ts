import { setImmediate } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

/** One series of a gauge. */
export interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** Ends with the turn of the last gauge that was read. */
let lastTurn: Promise<void> = Promise.resolve();

/**
 * A gauge whose series are computed for each scrape and never stored. A series ends with its object, and thousands of
 * series cost nothing between two scrapes.
 */
export class CollectedGauge<Label extends string> extends Gauge<Label> {
  readonly #samples: () => readonly Sample<Label>[];

  constructor(
    registry: Registry,
    definition: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
    samples: () => readonly Sample<Label>[],
  ) {
    super({ ...definition, registers: [registry] });
    this.#samples = samples;
  }

  override async get(): ReturnType<Gauge<Label>['get']> {
    const metric = await super.get();
    // The registry writes thousands of series at once. Each gauge waits for a turn of the event loop of its own, so that
    // other work is served between two of them.
    lastTurn = lastTurn.then(() => setImmediate());
    await lastTurn;
    return { ...metric, values: [...this.#samples()] };
  }
}
