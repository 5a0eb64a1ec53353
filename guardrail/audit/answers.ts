/** Joins the events of an answer that arrives in pieces, so that a stream has one event. Pure. */
import type { AuditAction, AuditEvent } from './event.ts';
import { inTraceOf } from './traces.ts';

/** An answer without a new piece for this time has ended: nobody tells. In milliseconds. */
const QUIET_MS = 10_000;
/** Answers that are kept. Each takes about a kilobyte. */
const MAX_OPEN = 5000;

/** How the counts of two pieces add up: each counts its own text (`sum`), or all that has arrived so far (`latest`). */
export type PieceCounts = 'sum' | 'latest';

interface OpenAnswer {
  readonly event: AuditEvent;
  readonly lastAt: number;
}

/** The answers that may not have ended. Oldest first, by their last piece. */
export class Answers {
  readonly #open = new Map<string, OpenAnswer>();

  /**
   * @param now a time in milliseconds that never goes back
   * @returns the events of answers that have ended, or that no longer fit
   */
  add(event: AuditEvent, counts: PieceCounts, now: number): AuditEvent[] {
    const name = nameOf(event);
    if (name === undefined) return [event];
    const ended = this.ended(now);
    const known = this.#open.get(name);
    this.#open.delete(name);
    this.#open.set(name, {
      event: known ? inTraceOf(joined(known.event, event, counts), known.event) : event,
      lastAt: now,
    });
    const [oldest] = this.#open;
    if (this.#open.size <= MAX_OPEN || !oldest) return ended;
    this.#open.delete(oldest[0]);
    return [...ended, oldest[1].event];
  }

  /** @returns the events of the answers that have ended, and forgets them */
  ended(now: number): AuditEvent[] {
    const events: AuditEvent[] = [];
    for (const [name, { event, lastAt }] of this.#open) {
      if (now - lastAt < QUIET_MS) break;
      this.#open.delete(name);
      events.push(event);
    }
    return events;
  }

  /** @returns the events of all answers, and forgets them */
  all(): AuditEvent[] {
    const events = [...this.#open.values()].map(({ event }) => event);
    this.#open.clear();
    return events;
  }
}

/** undefined: it is not known to which answer the event belongs. */
function nameOf(event: AuditEvent): string | undefined {
  const call = event['guardrail.call.id'];
  if (event['guardrail.phase'] !== 'response' || call === undefined) return undefined;
  return JSON.stringify([event['guardrail.tenant'], event['guardrail.protocol'], event['session.id'], call]);
}

/** The action of an answer is the one that matters most. */
const BY_WEIGHT: readonly AuditAction[] = ['NONE', 'GUARDRAIL_INTERVENED', 'MONITORED_FAILED', 'BLOCKED', 'FAILED'];

/** The event of two pieces: that of the first, with the counts of both, and the outcome that matters more. */
function joined(first: AuditEvent, next: AuditEvent, counts: PieceCounts): AuditEvent {
  const weight = (event: AuditEvent): number => BY_WEIGHT.indexOf(event['guardrail.action']);
  const outcome = weight(next) > weight(first) ? next : first;
  const number = (name: `guardrail.pseudonyms.${'restored' | 'withheld' | 'unknown'}`): Partial<AuditEvent> => {
    const [a, b] = [first[name], next[name]];
    if (a === undefined && b === undefined) return {};
    return { [name]: counts === 'sum' ? (a ?? 0) + (b ?? 0) : Math.max(a ?? 0, b ?? 0) };
  };
  const isEnumeration = first['guardrail.suspected_enumeration'] ?? next['guardrail.suspected_enumeration'];
  const error = outcome['error.type'] ?? first['error.type'] ?? next['error.type'];
  return {
    ...first,
    ...number('guardrail.pseudonyms.restored'),
    ...number('guardrail.pseudonyms.withheld'),
    ...number('guardrail.pseudonyms.unknown'),
    'event.duration': first['event.duration'] + next['event.duration'],
    'guardrail.action': outcome['guardrail.action'],
    'http.response.status_code': outcome['http.response.status_code'],
    ...(error !== undefined && { 'error.type': error }),
    ...(isEnumeration && { 'guardrail.suspected_enumeration': isEnumeration }),
    'guardrail.answer.pieces': (first['guardrail.answer.pieces'] ?? 1) + 1,
  };
}
