import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Buckets of controller-runtime's reconcile histogram, so that its dashboards and alerts read ours as they are. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** Buckets of client-go's work queue histograms: powers of ten from 10 ns, of which those below 10 µs never fill here. */
const QUEUE_BUCKETS = [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000];

/** How a reconcile ended, in controller-runtime's words. */
export type ReconcileResult = 'success' | 'error' | 'requeue_after';

/** The runtime's metrics. Names and labels are those of controller-runtime and client-go wherever these have one. */
export class RuntimeMetrics {
  readonly registry: Registry;
  readonly reconcileTotal: Counter<'controller' | 'result'>;
  readonly reconcileErrors: Counter<'controller'>;
  readonly terminalErrors: Counter<'controller'>;
  readonly reconcileTimeouts: Counter<'controller'>;
  readonly reconcileSeconds: Histogram<'controller'>;
  readonly maxConcurrent: Gauge<'controller'>;
  readonly activeWorkers: Gauge<'controller'>;
  readonly queueDepth: Gauge<'name' | 'controller' | 'priority'>;
  readonly queueAdds: Counter<'name' | 'controller'>;
  readonly queueRetries: Counter<'name' | 'controller'>;
  readonly queueSeconds: Histogram<'name' | 'controller'>;
  readonly workSeconds: Histogram<'name' | 'controller'>;
  readonly unfinishedWork: Gauge<'name' | 'controller'>;
  readonly longestRunning: Gauge<'name' | 'controller'>;
  readonly requests: Counter<'code' | 'method' | 'host'>;
  readonly requestSeconds: Histogram<'verb' | 'host'>;
  readonly leader: Gauge<'name'>;
  readonly cacheObjects: Gauge<'kind'>;
  readonly lists: Counter<'kind'>;
  readonly watches: Counter<'kind' | 'end'>;
  readonly events: Counter<'outcome'>;
  readonly blockSeconds: Histogram<'controller'>;

  constructor(registry: Registry = new Registry()) {
    this.registry = registry;
    const registers = [registry];
    const perController = { registers, labelNames: ['controller'] as const };
    const perQueue = { registers, labelNames: ['name', 'controller'] as const };

    this.reconcileTotal = new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles by how they ended.',
      registers,
      labelNames: ['controller', 'result'],
    });
    this.reconcileErrors = new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Reconciles that ended with an error.',
      ...perController,
    });
    this.terminalErrors = new Counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Reconciles that ended with an error that waiting does not cure.',
      ...perController,
    });
    this.reconcileTimeouts = new Counter({
      name: 'controller_runtime_reconcile_timeouts_total',
      help: 'Reconciles that took longer than they may.',
      ...perController,
    });
    this.reconcileSeconds = new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'How long reconciles took.',
      buckets: RECONCILE_BUCKETS,
      ...perController,
    });
    this.maxConcurrent = new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'How many reconciles may run at once.',
      ...perController,
    });
    this.activeWorkers = new Gauge({
      name: 'controller_runtime_active_workers',
      help: 'How many reconciles are running.',
      ...perController,
    });
    this.queueDepth = new Gauge({
      name: 'workqueue_depth',
      help: 'Objects waiting to be reconciled, by priority (2: changed, 1: not yet up to date, 0: routine).',
      registers,
      labelNames: ['name', 'controller', 'priority'],
    });
    this.queueAdds = new Counter({ name: 'workqueue_adds_total', help: 'Objects put into the queue.', ...perQueue });
    this.queueRetries = new Counter({ name: 'workqueue_retries_total', help: 'Retries after an error.', ...perQueue });
    this.queueSeconds = new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long objects waited in the queue.',
      buckets: QUEUE_BUCKETS,
      ...perQueue,
    });
    this.workSeconds = new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long objects took from the queue were worked on.',
      buckets: QUEUE_BUCKETS,
      ...perQueue,
    });
    this.unfinishedWork = new Gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Sum of the ages of all reconciles that are running.',
      ...perQueue,
    });
    this.longestRunning = new Gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Age of the oldest reconcile that is running.',
      ...perQueue,
    });
    this.requests = new Counter({
      name: 'rest_client_requests_total',
      help: 'Requests to the API server by HTTP status, or <error> when no answer came.',
      registers,
      labelNames: ['code', 'method', 'host'],
    });
    this.requestSeconds = new Histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'How long the API server took to answer, watches aside.',
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      registers,
      labelNames: ['verb', 'host'],
    });
    this.leader = new Gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process holds the lease.',
      registers,
      labelNames: ['name'],
    });
    this.cacheObjects = new Gauge({
      name: 'gateway_guardrail_operator_cache_objects',
      help: 'Objects held in the cache.',
      registers,
      labelNames: ['kind'],
    });
    this.lists = new Counter({
      name: 'gateway_guardrail_operator_lists_total',
      help: 'Complete lists read from the API server: one at start, more where a watch could not be continued.',
      registers,
      labelNames: ['kind'],
    });
    this.watches = new Counter({
      name: 'gateway_guardrail_operator_watches_total',
      help: 'Watches by how they ended (closed, expired, silent, malformed, error).',
      registers,
      labelNames: ['kind', 'end'],
    });
    this.events = new Counter({
      name: 'gateway_guardrail_operator_events_total',
      help: 'Kubernetes events by what became of them (sent, counted, dropped, failed).',
      registers,
      labelNames: ['outcome'],
    });
    this.blockSeconds = new Histogram({
      name: 'gateway_guardrail_operator_event_loop_block_seconds',
      help: 'The longest time at a stretch that the event loop was blocked in each quarter of a second, for each controller with a reconcile under way.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      ...perController,
    });
  }

  /** Adds Node's own metrics: memory, event loop lag, garbage collection. Once a process. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }
}
