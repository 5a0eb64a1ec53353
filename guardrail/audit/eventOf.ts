/** Makes the event of a call. Pure, but for the id of the event. */
import { randomUUID, type KeyObject } from 'node:crypto';
import type { EntityCount, PseudonymCounts } from '../pseudonymization/pseudonymization.ts';
import type { AuditedCall, AuditNotes, PolicyRevisions } from './contract.ts';
import {
  ACTIONS,
  AUDIT_DATASET,
  AUDIT_VERSION,
  ENTITY_TYPE,
  ERROR_TYPE,
  MODEL_NAME,
  type AuditAction,
  type AuditedEntity,
  type AuditedPseudonyms,
  type AuditEvent,
} from './event.ts';
import { auditHash, auditId, userHash } from './identifiers.ts';

export interface EventOptions {
  /** The session key, from which all hashes are derived. */
  readonly key: KeyObject;
  /** The name of this guardrail. */
  readonly instance: string | undefined;
}

/** A type that no recognizer of the guardrail has. */
const OTHER_TYPE = 'OTHER';
const OTHER_ERROR = 'internal_error';
const NANOSECONDS = 1e6;

export function eventOf(call: AuditedCall, { key, instance }: EventOptions): AuditEvent {
  const { notes, session, error, tenant, protocol } = call;
  const phase = notes.phase === 'piece' ? 'response' : notes.phase;
  return {
    '@timestamp': call.startedAt.toISOString(),
    'event.id': randomUUID(),
    'event.dataset': AUDIT_DATASET,
    'event.duration': Math.max(0, Math.round(call.durationMs * NANOSECONDS)),
    'guardrail.audit.version': AUDIT_VERSION,
    ...(instance !== undefined && { 'guardrail.instance': instance }),
    ...(phase && { 'guardrail.phase': phase }),
    'guardrail.action': actionOf(call),
    ...(protocol !== undefined && { 'guardrail.protocol': protocol }),
    'http.route': call.route,
    'http.request.id': auditId(key, 'request', call.requestId),
    'http.response.status_code': call.status,
    ...(error !== undefined && { 'error.type': ERROR_TYPE.test(error) ? error : OTHER_ERROR }),
    ...(tenant !== undefined && { 'guardrail.tenant': tenant }),
    ...(session !== undefined && { 'session.id': session }),
    ...callerIn(call, key),
    ...(notes.policy && revisionsIn(notes.policy)),
    ...(notes.entities && notes.entities.length > 0 && { 'guardrail.entities': entitiesOf(notes.entities) }),
    ...(notes.unreadLines && { 'guardrail.images.unread_lines': notes.unreadLines }),
    ...(notes.sessionTenant !== undefined && { 'guardrail.session.tenant': notes.sessionTenant }),
    ...(notes.pseudonyms && pseudonymsIn(notes.pseudonyms)),
    ...erasureIn(call),
  };
}

/** A failed call was refused, except in monitor mode. */
function actionOf({ action, monitored, error, notes }: AuditedCall): AuditAction {
  if (notes.isForwarded === true) return 'MONITORED_FAILED';
  if (notes.isUnchecked === true) return 'UNCHECKED';
  if (notes.erasure) return 'ERASED';
  const name = monitored === undefined ? action : `MONITORED_${monitored}`;
  return ACTIONS.find((one) => one === name) ?? (error === undefined ? 'NONE' : 'FAILED');
}

function callerIn({ notes }: AuditedCall, key: KeyObject): Partial<AuditEvent> {
  const { identity, callIds, model } = notes;
  const user = identity && userHash(key, identity);
  const callId = identity?.callId;
  return {
    ...(identity?.team && { 'guardrail.team': auditId(key, 'team', identity.team) }),
    ...(user !== undefined && { 'user.hash': user }),
    ...(callIds && callId
      ? { 'guardrail.call.id': callIds === 'public' ? auditId(key, 'call', callId) : auditHash(key, 'call', callId) }
      : {}),
    ...(model !== undefined && MODEL_NAME.test(model) && { 'gen_ai.request.model': model }),
  };
}

function revisionsIn({ service, customers }: PolicyRevisions): Partial<AuditEvent> {
  const own = [...new Set(customers)].filter((revision) => revision !== undefined).sort();
  return {
    ...(service !== undefined && { 'guardrail.policy.revision': service }),
    ...(own.length > 0 && { 'guardrail.policy.customer_revisions': own }),
  };
}

/** The counts of all detectors, by type and action. */
function entitiesOf(counts: readonly EntityCount[]): AuditedEntity[] {
  const merged = new Map<string, AuditedEntity>();
  for (const { type: found, count, action } of counts) {
    const type = ENTITY_TYPE.test(found) ? found : OTHER_TYPE;
    const name = `${type} ${action}`;
    merged.set(name, { type, count: count + (merged.get(name)?.count ?? 0), action });
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entity]) => entity);
}

function pseudonymsIn(counts: NonNullable<AuditNotes['pseudonyms']>): Partial<AuditEvent> {
  const { restored, withheld, unknown, isEnumeration, byType } = counts;
  const types = byType ? pseudonymTypesOf(byType) : [];
  return {
    'guardrail.pseudonyms.restored': restored,
    'guardrail.pseudonyms.withheld': withheld,
    'guardrail.pseudonyms.unknown': unknown,
    ...(types.length > 0 && { 'guardrail.pseudonyms.types': types }),
    ...(isEnumeration === true && { 'guardrail.suspected_enumeration': true }),
  };
}

/** The types of pseudonyms are the vocabulary of the guardrail: a caller cannot make one up. */
function pseudonymTypesOf({ restored, withheld, unknown }: PseudonymCounts): AuditedPseudonyms[] {
  const types = new Set([restored, withheld, unknown].flatMap((counts) => [...counts.keys()]));
  return [...types].sort().map((type) => ({
    type,
    restored: restored.get(type) ?? 0,
    withheld: withheld.get(type) ?? 0,
    unknown: unknown.get(type) ?? 0,
  }));
}

function erasureIn({ notes: { erasure } }: AuditedCall): Partial<AuditEvent> {
  if (!erasure) return {};
  const { kind, sessions } = erasure;
  const erased = { 'guardrail.erasure.kind': kind, 'guardrail.erasure.sessions': sessions };
  if (erasure.kind === 'subject') return { ...erased, 'user.hash': erasure.subject };
  return { ...erased, ...(erasure.session !== undefined && { 'session.id': erasure.session }) };
}
