/** The metrics of the guardrail, one definition each. No label contains a value from a caller. */
import type { Registry } from 'prom-client';
import { TalliedCounter, TalliedHistogram } from './tallies.ts';

/** From half a millisecond to ten seconds: a short text takes about one millisecond, a long one a few hundred. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A model takes from milliseconds, for an embedding, to minutes, for an answer with much reasoning. */
const UPSTREAM_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

interface Definition {
  readonly name: string;
  readonly help: string;
  /** Default: {@link SECONDS}. */
  readonly buckets?: readonly number[];
  readonly labelNames?: readonly string[];
}

const COUNTERS = {
  httpRequests: {
    name: 'guardrail_http_requests_total',
    help: 'HTTP requests, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
  },
  requests: {
    name: 'guardrail_requests_total',
    help: 'Guardrail calls of gateways, by phase, protocol and action. In monitor mode, MONITORED_ precedes the action.',
    labelNames: ['phase', 'protocol', 'action'],
  },
  entities: {
    name: 'guardrail_entities_total',
    help: 'Entities detected in requests, by type and detector.',
    labelNames: ['type', 'detector'],
  },
  unreadLines: {
    name: 'guardrail_image_unread_lines_total',
    help: 'Lines of text that were found in images of requests and could not be read.',
  },
  rules: {
    name: 'guardrail_rule_finds_total',
    help: 'Entities that a rule found in analyzed texts, by rule: which one to tune. A text that is analyzed again counts again. Rules of policies count as custom and deny-list, those of Presidio as presidio.',
    labelNames: ['rule'],
  },
  responsePseudonyms: {
    name: 'guardrail_response_pseudonyms_total',
    help: 'Pseudonyms in model responses, by outcome: restored, withheld (in a URL that a client loads automatically) or unknown (not in the session).',
    labelNames: ['outcome'],
  },
  suspectedEnumerations: {
    name: 'guardrail_suspected_enumerations_total',
    help: 'Model responses, and calls of tools, with so many unknown pseudonyms that they may be an attempt to guess one. Nothing in them is restored.',
  },
  toolPseudonyms: {
    name: 'guardrail_tool_pseudonyms_total',
    help: 'Pseudonyms in what tools ask for or receive, by way (restore: calls of /v1/restore; mcp: the MCP proxy), entity type, and outcome: restored, withheld (the tool may not see the type) or unknown (not in the session).',
    labelNames: ['way', 'type', 'outcome'],
  },
  decryptionFailures: {
    name: 'guardrail_store_decryption_failures_total',
    help: 'Stored values that no encryption key decrypts.',
  },
  failedOpen: {
    name: 'guardrail_failed_open_requests_total',
    help: 'Guardrail calls that failed and were forwarded unchanged in monitor mode, by error code.',
    labelNames: ['code'],
  },
  callsWithoutUser: {
    name: 'guardrail_calls_without_user_total',
    help: 'Requests that name no end user, by protocol. The people who use the same key share one session for them.',
    labelNames: ['protocol'],
  },
  upstreamResponses: {
    name: 'guardrail_upstream_responses_total',
    help: 'Answers of the upstream of the inline proxy, by operation and status; the status is the code of the error if there is no answer.',
    labelNames: ['operation', 'status'],
  },
  customerListErrors: {
    name: 'guardrail_customer_list_errors_total',
    help: 'Versions of the list of customers that were incomplete or damaged. The previous one stays in force.',
  },
  erasures: {
    name: 'guardrail_erasures_total',
    help: 'Erasure requests, by kind: session or subject (an end user).',
    labelNames: ['kind'],
  },
  auditEvents: {
    name: 'guardrail_audit_events_total',
    help: 'Audit events that were written, by sink.',
    labelNames: ['sink'],
  },
  auditEventsDropped: {
    name: 'guardrail_audit_events_dropped_total',
    help: 'Audit events that were lost, because their sink failed or was too slow, by sink.',
    labelNames: ['sink'],
  },
} as const satisfies Record<string, Definition>;

const HISTOGRAMS = {
  upstreamDuration: {
    name: 'guardrail_upstream_response_seconds',
    help: 'Time from sending a request to the upstream of the inline proxy to the headers of its answer, by operation.',
    labelNames: ['operation'],
    buckets: UPSTREAM_SECONDS,
  },
  httpDuration: {
    name: 'guardrail_http_request_duration_seconds',
    help: 'Duration of HTTP requests, by route.',
    labelNames: ['route'],
  },
  storeDuration: {
    name: 'guardrail_store_operation_duration_seconds',
    help: 'Duration of calls to the mapping store, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
  },
  detectionDuration: {
    name: 'guardrail_detection_duration_seconds',
    help: 'Duration of detection in the texts of a request, by outcome.',
    labelNames: ['outcome'],
  },
  imageTaskDuration: {
    name: 'guardrail_image_task_duration_seconds',
    help: 'Duration of OCR (read) and redaction (rewrite) of an image including the wait, by task and outcome.',
    labelNames: ['task', 'outcome'],
  },
} as const satisfies Record<string, Definition>;

type Counters = Readonly<Record<keyof typeof COUNTERS, TalliedCounter>>;
type Histograms = Readonly<Record<keyof typeof HISTOGRAMS, TalliedHistogram>>;

/** Creates all counters and histograms in a registry. */
export function registerMetrics(registry: Registry): Counters & Histograms {
  const registers = [registry];
  const create = <K extends string, T>(definitions: Record<K, Definition>, make: (definition: Definition) => T) =>
    Object.fromEntries(
      Object.entries<Definition>(definitions).map(([key, definition]) => [key, make(definition)]),
    ) as Record<K, T>;
  return {
    ...create(COUNTERS, (definition) => new TalliedCounter({ ...configurationOf(definition), registers })),
    ...create(
      HISTOGRAMS,
      (definition) =>
        new TalliedHistogram({
          ...configurationOf(definition),
          buckets: [...(definition.buckets ?? SECONDS)],
          registers,
        }),
    ),
  };
}

function configurationOf({ name, help, labelNames = [] }: Definition): {
  name: string;
  help: string;
  labelNames: string[];
} {
  return { name, help, labelNames: [...labelNames] };
}
