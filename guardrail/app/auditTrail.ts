import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import {
  createAuditTrail,
  openLineWriter,
  openSink,
  type AuditTrail,
  type LineOutput,
  type LineWriter,
} from '../audit/audit.ts';
import type { Metrics } from '../http/http.ts';
import type { Settings } from '../settings/settings.ts';

export interface AuditOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Opens a destination of audit lines. Default: in this process. */
  readonly openAuditWriter?: (output: LineOutput) => LineWriter;
}

/** Opens the audit trail. undefined: no call is audited. */
export function openAuditTrail(
  { AUDIT: outputs, INSTANCE: instance }: Settings,
  { logger, metrics, openAuditWriter = openLineWriter }: AuditOptions,
  key: KeyObject,
): AuditTrail | undefined {
  if (outputs.length === 0) return undefined;
  return createAuditTrail({
    key,
    instance,
    sinks: outputs.map((output) => openSink(output, openAuditWriter)),
    observer: {
      written(sink, events) {
        metrics.auditEvents('written', sink, events);
      },
      dropped(sink, events) {
        metrics.auditEvents('dropped', sink, events);
      },
      failed(sink, code) {
        logger.error(
          { sink, code },
          'Audit events were lost: their destination in GUARDRAIL_AUDIT does not take them.',
        );
      },
    },
  });
}
