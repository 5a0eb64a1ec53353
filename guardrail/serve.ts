/** The command `serve`: one process, or a primary process and workers that share the port. */
import cluster from 'node:cluster';
import { pino, type Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { openLineWriter, primaryChannel, relayWorkers, workerWriters } from './audit/audit.ts';
import { DRAIN_MS, logReport, serveMetricsOf, startApp } from './app/app.ts';
import { openLogDestination } from './logDestination.ts';
import type { Settings } from './settings/settings.ts';
import { startTelemetry, telemetryRequest, traceFields } from './telemetry/telemetry.ts';
import { createMetrics, describeError, type Listening } from './http/http.ts';

/** The pause before a dead worker is replaced. It prevents a busy loop if workers cannot start. */
const RESPAWN_MS = 1000;
const [STDOUT, STDERR] = [1, 2] as const;

const SERVICE_NAME = 'gateway-guardrail';
/** How long the last spans, metrics and log records may take to be sent. */
const LONGEST_FLUSH_MS = 3000;
const SHORTEST_FLUSH_MS = 500;

/** Runs the service until SIGTERM or SIGINT. @returns the exit code. */
export async function serve(settings: Settings, env: NodeJS.ProcessEnv): Promise<number> {
  const logger = pino(
    {
      level: settings.LOG_LEVEL,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(telemetryRequest(env) && { mixin: traceFields }),
    },
    // The log and the audit events never share a stream.
    openLogDestination(settings.AUDIT.some(({ kind }) => kind === 'stdout') ? STDERR : STDOUT, settings.WORKERS > 1),
  );
  // Node would print the message of the error, which may contain personal data.
  process.on('uncaughtException', (error) => {
    logger.fatal({ error: describeError(error) }, 'Unexpected failure; this process exits.');
    process.exit(1);
  });
  if (settings.API_KEYS === undefined && cluster.isPrimary) {
    logger.warn('Authentication is disabled: every client that can reach the port can call the service.');
  }
  return settings.WORKERS > 1 && cluster.isPrimary ? runPrimary(settings, logger, env) : runOne(settings, logger, env);
}

async function runOne(settings: Settings, logger: Logger, env: NodeJS.ProcessEnv): Promise<number> {
  const metrics = createMetrics();
  // Before the components, which have spans only if something is traced.
  const telemetry = await startTelemetry({ env, serviceName: SERVICE_NAME, logger, registry: metrics.registry });
  const signal = nextSignal();
  if (cluster.isWorker) reportToPrimary(metrics);
  // The primary process serves the metrics of all workers.
  const app = await startApp(cluster.isWorker ? { ...settings, METRICS_PORT: 'off' } : settings, {
    logger,
    metrics,
    ...(cluster.isWorker && { openAuditWriter: workerWriters(settings.AUDIT, primaryChannel()) }),
  });
  const { port, metricsPort, proxyPort, extProcPort, mcpPort } = app;
  logger.info(
    {
      host: settings.HOST,
      port,
      metricsPort,
      proxyPort,
      extProcPort,
      mcpPort,
      store: settings.STORE.kind,
      mode: settings.MODE,
    },
    'listening',
  );
  logger.info(`Received ${await signal}; finishing running calls.`);
  await app.windDown();
  const draining = performance.now();
  const finished = await app.drain();
  if (!finished) logger.error('Aborted calls that did not finish in time.');
  const isFlushed = await telemetry.shutdown(flushLimit(performance.now() - draining));
  cluster.worker?.disconnect();
  const code = finished ? 0 : 1;
  // Connections to a collector that does not respond would keep the process alive.
  if (!isFlushed) process.exit(code);
  return code;
}

/** What remains of the time of a drain, within limits: a collector that does not respond must not delay the end. */
function flushLimit(drainedMs: number): number {
  return Math.min(Math.max(DRAIN_MS - drainedMs, SHORTEST_FLUSH_MS), LONGEST_FLUSH_MS);
}

/** Sends the metrics of this worker to the primary process. The constructor installs the message handler. */
function reportToPrimary(metrics: ReturnType<typeof createMetrics>): void {
  AggregatorRegistry.setRegistries(metrics.registry);
  new AggregatorRegistry();
}

async function runPrimary(settings: Settings, logger: Logger, env: NodeJS.ProcessEnv): Promise<number> {
  const metricsServer = await serveAllMetrics(settings, logger);
  const audit = settings.AUDIT.length === 0 ? undefined : relayWorkers(cluster, settings.AUDIT, openLineWriter);
  let stopping = false;
  const exitCodes: number[] = [];
  const timers = new Set<NodeJS.Timeout>();

  cluster.setupPrimary({ stdio: workerStreams(settings) });
  const fork = (): void => {
    cluster.fork(env);
  };
  const allExited = new Promise<void>((resolve) => {
    cluster.on('exit', (worker, code, signal) => {
      if (stopping) {
        exitCodes.push(code);
        if (Object.keys(cluster.workers ?? {}).length === 0) resolve();
        return;
      }
      logger.error({ worker: worker.process.pid, code, signal }, 'A worker exited; starting another one.');
      const timer = setTimeout(() => {
        timers.delete(timer);
        fork();
      }, RESPAWN_MS);
      timers.add(timer);
    });
  });
  for (let n = 0; n < settings.WORKERS; n += 1) fork();

  const signal = await nextSignal();
  logger.info(`Received ${signal}; the workers finish their running calls.`);
  stopping = true;
  for (const timer of timers) clearTimeout(timer);
  const workers = Object.values(cluster.workers ?? {});
  for (const worker of workers) worker?.process.kill('SIGTERM');
  if (workers.length > 0) await allExited;
  await audit?.close();
  await metricsServer?.close(0);
  return exitCodes.every((code) => code === 0) ? 0 : 1;
}

/**
 * The streams of a worker: those of the primary process, but no audit stream. A new process makes the streams that it gets
 * blocking, for all processes that have them, and an audit stream without a reader would then stop the primary process.
 */
function workerStreams({ AUDIT: outputs }: Settings): ('inherit' | 'ipc' | number)[] {
  const isAudit = (stream: 'stdout' | 'stderr'): boolean => outputs.some(({ kind }) => kind === stream);
  if (isAudit('stdout')) return ['inherit', STDERR, 'inherit', 'ipc'];
  return ['inherit', 'inherit', isAudit('stderr') ? STDOUT : 'inherit', 'ipc'];
}

/** Serves the aggregated metrics of all workers. */
async function serveAllMetrics(settings: Settings, logger: Logger): Promise<Listening | undefined> {
  if (settings.METRICS_PORT === 'off') return undefined;
  const registry = new AggregatorRegistry();
  const exposed = await serveMetricsOf(
    { ...settings, METRICS_PORT: settings.METRICS_PORT },
    { report: logReport(logger) },
    () => registry.clusterMetrics(),
  );
  logger.info({ host: settings.HOST, metricsPort: exposed.port }, 'serving metrics');
  return exposed;
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
