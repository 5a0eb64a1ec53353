/** Reads one line of an audit stream. */
import { AUDIT_DATASET, AUDIT_VERSION, auditEventSchema, type AuditEvent } from '../event.ts';

/** A line has a version of the schema that this program cannot read. The message completes the sentence "<place> …". */
export class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError';
  constructor() {
    super(
      `has another version of the audit schema than ${AUDIT_VERSION}, which this program reads: use the version of the guardrail that wrote it, or a newer one.`,
    );
  }
}

/** @returns undefined for a line that is no audit event. @throws UnknownVersionError */
export function readEvent(line: string): AuditEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { data, success } = auditEventSchema.safeParse(value);
  if (success) return data;
  const { 'event.dataset': dataset, 'guardrail.audit.version': version } = Object(value) as Record<string, unknown>;
  if (dataset === AUDIT_DATASET && version !== AUDIT_VERSION) throw new UnknownVersionError();
  return undefined;
}
