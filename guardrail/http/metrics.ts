import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AnalysisContext, Analyzer } from '../detection/detection.ts';
import type { EntityCount, ResponseOutcome } from '../pseudonymization/pseudonymization.ts';
import type { MappingStore } from '../store/store.ts';
import { routeOf, type CallMiddleware } from './context.ts';

/** From half a millisecond to ten seconds: a small text takes about one, a large one a few hundred. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What becomes of a pseudonym in an answer. */
const PSEUDONYM_OUTCOMES = ['restored', 'withheld', 'unknown'] as const;
type PseudonymOutcome = (typeof PSEUDONYM_OUTCOMES)[number];

/** Everything that the service counts. No label ever holds what a caller sent. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts and times every HTTP call. */
  readonly http: CallMiddleware;
  /** What came of a guarded call. `monitored` actions are those that monitor mode would have taken. */
  guarded(phase: 'request' | 'response', protocol: string, action: string): void;
  entities(counts: readonly EntityCount[]): void;
  /** Pseudonyms met in an answer, and whether it looks like a search for them. */
  pseudonyms(counts: Pick<ResponseOutcome, PseudonymOutcome | 'searched'>): void;
  unreadable(): void;
  /** A call that failed, and that monitor mode let pass. */
  tolerated(code: string): void;
  erased(kind: 'session' | 'subject'): void;
  /** One task of what reads and rewrites images. */
  image(task: 'read' | 'rewrite', outcome: 'ok' | 'refused' | 'error', seconds: number): void;
  /** The same store, its calls counted and timed. */
  store(inner: MappingStore): MappingStore;
  /** The same analyzer, its calls counted and timed. */
  analyzer(inner: Analyzer): Analyzer;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'guardrail_http_requests_total',
    help: 'HTTP calls by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'guardrail_http_request_duration_seconds',
    help: 'Time from the first byte of an HTTP call to its answer.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  });
  const guarded = new Counter({
    name: 'guardrail_requests_total',
    help: 'Guarded calls by phase, protocol and action.',
    labelNames: ['phase', 'protocol', 'action'],
    registers,
  });
  const entities = new Counter({
    name: 'guardrail_entities_total',
    help: 'Entities found in requests, by type and detector.',
    labelNames: ['type', 'detector'],
    registers,
  });
  const pseudonyms = new Counter({
    name: 'guardrail_pseudonyms_total',
    help: 'Pseudonyms in answers: restored, withheld from an address that a renderer loads, or unknown to their session.',
    labelNames: ['outcome'],
    registers,
  });
  const searched = new Counter({
    name: 'guardrail_searched_answers_total',
    help: 'Answers with so many unknown pseudonyms that they look like a search for one. Nothing in them was restored.',
    registers,
  });
  const unreadable = new Counter({
    name: 'guardrail_store_unreadable_total',
    help: 'Stored values that none of the encryption keys opened.',
    registers,
  });
  const tolerated = new Counter({
    name: 'guardrail_tolerated_failures_total',
    help: 'Calls that failed and that monitor mode let pass unchanged, by error code.',
    labelNames: ['code'],
    registers,
  });
  const erased = new Counter({
    name: 'guardrail_erasures_total',
    help: 'Erasures asked for, by what was to be erased.',
    labelNames: ['kind'],
    registers,
  });
  const storeCalls = new Histogram({
    name: 'guardrail_store_operation_duration_seconds',
    help: 'Calls to the mapping store by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const detectorCalls = new Histogram({
    name: 'guardrail_detection_duration_seconds',
    help: 'Detection over the texts of a request, by outcome.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });

  const imageTasks = new Histogram({
    name: 'guardrail_image_duration_seconds',
    help: 'Images read and rewritten, with the time that they waited, by task and outcome.',
    labelNames: ['task', 'outcome'],
    buckets: SECONDS,
    registers,
  });

  async function timed<T>(histogram: Histogram, labels: Record<string, string>, call: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const observe = (outcome: string): void => {
      histogram.observe({ ...labels, outcome }, (performance.now() - start) / 1000);
    };
    try {
      const result = await call();
      observe('ok');
      return result;
    } catch (error) {
      observe('error');
      throw error;
    }
  }

  return {
    registry,

    async http(context, next) {
      const start = performance.now();
      try {
        await next();
      } finally {
        const route = routeOf(context);
        requests.inc({ route, method: knownMethod(context.method), status: context.status });
        duration.observe({ route }, (performance.now() - start) / 1000);
      }
    },
    guarded(phase, protocol, action) {
      guarded.inc({ phase, protocol, action });
    },
    entities(counts) {
      for (const { type, detector, count } of counts) entities.inc({ type, detector }, count);
    },
    pseudonyms(counts) {
      for (const outcome of PSEUDONYM_OUTCOMES) pseudonyms.inc({ outcome }, counts[outcome]);
      if (counts.searched) searched.inc();
    },
    unreadable() {
      unreadable.inc();
    },
    tolerated(code) {
      tolerated.inc({ code });
    },
    erased(kind) {
      erased.inc({ kind });
    },

    image(task, outcome, seconds) {
      imageTasks.observe({ task, outcome }, seconds);
    },

    store(inner) {
      new Gauge({
        name: 'guardrail_sessions',
        help: 'Sessions held by the mapping store; with Redis an estimate over all instances.',
        registers,
        // Every worker of a Redis-backed service reports the same sessions.
        aggregator: 'max',
        async collect() {
          this.set(await inner.count().catch(() => Number.NaN));
        },
      });
      const call = <T>(operation: string, run: () => Promise<T>): Promise<T> => timed(storeCalls, { operation }, run);
      return {
        fence: () => inner.fence(),
        put: (entry) => call('put', () => inner.put(entry)),
        get: (session, pseudonyms) => call('get', () => inner.get(session, pseudonyms)),
        eraseSession: (session) => call('erase_session', () => inner.eraseSession(session)),
        eraseSubject: (subject) => call('erase_subject', () => inner.eraseSubject(subject)),
        describe: (session) => call('describe', () => inner.describe(session)),
        count: () => inner.count(),
        ping: () => inner.ping(),
        close: () => inner.close(),
      };
    },

    analyzer(inner) {
      return {
        analyze: (texts: readonly string[], context: AnalysisContext) =>
          timed(detectorCalls, {}, () => inner.analyze(texts, context)),
        state: () => inner.state(),
        close: () => inner.close(),
      };
    },
  };
}

/** Node takes a few dozen methods; a label takes those that are ever routed. */
function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'].includes(method) ? method : 'other';
}
