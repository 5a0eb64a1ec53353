/** The sinks of audit events: JSON lines, and records of OpenTelemetry. */
import { logs, SeverityNumber } from '@opentelemetry/api-logs';
import type { AuditOutput } from '../settings/settings.ts';
import type { AuditSink, LineOutput } from './contract.ts';
import { AUDIT_DATASET, type AuditEvent } from './event.ts';
import type { LineWriter } from './lineWriter.ts';
import { contextOf } from './traces.ts';

/** @param openWriter opens the destination of lines */
export function openSink(output: AuditOutput, openWriter: (output: LineOutput) => LineWriter): AuditSink {
  return output.kind === 'otlp' ? otlpSink() : lineSink(output.kind, openWriter(output));
}

/** Writes each event as JSON on a line of its own. */
function lineSink(name: LineOutput['kind'], writer: LineWriter): AuditSink {
  return {
    name,
    write: (events) => writer.write(events.map((event) => `${JSON.stringify(event)}\n`).join('')),
    close: () => writer.close(),
  };
}

/** There is no log exporter of OpenTelemetry: no variable OTEL_* asks for one. */
class NoLogExporterError extends Error {
  override readonly name = 'NoLogExporterError';
}

/** Emits each event as a log record. The exporter of the process has a queue of its own. */
function otlpSink(): AuditSink {
  const logger = logs.getLogger(AUDIT_DATASET);
  return {
    name: 'otlp',
    async write(events) {
      if (!logger.enabled({ severityNumber: SeverityNumber.INFO })) throw new NoLogExporterError();
      for (const event of events) logger.emit({ ...recordOf(event), context: contextOf(event) });
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

function recordOf({
  '@timestamp': time,
  ...attributes
}: AuditEvent): Parameters<ReturnType<typeof logs.getLogger>['emit']>[0] {
  return {
    eventName: AUDIT_DATASET,
    timestamp: new Date(time),
    severityNumber: SeverityNumber.INFO,
    severityText: 'INFO',
    attributes,
  };
}
