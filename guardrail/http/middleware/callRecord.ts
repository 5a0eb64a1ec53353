/** Records what becomes of a call: each function says it to metrics, the log line, the span and the audit event at once. */
import { noteEntities } from '../../audit/audit.ts';
import type {
  EntityCount,
  PseudonymCounts,
  RequestOutcome,
  ResponseOutcome,
} from '../../pseudonymization/pseudonymization.ts';
import type { CallScope, CallState } from './context.ts';
import type { Metrics } from './metrics.ts';

/** What was done with a call, or with one of its messages, by weight. */
const BY_WEIGHT = ['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED', 'FAILED'] as const;
type Action = (typeof BY_WEIGHT)[number];

type Recorded = Pick<CallState, 'log' | 'audit'>;

/** Notes what was done, without counting it. A call can have many messages: its action is the one that matters most. */
export function noteAction({ log }: Recorded, action: Action, monitored?: Action): void {
  log.action = heavier(log.action, action);
  if (monitored !== undefined) log.monitored = heavier(log.monitored, monitored);
}

function heavier(known: string | number | undefined, action: Action): string {
  return BY_WEIGHT.findLast((one) => one === known || one === action) ?? action;
}

export interface ActionTaken {
  readonly phase: 'request' | 'response';
  readonly protocol: string;
  readonly action: Action;
  /** In monitor mode, what enforce mode would have done. */
  readonly monitored?: Action | undefined;
}

/** Records what was done with a call, or with one of its messages. */
export function recordAction(
  state: Recorded,
  { phase, protocol, action, monitored }: ActionTaken,
  metrics: Metrics,
): void {
  noteAction(state, action, monitored);
  metrics.guardrailCall(phase, protocol, monitored === undefined ? action : `MONITORED_${monitored}`);
}

/** Records what was found in a call, or in one of its messages. */
export function recordEntities(
  { log, audit }: Recorded,
  found: readonly EntityCount[],
  metrics: Pick<Metrics, 'entities'>,
): void {
  metrics.entities(found);
  if (audit) noteEntities(audit, found);
  log.entities = found.reduce((sum, { count }) => sum + count, Number(log.entities ?? 0));
}

/** Records how many lines in the images of a call could not be read. */
export function recordUnreadLines(
  { log, audit }: Recorded,
  unreadLines: number | undefined,
  metrics: Pick<Metrics, 'unreadLines'>,
): void {
  if (unreadLines === undefined) return;
  metrics.unreadLines(unreadLines);
  log.unread_lines = unreadLines + Number(log.unread_lines ?? 0);
  if (audit) audit.unreadLines = unreadLines + (audit.unreadLines ?? 0);
}

/** Records what was found in a request. The response header `x-guardrail-unread-lines` has the number of unread lines. */
export function recordFindings(
  context: CallScope,
  { entities, unreadLines }: Pick<RequestOutcome, 'entities' | 'unreadLines'>,
  metrics: Pick<Metrics, 'entities' | 'unreadLines'>,
): void {
  recordEntities(context.state, entities, metrics);
  recordUnreadLines(context.state, unreadLines, metrics);
  if (unreadLines !== undefined) context.set('x-guardrail-unread-lines', String(unreadLines));
}

/** Records the pseudonyms of an answer. @returns what was done with it */
export function recordPseudonyms(
  { log, audit }: Recorded,
  counts: Pick<ResponseOutcome, 'restored' | 'withheld' | 'unknown' | 'isEnumeration'>,
  metrics: Pick<Metrics, 'pseudonyms'>,
): 'GUARDRAIL_INTERVENED' | 'NONE' {
  metrics.pseudonyms(counts);
  if (audit) audit.pseudonyms = counts;
  log.restored = counts.restored;
  return actionOf(counts.restored);
}

/** Records the pseudonyms whose values a tool asks for or receives. @returns what was done with them */
export function recordToolPseudonyms(
  { log, audit }: Recorded,
  way: 'restore' | 'mcp',
  { byType, isEnumeration }: { readonly byType: PseudonymCounts; readonly isEnumeration: boolean },
  metrics: Metrics,
): 'GUARDRAIL_INTERVENED' | 'NONE' {
  const [restored, withheld, unknown] = [sumOf(byType.restored), sumOf(byType.withheld), sumOf(byType.unknown)];
  metrics.toolPseudonyms(way, byType, isEnumeration);
  Object.assign(log, { restored, withheld, unknown });
  if (audit) audit.pseudonyms = { restored, withheld, unknown, isEnumeration, byType };
  return actionOf(restored);
}

/** Records that a call, or a part of it, was forwarded although it could not be checked: monitor mode. */
export function recordForwarded({ log, audit }: Recorded, code: string, metrics: Pick<Metrics, 'failedOpen'>): void {
  log.error = code;
  if (audit) audit.isForwarded = true;
  metrics.failedOpen(code);
}

function actionOf(restored: number): 'GUARDRAIL_INTERVENED' | 'NONE' {
  return restored > 0 ? 'GUARDRAIL_INTERVENED' : 'NONE';
}

function sumOf(byType: ReadonlyMap<string, number>): number {
  return byType.values().reduce((total, count) => total + count, 0);
}
