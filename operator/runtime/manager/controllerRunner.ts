import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { endsWithin, sleep } from '../clock.ts';
import { Controller, DEFAULT_CONTROLLER_OPTIONS, type ControllerOptions } from '../controller/controller.ts';
import type { ControllerSpec } from '../controller/controllerSpec.ts';
import type { RuntimeMetrics } from '../metrics.ts';
import { LeaseLostError } from './lease.ts';
import type { RuntimeBuilder } from './runtimeBuilder.ts';

/** The drain time of aborted reconciles, in milliseconds. */
export const ABORT_MS = 5_000;

/** Runs all controllers while this process leads. */
export class ControllerRunner {
  readonly #builder: RuntimeBuilder;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #options: ControllerOptions;
  readonly #drainMs: number;
  #controllers: readonly Controller[] = [];

  constructor(dependencies: {
    readonly builder: RuntimeBuilder;
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: RuntimeMetrics;
    readonly options: Partial<ControllerOptions> | undefined;
    /** How long running reconciles may take to end at a shutdown before they are aborted, in milliseconds. */
    readonly drainMs: number;
  }) {
    this.#builder = dependencies.builder;
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
    this.#metrics = dependencies.metrics;
    this.#options = { ...DEFAULT_CONTROLLER_OPTIONS, ...dependencies.options };
    this.#drainMs = dependencies.drainMs;
  }

  /** The plurals of the kinds whose first list has not been read yet. */
  get unsynced(): string[] {
    return this.#builder.informers.filter(({ cache }) => !cache.synced).map(({ kind }) => kind.plural);
  }

  /** Whether the controllers run, and none has an object that waits for a worker, is reconciled, or is due. */
  get idle(): boolean {
    return this.#controllers.length > 0 && this.#controllers.every(({ idle }) => idle);
  }

  /** Updates the metrics that depend on the time. */
  observe(): void {
    for (const controller of this.#controllers) controller.observe();
  }

  /**
   * Runs controllers until leadership ends or the process stops. Waits until all caches are synced; at the end, drains running
   * reconciles.
   * @param term aborted when leadership ends: running reconciles are aborted at once
   * @param stopping aborted when the process stops: running reconciles may end
   * @throws LeaseLostError if leadership ended and aborted reconciles do not end
   */
  async run(specs: readonly ControllerSpec[], term: AbortSignal, stopping: AbortSignal): Promise<void> {
    const until = AbortSignal.any([term, stopping]);
    while (!until.aborted && this.unsynced.length > 0) await sleep(this.#clock, 20, until);
    if (until.aborted) return;

    const abort = new AbortController();
    term.addEventListener(
      'abort',
      () => {
        abort.abort(term.reason);
      },
      { once: true },
    );
    this.#controllers = specs.map((spec) => this.#controller(spec));
    for (const controller of this.#controllers) controller.start(abort.signal);
    await aborted(until);
    await this.#drain(abort, term, stopping);
    this.#controllers = [];
  }

  #controller(spec: ControllerSpec): Controller {
    return new Controller({
      spec,
      caches: (kind) => this.#builder.informer(kind).cache,
      clock: this.#clock,
      log: this.#log,
      metrics: this.#metrics,
      options: this.#options,
    });
  }

  async #drain(abort: AbortController, term: AbortSignal, stopping: AbortSignal): Promise<void> {
    const stopped = Promise.all(this.#controllers.map((controller) => controller.stop()));
    if (await endsWithin(this.#clock, stopped, term.aborted ? 0 : this.#drainMs, term)) return;
    abort.abort(new Error('The operator is stopping.'));
    if (await endsWithin(this.#clock, stopped, ABORT_MS)) return;
    this.#log.error('Some reconciles did not end after they were aborted.');
    if (!stopping.aborted) {
      throw new LeaseLostError('Leadership is lost, and some reconciles did not end. The process exits.');
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
