/** What the audit trail gets to know about a call. */
import type { CallIdentity, EntityCount, ResponseOutcome } from '../pseudonymization/pseudonymization.ts';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import type { AuditOutput } from '../settings/settings.ts';
import type { AuditEvent, AuditPhase } from './event.ts';

/**
 * Notes of a call in progress, for its event. They may contain identifiers as the gateway sends them: only keyed hashes of
 * them reach the event.
 */
export interface AuditNotes {
  /** A `piece` is a part of an answer. */
  phase?: AuditPhase | 'piece';
  identity?: CallIdentity;
  /** What the call id is. A secret one is hashed. undefined: the protocol has no id of the call. */
  callIds?: 'public' | 'secret' | undefined;
  /** The model that answers, by a name that the gateway has accepted. */
  model?: string | undefined;
  policy?: PolicyRevisions;
  entities?: readonly EntityCount[];
  /** The number of lines in images that could not be read. */
  unreadLines?: number | undefined;
  pseudonyms?: Pick<ResponseOutcome, 'restored' | 'withheld' | 'unknown' | 'isEnumeration' | 'byType'>;
  /** The tenant of the session whose values a tool asks for. */
  sessionTenant?: Tenant;
  /** The call was forwarded although it could not be checked: monitor mode. */
  isForwarded?: boolean;
  /** The call was forwarded without a check. */
  isUnchecked?: boolean;
  erasure?: Erasure;
  /** The call cannot carry values, and has no event. */
  isLeftOut?: boolean;
}

/** The policies of a call. */
export interface PolicyRevisions {
  /** The policy of the service; undefined: it has none. */
  readonly service: string | undefined;
  /** The policy of each customer that the call names; undefined: that customer has none of its own. */
  readonly customers: readonly (string | undefined)[];
}

/** What a caller asked to erase, and how many sessions that erased. */
export type Erasure = { readonly sessions: number } & (
  | { readonly kind: 'session'; readonly session: SessionId | undefined }
  | { readonly kind: 'subject'; readonly subject: SubjectId }
);

/** A call that has ended. */
export interface AuditedCall {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly requestId: string;
  /** The pattern of the route. */
  readonly route: string;
  readonly status: number;
  readonly tenant: string | undefined;
  readonly session: SessionId | undefined;
  readonly protocol: string | undefined;
  /** The action of the guardrail; undefined: the call ended before there was one. */
  readonly action: string | undefined;
  /** In monitor mode: the action that enforce mode would have taken. */
  readonly monitored: string | undefined;
  /** The code of the error with which the call ended. */
  readonly error: string | undefined;
  readonly notes: AuditNotes;
}

/** Receives the events of all calls. Never throws, and never waits. */
export interface AuditTrail {
  record(call: AuditedCall): void;
  /** Writes what is waiting, within a second. */
  close(): Promise<void>;
}

/** The outputs that take lines. */
export type LineOutput = Exclude<AuditOutput, { kind: 'otlp' }>;

/** Where events are written. */
export interface AuditSink {
  /** The name in metrics and logs. */
  readonly name: 'stdout' | 'stderr' | 'file' | 'otlp';
  /** Writes all events, or rejects. One call at a time. */
  write(events: readonly AuditEvent[]): Promise<void>;
  close(): Promise<void>;
}
