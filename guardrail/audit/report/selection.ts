/** Which events a report is about. */
import type { KeyObject } from 'node:crypto';
import { INLINE_TENANT, type Tenant } from '../../ids.ts';
import { deriveSubject } from '../../pseudonymization/pseudonymization.ts';
import type { AuditEvent } from '../event.ts';
import { auditId } from '../identifiers.ts';

/** An option of the command has no usable value. The message is a sentence. */
export class ReportOptionError extends Error {
  override readonly name = 'ReportOptionError';
}

export interface ReportOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The id of an end user. Needs the session key. */
  readonly customer?: string | undefined;
  /** The hash of an end user. */
  readonly subject?: string | undefined;
  /** The name of a team, or its hash. A name needs the session key. */
  readonly team?: string | undefined;
  readonly tenant?: string | undefined;
  readonly instance?: string | undefined;
}

/** The half-open interval of times that a report covers, in ISO 8601. undefined: there is no limit. */
export interface Period {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface Selection {
  readonly period: Period;
  /** What is selected besides the period, in words without a name of a person. */
  readonly described: readonly string[];
  readonly includes: (event: AuditEvent) => boolean;
}

const HASH = /^[0-9a-f]{32}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/**
 * @param key the session key; undefined: there is none
 * @throws ReportOptionError
 */
export function selectionOf(options: ReportOptions, key: KeyObject | undefined): Selection {
  const { subject, team, tenant, instance } = options;
  const period = periodOf(options);
  if (subject !== undefined && !HASH.test(subject)) {
    throw new ReportOptionError('--subject must be a hash of 32 hexadecimal digits, as in user.hash of an event.');
  }
  const tests = [
    ...(subject === undefined ? [] : [(event: AuditEvent) => event['user.hash'] === subject]),
    ...(options.customer === undefined ? [] : [isOfCustomer(options.customer, tenant, keyFor('--customer', key))]),
    ...(team === undefined ? [] : [isOfTeam(team, key)]),
    ...(tenant === undefined ? [] : [(event: AuditEvent) => event['guardrail.tenant'] === tenant]),
    ...(instance === undefined ? [] : [(event: AuditEvent) => event['guardrail.instance'] === instance]),
  ];
  return {
    period,
    described: [
      ...(subject === undefined && options.customer === undefined ? [] : ['one end user']),
      ...(team === undefined ? [] : ['one team']),
      ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
      ...(instance === undefined ? [] : [`instance ${instance}`]),
    ],
    includes: (event) => isWithin(event['@timestamp'], period) && tests.every((test) => test(event)),
  };
}

function keyFor(option: string, key: KeyObject | undefined): KeyObject {
  if (key) return key;
  throw new ReportOptionError(
    `${option} requires GUARDRAIL_SESSION_KEY or GUARDRAIL_SESSION_KEY_FILE, the key of the hashes in the events.`,
  );
}

/** Each tenant has its own hash of an end user. An admin key erases end users of other tenants. */
function isOfCustomer(id: string, tenant: string | undefined, key: KeyObject): (event: AuditEvent) => boolean {
  const hashes = new Map<string, string>();
  const hashIn = (name: string): string => {
    const hash = hashes.get(name) ?? deriveSubject(key, name as Tenant, id);
    hashes.set(name, hash);
    return hash;
  };
  return (event) => {
    const hash = event['user.hash'];
    if (hash === undefined) return false;
    const tenants = [event['guardrail.tenant'], event['guardrail.session.tenant'], INLINE_TENANT, tenant];
    return tenants.some((name) => name !== undefined && hashIn(name) === hash);
  };
}

function isOfTeam(team: string, key: KeyObject | undefined): (event: AuditEvent) => boolean {
  const id = HASH.test(team) ? team : auditId(keyFor('--team with a name', key), 'team', team);
  return (event) => event['guardrail.team'] === id;
}

function isWithin(time: string, { from, to }: Period): boolean {
  const at = Date.parse(time);
  return (from === undefined || at >= Date.parse(from)) && (to === undefined || at < Date.parse(to));
}

/** A day stands for all of it, in UTC; a time is the first, or the first that is not included. */
function periodOf({ from, to }: ReportOptions): Period {
  const start = from === undefined ? undefined : timeOf('--from', from, 0);
  const end = to === undefined ? undefined : timeOf('--to', to, DAY_MS);
  if (start !== undefined && end !== undefined && start >= end) {
    throw new ReportOptionError('--from must be before --to.');
  }
  return { from: start?.toISOString(), to: end?.toISOString() };
}

function timeOf(option: string, text: string, dayMs: number): Date {
  const time = new Date(/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(text) ? text : Number.NaN);
  // JavaScript takes the 30th of February for a day in March.
  const isDay = DAY.test(text);
  if (Number.isNaN(time.getTime()) || (isDay && time.toISOString().slice(0, 10) !== text)) {
    throw new ReportOptionError(
      `${option} must be a day such as 2026-01-31, or a time with a zone such as 2026-01-31T12:00:00Z.`,
    );
  }
  return isDay ? new Date(time.getTime() + dayMs) : time;
}
