/** The command `serve`: one process, or a primary process and workers that share the port. */
import cluster from 'node:cluster';
import { pino, type Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { startApp } from './app/app.ts';
import type { Settings } from './settings/settings.ts';
import { createMetrics, describeError, serveMetrics, type Listening } from './http/http.ts';

/** The pause before a dead worker is replaced. It prevents a busy loop if workers cannot start. */
const RESPAWN_MS = 1000;

/** Runs the service until SIGTERM or SIGINT. @returns the exit code. */
export async function serve(settings: Settings, env: NodeJS.ProcessEnv): Promise<number> {
  const logger = pino({
    level: settings.LOG_LEVEL,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
  // Node would print the message of the error, which may contain personal data.
  process.on('uncaughtException', (error) => {
    logger.fatal({ error: describeError(error) }, 'Unexpected failure; this process exits.');
    process.exit(1);
  });
  if (settings.API_KEYS === undefined && cluster.isPrimary) {
    logger.warn('Authentication is disabled: every client that can reach the port can call the service.');
  }
  return settings.WORKERS > 1 && cluster.isPrimary ? runPrimary(settings, logger, env) : runOne(settings, logger);
}

async function runOne(settings: Settings, logger: Logger): Promise<number> {
  const metrics = createMetrics();
  const signal = nextSignal();
  if (cluster.isWorker) reportToPrimary(metrics);
  // The primary process serves the metrics of all workers.
  const app = await startApp(cluster.isWorker ? { ...settings, METRICS_PORT: 'off' } : settings, { logger, metrics });
  const { port, metricsPort, proxyPort, extProcPort } = app;
  logger.info(
    { host: settings.HOST, port, metricsPort, proxyPort, extProcPort, store: settings.STORE.kind, mode: settings.MODE },
    'listening',
  );
  logger.info(`Received ${await signal}; finishing running calls.`);
  await app.windDown();
  const finished = await app.drain();
  if (!finished) logger.error('Aborted calls that did not finish in time.');
  cluster.worker?.disconnect();
  return finished ? 0 : 1;
}

/** Sends the metrics of this worker to the primary process. The constructor installs the message handler. */
function reportToPrimary(metrics: ReturnType<typeof createMetrics>): void {
  AggregatorRegistry.setRegistries(metrics.registry);
  new AggregatorRegistry();
}

async function runPrimary(settings: Settings, logger: Logger, env: NodeJS.ProcessEnv): Promise<number> {
  const metricsServer = await serveAllMetrics(settings, logger);
  let stopping = false;
  const exitCodes: number[] = [];
  const timers = new Set<NodeJS.Timeout>();

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
  await metricsServer?.close(0);
  return exitCodes.every((code) => code === 0) ? 0 : 1;
}

/** Serves the aggregated metrics of all workers. */
async function serveAllMetrics(settings: Settings, logger: Logger): Promise<Listening | undefined> {
  if (settings.METRICS_PORT === 'off') return undefined;
  const registry = new AggregatorRegistry();
  const address = { host: settings.HOST, port: settings.METRICS_PORT };
  const exposed = await serveMetrics(() => registry.clusterMetrics(), address);
  logger.info({ host: settings.HOST, metricsPort: exposed.port }, 'serving metrics');
  return exposed;
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
