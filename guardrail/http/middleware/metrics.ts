import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { registerBuildInfo } from '../../buildInfo.ts';
import type { Access } from '../../customers/customers.ts';
import { boundedRule, type AnalysisContext, type Analyzer } from '../../detection/detection.ts';
import type { EntityCount, PseudonymCounts, ResponseOutcome } from '../../pseudonymization/pseudonymization.ts';
import type { MappingStore } from '../../store/store.ts';
import { knownMethod, routeOf, type ScopeMiddleware } from './context.ts';
import { registerMetrics } from './metricDefinitions.ts';
import type { TalliedHistogram } from './tallies.ts';

/** Outcomes of the pseudonyms in a response. */
const PSEUDONYM_OUTCOMES = ['restored', 'withheld', 'unknown'] as const;
type PseudonymOutcome = (typeof PSEUDONYM_OUTCOMES)[number];

/** Counts and times what the service does. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts and times every HTTP request. */
  readonly http: ScopeMiddleware;
  /** Counts a guardrail call. In monitor mode, `action` is the action that was not taken, after `MONITORED_`. */
  guardrailCall(phase: 'request' | 'response', protocol: string, action: string): void;
  entities(counts: readonly EntityCount[]): void;
  /** Counts lines of text in images that could not be read. */
  unreadLines(count: number): void;
  /** Counts the pseudonyms in a response, and a suspected enumeration of pseudonyms. */
  pseudonyms(counts: Pick<ResponseOutcome, PseudonymOutcome | 'isEnumeration'>): void;
  /** Counts the pseudonyms that a tool asks for or receives, and a suspected enumeration. */
  toolPseudonyms(way: 'restore' | 'mcp', counts: PseudonymCounts, isEnumeration: boolean): void;
  decryptionFailed(): void;
  /** Counts a call that failed and was forwarded in monitor mode. */
  failedOpen(code: string): void;
  /** Counts a request that names no end user. */
  callWithoutUser(protocol: string): void;
  /** Counts and times an answer of the upstream. `outcome` is its status, or the code of an error. */
  upstream(operation: string, outcome: string, seconds: number): void;
  /** Counts a version of the customer list that cannot be used. */
  customerListRefused(): void;
  /** Reports the number of customers in the list in force. */
  watchCustomers(access: Access): void;
  erased(kind: 'session' | 'subject'): void;
  imageTask(task: 'read' | 'rewrite', outcome: 'ok' | 'refused' | 'error', seconds: number): void;
  /** Counts audit events that were written, or lost. */
  auditEvents(outcome: 'written' | 'dropped', sink: string, count: number): void;
  /** Wraps a store, so that its calls are timed and its sessions counted. */
  instrumentStore(store: MappingStore): MappingStore;
  /** Wraps an analyzer, so that its calls are timed, and the finds of each rule counted. */
  instrumentAnalyzer(analyzer: Analyzer): Analyzer;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerBuildInfo(registry, 'guardrail_build_info');
  const metrics = registerMetrics(registry);
  for (const outcome of PSEUDONYM_OUTCOMES) metrics.responsePseudonyms.inc({ outcome }, 0);
  return {
    registry,
    async http(context, next) {
      const start = performance.now();
      try {
        await next();
      } finally {
        const route = routeOf(context);
        metrics.httpRequests.inc({ route, method: knownMethod(context.method), status: context.status });
        metrics.httpDuration.observe({ route }, secondsSince(start));
      }
    },
    guardrailCall(phase, protocol, action) {
      metrics.requests.inc({ phase, protocol, action });
    },
    entities(counts) {
      for (const { type, detector, count } of counts) metrics.entities.inc({ type, detector }, count);
    },
    unreadLines(count) {
      if (count > 0) metrics.unreadLines.inc({}, count);
    },
    pseudonyms(counts) {
      for (const outcome of PSEUDONYM_OUTCOMES) {
        if (counts[outcome] > 0) metrics.responsePseudonyms.inc({ outcome }, counts[outcome]);
      }
      if (counts.isEnumeration) metrics.suspectedEnumerations.inc();
    },
    toolPseudonyms: countToolPseudonyms.bind(undefined, metrics),
    ...singleCounts(metrics),
    upstream(operation, outcome, seconds) {
      metrics.upstreamResponses.inc({ operation, status: outcome });
      metrics.upstreamDuration.observe({ operation }, seconds);
    },
    customerListRefused() {
      metrics.customerListErrors.inc();
    },
    watchCustomers(access) {
      watchCustomers(access, registry);
    },
    erased(kind) {
      metrics.erasures.inc({ kind });
    },
    imageTask(task, outcome, seconds) {
      metrics.imageTaskDuration.observe({ task, outcome }, seconds);
    },
    auditEvents(outcome, sink, count) {
      metrics[outcome === 'written' ? 'auditEvents' : 'auditEventsDropped'].inc({ sink }, count);
    },
    instrumentStore: (store) => instrumentStore(store, metrics.storeDuration, registry),
    instrumentAnalyzer: (analyzer) => instrumentAnalyzer(analyzer, metrics),
  };
}

/** Counts of single calls and values. */
function singleCounts(
  metrics: ReturnType<typeof registerMetrics>,
): Pick<Metrics, 'decryptionFailed' | 'failedOpen' | 'callWithoutUser'> {
  return {
    decryptionFailed() {
      metrics.decryptionFailures.inc();
    },
    failedOpen(code) {
      metrics.failedOpen.inc({ code });
    },
    callWithoutUser(protocol) {
      metrics.callsWithoutUser.inc({ protocol });
    },
  };
}

function countToolPseudonyms(
  metrics: ReturnType<typeof registerMetrics>,
  ...[way, counts, isEnumeration]: Parameters<Metrics['toolPseudonyms']>
): void {
  for (const outcome of PSEUDONYM_OUTCOMES) {
    for (const [type, count] of counts[outcome]) metrics.toolPseudonyms.inc({ way, type, outcome }, count);
  }
  if (isEnumeration) metrics.suspectedEnumerations.inc();
}

function watchCustomers(access: Access, registry: Registry): void {
  new Gauge({
    name: 'guardrail_customers',
    help: 'Customers in the list in force. Not a number: there is no valid list, and every call is refused.',
    registers: [registry],
    // Every worker has the same list.
    aggregator: 'max',
    collect() {
      this.set(access.state()?.customers ?? Number.NaN);
    },
  });
}

function instrumentStore(store: MappingStore, histogram: TalliedHistogram, registry: Registry): MappingStore {
  new Gauge({
    name: 'guardrail_sessions',
    help: 'Sessions in the mapping store. With Redis, an estimate over all replicas.',
    registers: [registry],
    // Every worker reports the same sessions of Redis.
    aggregator: 'max',
    async collect() {
      this.set(await store.count().catch(() => Number.NaN));
    },
  });
  const timer = (operation: string): Timer => timerOf(histogram, { operation });
  const timers = {
    put: timer('put'),
    get: timer('get'),
    eraseSession: timer('erase_session'),
    eraseSubject: timer('erase_subject'),
    describe: timer('describe'),
  };
  return {
    fence: () => store.fence(),
    assertReachable: () => {
      store.assertReachable();
    },
    put: (entry) => timers.put(() => store.put(entry)),
    get: (session, pseudonyms, ttlMs) => timers.get(() => store.get(session, pseudonyms, ttlMs)),
    eraseSession: (session) => timers.eraseSession(() => store.eraseSession(session)),
    eraseSubject: (subject) => timers.eraseSubject(() => store.eraseSubject(subject)),
    describe: (session) => timers.describe(() => store.describe(session)),
    count: () => store.count(),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}

function instrumentAnalyzer(
  analyzer: Analyzer,
  { detectionDuration, rules }: Pick<ReturnType<typeof registerMetrics>, 'detectionDuration' | 'rules'>,
): Analyzer {
  const timer = timerOf(detectionDuration, {});
  return {
    async analyze(texts: readonly string[], context: AnalysisContext) {
      const findings = await timer(() => analyzer.analyze(texts, context));
      for (const inText of findings) for (const { rule } of inText) rules.inc({ rule: boundedRule(rule) });
      return findings;
    },
    state: () => analyzer.state(),
    close: () => analyzer.close(),
  };
}

/** Runs a call, and observes its time and outcome. */
type Timer = <T>(call: () => Promise<T>) => Promise<T>;

/** @param labels of the histogram, besides `outcome` */
function timerOf(histogram: TalliedHistogram, labels: Readonly<Record<string, string>>): Timer {
  const ok = { ...labels, outcome: 'ok' };
  const error = { ...labels, outcome: 'error' };
  return async (call) => {
    const start = performance.now();
    try {
      const result = await call();
      histogram.observe(ok, secondsSince(start));
      return result;
    } catch (thrown) {
      histogram.observe(error, secondsSince(start));
      throw thrown;
    }
  };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
