/** Test support: runs work while this process exports to a receiver. */
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { startTelemetry, traceFields } from '../telemetry.ts';
import { startOtlpReceiver, type OtlpReceiver } from './otlpReceiver.ts';

export interface Exporting {
  readonly receiver: OtlpReceiver;
  /** The log of this process, as JSON lines. */
  readonly logs: string[];
  /** Sends what is left, and ends the export. Does nothing the second time. */
  finish(limitMs?: number): Promise<void>;
}

/** Starts a receiver, and the export of this process to it. */
export async function startExporting(
  env: Readonly<Record<string, string>> = {},
  registry = new Registry(),
): Promise<Exporting> {
  const receiver = await startOtlpReceiver();
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...env,
  };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  const logs: string[] = [];
  const logger = pino({ mixin: traceFields }, { write: (line: string) => void logs.push(line) });
  const telemetry = await startTelemetry({ env: process.env, serviceName: 'service-under-test', logger, registry });
  let isFinished = false;
  return {
    receiver,
    logs,
    async finish(limitMs = 5000) {
      if (isFinished) return;
      isFinished = true;
      await telemetry.shutdown(limitMs);
      receiver.close();
      for (const [name, value] of before) {
        // oxlint-disable-next-line typescript/no-dynamic-delete -- an assigned undefined would become a text
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
