import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { setImmediate } from 'node:timers/promises';

/** The buckets of controller-runtime's reconcile histogram, so that its dashboards and alerts work unchanged. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** The buckets of client-go's work queue histograms (powers of ten from 10 ns), without those below 10 µs, which stay empty. */
const QUEUE_BUCKETS = [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000];
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

const CONTROLLER = ['controller'] as const;
const QUEUE = ['name', 'controller'] as const;

/** The result of a reconcile, in controller-runtime's terms. */
export type ReconcileResult = 'success' | 'error' | 'requeue_after';

/** The runtime's metrics. They use the names and labels of controller-runtime and client-go if those exist. */
export class RuntimeMetrics {
  readonly reconcileTotal = counter(
    'controller_runtime_reconcile_total',
    'Total number of reconciliations, by controller and result.',
    ['controller', 'result'],
  );
  readonly reconcileErrors = counter(
    'controller_runtime_reconcile_errors_total',
    'Total number of reconciliation errors, by controller.',
    CONTROLLER,
  );
  readonly reconcileTimeouts = counter(
    'controller_runtime_reconcile_timeouts_total',
    'Total number of reconciliation timeouts, by controller.',
    CONTROLLER,
  );
  readonly reconcileSeconds = histogram(
    'controller_runtime_reconcile_time_seconds',
    'Duration of reconciliations, by controller.',
    CONTROLLER,
    RECONCILE_BUCKETS,
  );
  readonly maxConcurrent = gauge(
    'controller_runtime_max_concurrent_reconciles',
    'Maximum number of concurrent reconciliations, by controller.',
    CONTROLLER,
  );
  readonly activeWorkers = gauge(
    'controller_runtime_active_workers',
    'Number of reconciliations in progress, by controller.',
    CONTROLLER,
  );
  readonly queueDepth = gauge(
    'workqueue_depth',
    'Current depth of the work queue, by priority (2: changed, 1: not up to date, 0: routine).',
    ['name', 'controller', 'priority'],
  );
  readonly queueAdds = counter('workqueue_adds_total', 'Total number of adds handled by the work queue.', QUEUE);
  readonly queueRetries = counter(
    'workqueue_retries_total',
    'Total number of retries handled by the work queue.',
    QUEUE,
  );
  readonly queueSeconds = histogram(
    'workqueue_queue_duration_seconds',
    'Time that an object waits in the work queue before it is reconciled.',
    QUEUE,
    QUEUE_BUCKETS,
  );
  readonly workSeconds = histogram(
    'workqueue_work_duration_seconds',
    'Time that processing an object from the work queue takes.',
    QUEUE,
    QUEUE_BUCKETS,
  );
  readonly unfinishedWork = gauge(
    'workqueue_unfinished_work_seconds',
    'Sum of the ages of all reconciliations in progress.',
    QUEUE,
  );
  readonly longestRunning = gauge(
    'workqueue_longest_running_processor_seconds',
    'Age of the oldest reconciliation in progress.',
    QUEUE,
  );
  readonly requests = counter(
    'rest_client_requests_total',
    'Number of HTTP requests to the API server, by status code (<error>: no response), method and host.',
    ['code', 'method', 'host'],
  );
  readonly requestSeconds = histogram(
    'rest_client_request_duration_seconds',
    'Request latency of the API server, by verb and host. Watches are not included.',
    ['verb', 'host'],
    REQUEST_BUCKETS,
  );
  readonly leader = gauge(
    'leader_election_master_status',
    'Whether this process holds the lease: 1 if it is the leader, 0 if it stands by.',
    ['name'],
  );
  readonly cacheObjects = gauge(
    'gateway_guardrail_operator_cache_objects',
    'Number of objects in the cache, by kind.',
    ['kind'],
  );
  readonly lists = counter(
    'gateway_guardrail_operator_lists_total',
    'Total number of complete lists read from the API server, by kind: one at the start, and one after each watch that cannot be resumed.',
    ['kind'],
  );
  readonly watches = counter(
    'gateway_guardrail_operator_watches_total',
    'Total number of watches, by kind and end (closed, expired, silent, malformed, error).',
    ['kind', 'end'],
  );
  readonly events = counter(
    'gateway_guardrail_operator_events_total',
    'Total number of Kubernetes events, by outcome (sent, counted, dropped, failed).',
    ['outcome'],
  );
  readonly registry: Registry;

  constructor(registry: Registry = new Registry()) {
    for (const metric of Object.values(this) as (Metric | undefined)[]) {
      if (metric !== undefined) registry.registerMetric(metric);
    }
    this.registry = registry;
  }

  /** Adds the metrics of Node.js: memory, event loop lag, garbage collection. Call it once per process. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }
}

function counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
  return new Counter({ name, help, labelNames, registers: [] });
}

function gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
  return new Gauge({ name, help, labelNames, registers: [] });
}

function histogram<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
  buckets: number[],
): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets, registers: [] });
}

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
