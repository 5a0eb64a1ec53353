/** Starts and ends the export, if the environment asks for it. */
import type { Logger } from 'pino';
import { withinTime } from '../withinTime.ts';
import { errorType } from '../errorType.ts';
import type { MetricSource } from './metricProducer.ts';
import { createProblemLog } from './problems.ts';
import { telemetryRequest } from './request.ts';

export interface TelemetryOptions extends MetricSource {
  /** The environment of the process, from which the SDK reads more variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly serviceName: string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface Telemetry {
  /**
   * Sends what is left, for at most this time in milliseconds. Never rejects.
   * @returns whether it ended in time. If not, connections to the collector are still open.
   */
  shutdown(limitMs: number): Promise<boolean>;
}

const NOTHING: Telemetry = { shutdown: () => Promise.resolve(true) };

/** Starts the export. A problem is logged, and the program runs without the export. */
export async function startTelemetry({ env, serviceName, logger, ...source }: TelemetryOptions): Promise<Telemetry> {
  const request = telemetryRequest(env);
  if (request === undefined) return NOTHING;
  for (const problem of request.problems) logger.error(`${problem} What it concerns is not exported.`);
  const { traces, metrics, logs } = request;
  if (traces.length + metrics.length + logs.length === 0) return NOTHING;
  const onProblem = createProblemLog((problem) => {
    logger.warn(problem, 'OpenTelemetry cannot export everything. Check the collector and the variables OTEL_….');
  });
  let end: () => Promise<void>;
  try {
    const { startSdk } = await import('./sdk.ts');
    end = startSdk({ request, serviceName, onProblem, ...source });
  } catch (error) {
    logger.error({ error: errorType(error) }, 'OpenTelemetry cannot start. Check the variables OTEL_….');
    return NOTHING;
  }
  logger.info({ traces, metrics, logs }, 'exporting telemetry');
  return { shutdown: (limitMs) => withinTime(end().catch(onProblem), limitMs) };
}
