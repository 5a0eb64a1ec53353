/** Sums up audit events. Pure: the order of the events does not matter. */
import { ACTIONS, type AuditAction, type AuditedPseudonyms, type AuditEvent } from '../event.ts';

/** What became of values of one type: see {@link outcomeOf}. */
export interface TypeCounts {
  readonly hidden: number;
  readonly blocked: number;
  readonly unchanged: number;
  readonly total: number;
}

export interface PolicyUse {
  /** Whose policy it is. */
  readonly of: 'service' | 'customer';
  readonly revision: string;
  readonly calls: number;
  /** The times of the first and the last call. */
  readonly first: string;
  readonly last: string;
}

/** The sums over events. Lists are sorted. */
export interface Summary {
  readonly events: number;
  /** The times of the first and the last event; undefined: there is none. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** Requests, and calls through the proxies, by action. */
  readonly requests: Counts;
  /** Answers that the gateway sent, by action. */
  readonly answers: Counts;
  /** Calls of tools for the values of pseudonyms, by action. */
  readonly restores: Counts;
  readonly types: readonly (TypeCounts & { readonly type: string })[];
  readonly allTypes: TypeCounts;
  readonly pseudonyms: { readonly restored: number; readonly withheld: number; readonly unknown: number };
  /** Pseudonyms in what tools asked for, or received through the MCP proxy, by type. */
  readonly toolTypes: readonly ToolCounts[];
  readonly allToolTypes: Omit<ToolCounts, 'type'>;
  /** Calls that look like a search for values, by phase. */
  readonly enumerations: Counts;
  readonly errors: Counts;
  readonly policies: readonly PolicyUse[];
  readonly erasures: { readonly requests: number; readonly failed: number; readonly sessions: number };
  readonly protocols: Counts;
  readonly instances: Counts;
}

type Counts = readonly { readonly name: string; readonly count: number }[];

type ToolCounts = AuditedPseudonyms;

type Outcome = Exclude<keyof TypeCounts, 'total'>;

/**
 * What became of the values in a call: `hidden` (replaced before the model), `blocked` (the call did not reach the model), or
 * `unchanged` (the text went on as it was).
 */
export function outcomeOf(action: AuditAction): Outcome {
  switch (action) {
    case 'GUARDRAIL_INTERVENED':
      return 'hidden';
    case 'BLOCKED':
    case 'FAILED':
      return 'blocked';
    case 'NONE':
    case 'UNCHECKED':
    case 'ERASED':
    case 'MONITORED_GUARDRAIL_INTERVENED':
    case 'MONITORED_BLOCKED':
    case 'MONITORED_FAILED':
      return 'unchanged';
  }
}

const NOTHING: TypeCounts = { hidden: 0, blocked: 0, unchanged: 0, total: 0 };
const NO_PSEUDONYMS = { restored: 0, withheld: 0, unknown: 0 };

export class Tally {
  #events = 0;
  #first: string | undefined;
  #last: string | undefined;
  readonly #requests = new Map<string, number>();
  readonly #answers = new Map<string, number>();
  readonly #types = new Map<string, TypeCounts>();
  #allTypes = NOTHING;
  readonly #restores = new Map<string, number>();
  #pseudonyms = NO_PSEUDONYMS;
  readonly #toolTypes = new Map<string, Omit<ToolCounts, 'type'>>();
  #allToolTypes = NO_PSEUDONYMS;
  readonly #enumerations = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #policies = new Map<string, PolicyUse>();
  #erasures = { requests: 0, failed: 0, sessions: 0 };
  readonly #protocols = new Map<string, number>();
  readonly #instances = new Map<string, number>();

  add(event: AuditEvent): void {
    const time = event['@timestamp'];
    this.#events += 1;
    if (this.#first === undefined || isBefore(time, this.#first)) this.#first = time;
    if (this.#last === undefined || isBefore(this.#last, time)) this.#last = time;
    const { 'guardrail.phase': phase, 'guardrail.action': action, 'error.type': error } = event;
    if (phase === 'erasure') this.#addErasure(event);
    else increment(this.#callsIn(phase), action);
    if (event['guardrail.suspected_enumeration'] === true) increment(this.#enumerations, phase ?? 'request');
    if (error !== undefined) increment(this.#errors, error);
    if (event['guardrail.protocol'] !== undefined) increment(this.#protocols, event['guardrail.protocol']);
    if (event['guardrail.instance'] !== undefined) increment(this.#instances, event['guardrail.instance']);
    this.#addTypes(event);
    this.#addPolicies(event);
    this.#addPseudonyms(event);
  }

  #callsIn(phase: AuditEvent['guardrail.phase']): Map<string, number> {
    if (phase === 'restore') return this.#restores;
    return phase === 'response' ? this.#answers : this.#requests;
  }

  #addPseudonyms(event: AuditEvent): void {
    const counts = {
      restored: event['guardrail.pseudonyms.restored'] ?? 0,
      withheld: event['guardrail.pseudonyms.withheld'] ?? 0,
      unknown: event['guardrail.pseudonyms.unknown'] ?? 0,
    };
    if (event['guardrail.phase'] !== 'restore' && event['guardrail.protocol'] !== 'mcp') {
      this.#pseudonyms = sumOf(this.#pseudonyms, counts);
      return;
    }
    for (const { type, ...ofType } of event['guardrail.pseudonyms.types'] ?? []) {
      this.#toolTypes.set(type, sumOf(this.#toolTypes.get(type) ?? NO_PSEUDONYMS, ofType));
      this.#allToolTypes = sumOf(this.#allToolTypes, ofType);
    }
  }

  summary(): Summary {
    return {
      ...{ events: this.#events, first: this.#first, last: this.#last },
      ...{ requests: byAction(this.#requests), answers: byAction(this.#answers) },
      restores: byAction(this.#restores),
      types: [...this.#types].sort(byName).map(([type, counts]) => ({ type, ...counts })),
      allTypes: this.#allTypes,
      pseudonyms: this.#pseudonyms,
      toolTypes: [...this.#toolTypes].sort(byName).map(([type, counts]) => ({ type, ...counts })),
      ...{ allToolTypes: this.#allToolTypes, enumerations: sorted(this.#enumerations), errors: sorted(this.#errors) },
      policies: [...this.#policies].sort(byName).map(([, use]) => use),
      erasures: this.#erasures,
      ...{ protocols: sorted(this.#protocols), instances: sorted(this.#instances) },
    };
  }

  #addErasure(event: AuditEvent): void {
    const { requests, failed, sessions } = this.#erasures;
    this.#erasures = {
      requests: requests + 1,
      failed: failed + (event['guardrail.action'] === 'ERASED' ? 0 : 1),
      sessions: sessions + (event['guardrail.erasure.sessions'] ?? 0),
    };
  }

  #addTypes(event: AuditEvent): void {
    const outcome = outcomeOf(event['guardrail.action']);
    for (const { type, count } of event['guardrail.entities'] ?? []) {
      const added = (counts: TypeCounts): TypeCounts => ({
        ...counts,
        [outcome]: counts[outcome] + count,
        total: counts.total + count,
      });
      this.#types.set(type, added(this.#types.get(type) ?? NOTHING));
      this.#allTypes = added(this.#allTypes);
    }
  }

  #addPolicies(event: AuditEvent): void {
    const service = event['guardrail.policy.revision'];
    if (service !== undefined) this.#addPolicy('service', service, event['@timestamp']);
    for (const revision of event['guardrail.policy.customer_revisions'] ?? []) {
      this.#addPolicy('customer', revision, event['@timestamp']);
    }
  }

  #addPolicy(of: PolicyUse['of'], revision: string, time: string): void {
    const name = `${of} ${revision}`;
    const known = this.#policies.get(name) ?? { of, revision, calls: 0, first: time, last: time };
    this.#policies.set(name, {
      ...known,
      calls: known.calls + 1,
      first: isBefore(time, known.first) ? time : known.first,
      last: isBefore(known.last, time) ? time : known.last,
    });
  }
}

/** Compares times, and their texts if the times are equal, so that the order of events does not matter. */
function isBefore(a: string, b: string): boolean {
  const difference = Date.parse(a) - Date.parse(b);
  return difference === 0 ? a < b : difference < 0;
}

function sumOf(a: typeof NO_PSEUDONYMS, b: typeof NO_PSEUDONYMS): typeof NO_PSEUDONYMS {
  return {
    restored: a.restored + b.restored,
    withheld: a.withheld + b.withheld,
    unknown: a.unknown + b.unknown,
  };
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function sorted(counts: ReadonlyMap<string, number>): Counts {
  return [...counts].sort(byName).map(([name, count]) => ({ name, count }));
}

/** In the order of the schema. */
function byAction(counts: ReadonlyMap<string, number>): Counts {
  return ACTIONS.flatMap((name) => {
    const count = counts.get(name);
    return count === undefined ? [] : [{ name, count }];
  });
}
