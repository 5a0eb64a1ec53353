import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Change, ObjectCache } from '../cache/cache.ts';
import type { Clock } from '../clock.ts';
import type { ReconcileContext, Result } from '../contract.ts';
import { ApiError, RetryAfterError, isConflict } from '../client/errors.ts';
import { unexpectedErrorMessage, ReconcileTimeoutError, redacted } from './unexpectedError.ts';
import type { ReconcileResult, RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { keyOf, keyText, parseKey } from '../objects.ts';
import type { ControllerSpec } from './controllerSpec.ts';
import { type Outcome, Priority, WorkQueue } from './workQueue.ts';

/** Defaults of all controllers. */
export interface ControllerOptions {
  readonly workers: number;
  /** How long one reconcile may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Shortest and longest wait after failures of one object, in milliseconds. */
  readonly backoffMs: readonly [number, number];
  /** Runs a reconcile as a part of a trace. Default: without one. */
  readonly trace?: TraceReconcile;
}

/** Runs a reconcile, and returns or throws what it does. */
export type TraceReconcile = (
  object: { readonly kind: string; readonly controller: string; readonly key: ObjectKey },
  reconcile: () => Promise<Result>,
) => Promise<Result>;

export const DEFAULT_CONTROLLER_OPTIONS: ControllerOptions = {
  workers: 16,
  timeoutMs: 120_000,
  backoffMs: [200, 120_000],
};

/** Random part of a retry delay, so that objects are not all retried at once. */
const RETRY_AFTER_JITTER = 0.1;

/** A change of one object from one resourceVersion to another. */
interface Step {
  readonly from: string | undefined;
  readonly to: string;
}

interface Work {
  readonly since: number;
  /** Changes of the object since the start. They cause another reconcile, except those that the reconcile made itself. */
  readonly changes: Step[];
  /** Changes of the object that the reconcile made itself. */
  readonly own: Step[];
}

/** Runs one controller while this process leads: changes go through its work queue to its reconciler. */
export class Controller {
  readonly #spec: ControllerSpec;
  readonly #caches: (kind: ResourceKind) => ObjectCache<KubeObject>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #options: ControllerOptions;
  readonly #queue: WorkQueue;
  readonly #labels: { readonly name: string; readonly controller: string };
  readonly #unsubscribe: (() => void)[] = [];
  readonly #working = new Map<string, Work>();
  #workers: Promise<void>[] = [];

  constructor(dependencies: {
    readonly spec: ControllerSpec;
    /** The cache of each kind that the controller watches. */
    readonly caches: (kind: ResourceKind) => ObjectCache<KubeObject>;
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: RuntimeMetrics;
    readonly options: ControllerOptions;
  }) {
    this.#spec = dependencies.spec;
    this.#caches = dependencies.caches;
    this.#clock = dependencies.clock;
    this.#metrics = dependencies.metrics;
    this.#options = dependencies.options;
    this.#labels = { name: dependencies.spec.name, controller: dependencies.spec.name };
    this.#log = dependencies.log.child({ controller: dependencies.spec.name });
    const { groupsOf } = dependencies.spec;
    this.#queue = new WorkQueue(dependencies.clock, {
      backoffMs: dependencies.options.backoffMs,
      fairness: { groupsOf: (key) => groupsOf(parseKey(key)), workers: this.#options.workers },
      observer: {
        added: () => {
          this.#metrics.queueAdds.inc(this.#labels);
        },
        retried: () => {
          this.#metrics.queueRetries.inc(this.#labels);
        },
        depth: (priority, count) => {
          this.#metrics.queueDepth.set({ ...this.#labels, priority: String(priority) }, count);
        },
        waited: (ms) => {
          this.#metrics.queueSeconds.observe(this.#labels, ms / 1000);
        },
      },
    });
  }

  /**
   * Starts the workers. All caches must have synced.
   * @param signal aborts running reconciles: leadership is lost, or the drain time is over
   */
  start(signal: AbortSignal): void {
    const { kind, watches, changed } = this.#spec;
    const own = this.#caches(kind);
    this.#unsubscribe.push(
      own.subscribe((change) => {
        if (change.type === 'updated') {
          if (changed(change.before, change.after)) this.#changed(change.before, change.after);
        } else if (change.type === 'added') {
          this.#add(change.after, change.initial ? unfinished(change.after) : Priority.changed);
        } else if (change.type === 'deleted') {
          this.#add(change.before, Priority.changed);
        } else {
          const { after, guardedBy } = change;
          const work = this.#working.get(keyText(keyOf(after)));
          work?.own.push({ from: guardedBy, to: after.metadata.resourceVersion });
        }
      }),
    );
    for (const watch of watches) {
      const added = new Set<string>();
      const add = (object: KubeObject, priority: Priority): void => {
        for (const key of watch.map(object)) {
          const text = keyText(key);
          if (added.has(text)) continue;
          added.add(text);
          this.#queue.add(text, priority);
        }
      };
      this.#unsubscribe.push(
        this.#caches(watch.kind).subscribe((change: Change<KubeObject>) => {
          added.clear();
          // One change may affect thousands of objects. They must not delay an object that a user just changed.
          if (change.type === 'updated') {
            if (!watch.changed(change.before, change.after)) return;
            add(change.before, Priority.pending);
            add(change.after, Priority.pending);
          } else if (change.type !== 'ownWrite') {
            add(change.type === 'added' ? change.after : change.before, Priority.pending);
          }
        }),
      );
    }
    for (const object of own.list()) this.#add(object, unfinished(object));
    for (const watch of watches) this.#addMissing(watch, own);

    const { workers } = this.#options;
    this.#metrics.maxConcurrent.set({ controller: this.#spec.name }, workers);
    this.#log.info({ workers, objects: own.size }, 'Controller started.');
    this.#workers = Array.from({ length: workers }, () => this.#work(signal));
  }

  /** Enqueues objects that were deleted while no operator ran and that other objects still refer to. */
  #addMissing({ kind, map }: ControllerSpec['watches'][number], own: ObjectCache<KubeObject>): void {
    for (const object of this.#caches(kind).list()) {
      try {
        for (const key of map(object)) {
          if (own.get(key) === undefined) this.#queue.add(keyText(key), Priority.pending);
        }
      } catch (error) {
        this.#log.error({ err: error, kind: kind.kind }, 'Watch map function failed (bug).');
      }
    }
  }

  /** Stops the workers. Resolves when all running reconciles have ended. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#queue.close();
    await Promise.all(this.#workers);
  }

  /** Whether no object waits for a worker, is reconciled, or is due. */
  get idle(): boolean {
    return this.#queue.idle;
  }

  /** Updates the gauges that depend on the time. */
  observe(): void {
    const now = this.#clock.monotonic();
    const ages = [...this.#working.values()].map(({ since }) => (now - since) / 1000);
    this.#metrics.unfinishedWork.set(
      this.#labels,
      ages.reduce((sum, age) => sum + age, 0),
    );
    this.#metrics.longestRunning.set(this.#labels, Math.max(0, ...ages));
  }

  /** A reconcile's own writes must not cause the next reconcile. They are known only when it ends. */
  #changed(before: KubeObject, after: KubeObject): void {
    const work = this.#working.get(keyText(keyOf(after)));
    if (work === undefined || this.#spec.reactsToItself) this.#add(after, Priority.changed);
    else work.changes.push({ from: before.metadata.resourceVersion, to: after.metadata.resourceVersion });
  }

  #add(object: KubeObject, priority: Priority): void {
    this.#queue.add(keyText(keyOf(object)), priority);
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      this.#queue.finish(key, await this.#reconcile(key, signal));
    }
  }

  async #reconcile(text: string, signal: AbortSignal): Promise<Outcome> {
    const { name, reconciler } = this.#spec;
    const timeoutMs = this.#spec.timeoutMs ?? this.#options.timeoutMs;
    const labels = { controller: name };
    const log = this.#log.child({ object: text, reconcileID: randomUUID() });
    const started = this.#clock.monotonic();
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const cancelTimer = this.#clock.after(timeoutMs, () => {
      this.#metrics.reconcileTimeouts.inc(labels);
      controller.abort(new ReconcileTimeoutError(`The reconcile timed out after ${timeoutMs / 1000} s.`));
    });
    const work: Work = { since: started, changes: [], own: [] };
    this.#working.set(text, work);
    this.#metrics.activeWorkers.inc(labels);
    let outcome: Outcome;
    let result: ReconcileResult;
    try {
      const requested = await this.#traced(text, { signal: controller.signal, log });
      outcome = this.#after(requested);
      result = outcome.kind === 'requeueAfter' ? 'requeue_after' : 'success';
    } catch (error) {
      const { reason } = controller.signal as { reason: unknown };
      const cause = reason instanceof ReconcileTimeoutError ? reason : error;
      const message =
        signal.aborted || reconciler.isExpected?.(error) === true ? undefined : unexpectedErrorMessage(cause);
      if (message !== undefined) await this.#reportUnexpectedError(text, message, log);
      [outcome, result] = this.#afterError(error, log, { stopping: signal.aborted, isFault: message !== undefined });
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', abort);
      this.#working.delete(text);
      this.#metrics.activeWorkers.dec(labels);
    }
    const foreign = work.changes.some((step) => !work.own.some(({ from, to }) => from === step.from && to === step.to));
    if (foreign) this.#queue.add(text, Priority.changed);
    const seconds = (this.#clock.monotonic() - started) / 1000;
    this.#metrics.reconcileTotal.inc({ ...labels, result });
    this.#metrics.reconcileSeconds.observe(labels, seconds);
    this.#metrics.workSeconds.observe(this.#labels, seconds);
    return outcome;
  }

  #traced(text: string, context: ReconcileContext): Promise<Result> {
    const { name: controller, kind, reconciler } = this.#spec;
    const { trace } = this.#options;
    const key = parseKey(text);
    if (trace === undefined) return reconciler.reconcile(key, context);
    return trace({ kind: kind.kind, controller, key }, () => reconciler.reconcile(key, context));
  }

  #after(result: Result): Outcome {
    const { requeueAfter } = result;
    if (requeueAfter === undefined) return { kind: 'done' };
    if (!Number.isFinite(requeueAfter) || requeueAfter < 0) {
      throw new TypeError(`A reconcile returned an invalid requeueAfter: ${requeueAfter} ms.`);
    }
    return { kind: 'requeueAfter', ms: requeueAfter };
  }

  async #reportUnexpectedError(text: string, message: string, log: Logger): Promise<void> {
    try {
      await this.#spec.reconciler.reportUnexpectedError?.(parseKey(text), message);
    } catch (error) {
      log.warn({ err: redacted(error) }, 'Cannot report the error on the resource.');
    }
  }

  #afterError(
    error: unknown,
    log: Logger,
    { stopping, isFault }: { readonly stopping: boolean; readonly isFault: boolean },
  ): [Outcome, ReconcileResult] {
    const labels = { controller: this.#spec.name };
    if (error instanceof RetryAfterError) {
      log.info({ reason: error.message, afterMs: error.afterMs }, 'Requeueing after the requested delay.');
      return [this.#retryAfter(error.afterMs), 'requeue_after'];
    }
    if (stopping) {
      log.info('Reconcile aborted: the process is shutting down or is no longer the leader.');
      return [{ kind: 'failed' }, 'error'];
    }
    this.#metrics.reconcileErrors.inc(labels);
    if (
      error instanceof ApiError &&
      error.retryAfterMs !== undefined &&
      (error.status === 429 || error.status >= 500)
    ) {
      log.warn({ err: error }, 'The API server asks the operator to retry later.');
      return [this.#retryAfter(error.retryAfterMs), 'error'];
    }
    if (isConflict(error)) log.debug({ err: error }, 'Conflict: the object was modified; retrying.');
    else if (isFault && !(error instanceof ApiError)) {
      log.error({ err: redacted(error) }, 'Reconcile failed with an internal error; retrying with backoff.');
    } else log.error({ err: error }, 'Reconcile failed; retrying with backoff.');
    return [{ kind: 'failed' }, 'error'];
  }

  #retryAfter(ms: number): Outcome {
    return { kind: 'retryAfter', ms: Math.max(0, ms) * (1 + RETRY_AFTER_JITTER * this.#clock.random()) };
  }
}

/** After a restart, objects that are not up to date come first. */
function unfinished(object: KubeObject): Priority {
  const { status, metadata } = object as KubeObject & { status?: { observedGeneration?: unknown } };
  return metadata.deletionTimestamp !== undefined || status?.observedGeneration !== metadata.generation
    ? Priority.pending
    : Priority.routine;
}
