/** The schema of an audit event. docs/audit.md has a row for each field. */
import * as z from 'zod';
import { INSTANCE_NAME, TENANT_NAME } from '../settings/settings.ts';

/** Increments when a field changes its meaning, gets a new value or is removed. A new field leaves it as it is. */
export const AUDIT_VERSION = 1;
/** Tells audit events from all other lines. */
export const AUDIT_DATASET = 'guardrail.audit';

/**
 * The part of a call that an event is about. A `call` is both sides of a call: its request and its answer. `restore`: a tool
 * asked for the values of pseudonyms.
 */
export const PHASES = ['request', 'response', 'call', 'restore', 'erasure'] as const;

/**
 * What was done. `UNCHECKED`: forwarded without a check, because GUARDRAIL_PROXY_UNKNOWN says so. `FAILED`: not checked to
 * the end, and refused. After `MONITORED_`: what enforce mode would have done with a call that was forwarded.
 */
export const ACTIONS = [
  'NONE',
  'GUARDRAIL_INTERVENED',
  'BLOCKED',
  'FAILED',
  'UNCHECKED',
  'ERASED',
  'MONITORED_GUARDRAIL_INTERVENED',
  'MONITORED_BLOCKED',
  'MONITORED_FAILED',
] as const;

export type AuditPhase = (typeof PHASES)[number];
export type AuditAction = (typeof ACTIONS)[number];

/** The format of an entity type in an event. */
export const ENTITY_TYPE = /^[A-Z][A-Z0-9_]{0,63}$/;
/** The format of a code of an error. */
export const ERROR_TYPE = /^[a-z][a-z0-9_]{0,63}$/;
/** The name of a model: no sign of other languages, no white space, and no run of digits that an identifier has. */
export const MODEL_NAME = /^(?!.*\d{9})(?=.*[A-Za-z])[A-Za-z0-9._:/+-]{1,128}(?:@(?:\d{3,8}|default|latest))?$/;

/** The form of UUIDs, of any version. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const count = z.int().min(0);
/** A keyed hash. */
const hash = z.string().regex(/^[0-9a-f]{32}$/);
/** A UUID, or the keyed hash of any other identifier. */
const identifier = z.union([z.string().regex(UUID), hash]);

/** The numbers of findings of one type, with what the policy says about it. */
const entitySchema = z.object({
  type: z.string().regex(ENTITY_TYPE),
  count: count.min(1),
  action: z.enum(['pseudonymize', 'block']),
});

/** The numbers of pseudonyms of one type in what a tool asked for, or received. */
const pseudonymTypeSchema = z.object({
  type: z.string().regex(ENTITY_TYPE),
  restored: count,
  withheld: count,
  unknown: count,
});

/** One line of the audit stream. No field contains a value, a text, an address, or a readable name of a person. */
export const auditEventSchema = z.object({
  '@timestamp': z.iso.datetime(),
  'event.id': z.uuid(),
  'event.dataset': z.literal(AUDIT_DATASET),
  'event.duration': count,
  'guardrail.audit.version': z.literal(AUDIT_VERSION),
  'guardrail.instance': z.string().regex(INSTANCE_NAME).optional(),
  'guardrail.phase': z.enum(PHASES).optional(),
  'guardrail.action': z.enum(ACTIONS),
  'guardrail.protocol': z
    .string()
    .regex(/^[a-z_]{1,32}$/)
    .optional(),
  'http.route': z.string().regex(/^[\x21-\x7e]{1,128}$/),
  'http.request.id': identifier,
  'http.response.status_code': z.int().min(100).max(999),
  'error.type': z.string().regex(ERROR_TYPE).optional(),
  'guardrail.tenant': z.string().regex(TENANT_NAME).optional(),
  'guardrail.team': identifier.optional(),
  'user.hash': hash.optional(),
  'session.id': hash.optional(),
  'guardrail.session.tenant': z.string().regex(TENANT_NAME).optional(),
  'guardrail.call.id': identifier.optional(),
  'gen_ai.request.model': z.string().regex(MODEL_NAME).optional(),
  'guardrail.policy.revision': hash.optional(),
  'guardrail.policy.customer_revisions': z.array(hash).optional(),
  'guardrail.entities': z.array(entitySchema).optional(),
  'guardrail.images.unread_lines': count.min(1).optional(),
  'guardrail.pseudonyms.restored': count.optional(),
  'guardrail.pseudonyms.withheld': count.optional(),
  'guardrail.pseudonyms.unknown': count.optional(),
  'guardrail.pseudonyms.types': z.array(pseudonymTypeSchema).optional(),
  'guardrail.suspected_enumeration': z.literal(true).optional(),
  'guardrail.answer.pieces': count.min(2).optional(),
  'guardrail.erasure.kind': z.enum(['session', 'subject']).optional(),
  'guardrail.erasure.sessions': count.optional(),
});

export type AuditEvent = z.infer<typeof auditEventSchema>;
export type AuditedEntity = z.infer<typeof entitySchema>;
export type AuditedPseudonyms = z.infer<typeof pseudonymTypeSchema>;
