/** The command `serve`: one process, or a primary with workers that share the port. */
import cluster from 'node:cluster';
import { pino, type Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { startApp } from './app/app.ts';
import type { Settings } from './settings/settings.ts';
import { createMetrics, describeError, serveMetrics, type Listening } from './http/http.ts';

/** A worker that dies is replaced after this pause, so that one that cannot start does not spin. */
const RESPAWN_MS = 1000;

/** Runs until SIGTERM or SIGINT. @returns the exit code. */
export async function serve(config: Settings, env: NodeJS.ProcessEnv): Promise<number> {
  const logger = pino({
    level: config.LOG_LEVEL,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
  // The default would print the message of the error, which may hold what was being worked on.
  process.on('uncaughtException', (error) => {
    logger.fatal({ error: describeError(error) }, 'The guardrail failed, and this process ends.');
    process.exit(1);
  });
  if (config.API_KEYS === undefined && cluster.isPrimary) {
    logger.warn('The service runs without authentication: whoever reaches its port may call it.');
  }
  return config.WORKERS > 1 && cluster.isPrimary ? runPrimary(config, logger, env) : runOne(config, logger);
}

async function runOne(config: Settings, logger: Logger): Promise<number> {
  const metrics = createMetrics();
  const signal = signalled();
  if (cluster.isWorker) answerPrimary(metrics);
  // The primary serves the metrics of all workers.
  const app = await startApp(cluster.isWorker ? { ...config, METRICS_PORT: 'off' } : config, { logger, metrics });
  const { port, metricsPort } = app;
  logger.info({ host: config.HOST, port, metricsPort, store: config.STORE.kind, mode: config.MODE }, 'listening');
  logger.info(`${await signal} was received: finishing what is running.`);
  await app.windDown();
  const finished = await app.drain();
  if (!finished) logger.error('Some calls took too long to finish and were cut off.');
  cluster.worker?.disconnect();
  return finished ? 0 : 1;
}

/** The worker's side of the collection of metrics, which the constructor sets up. */
function answerPrimary(metrics: ReturnType<typeof createMetrics>): void {
  AggregatorRegistry.setRegistries(metrics.registry);
  new AggregatorRegistry();
}

async function runPrimary(config: Settings, logger: Logger, env: NodeJS.ProcessEnv): Promise<number> {
  const exposed = await exposeAll(config, logger);
  let stopping = false;
  const exitCodes: number[] = [];
  const timers = new Set<NodeJS.Timeout>();

  const fork = (): void => {
    cluster.fork(env);
  };
  const allGone = new Promise<void>((resolve) => {
    cluster.on('exit', (worker, code, signal) => {
      if (stopping) {
        exitCodes.push(code);
        if (Object.keys(cluster.workers ?? {}).length === 0) resolve();
        return;
      }
      logger.error({ worker: worker.process.pid, code, signal }, 'A worker ended and is replaced.');
      const timer = setTimeout(() => {
        timers.delete(timer);
        fork();
      }, RESPAWN_MS);
      timers.add(timer);
    });
  });
  for (let n = 0; n < config.WORKERS; n += 1) fork();

  const signal = await signalled();
  logger.info(`${signal} was received: the workers finish what is running.`);
  stopping = true;
  for (const timer of timers) clearTimeout(timer);
  const workers = Object.values(cluster.workers ?? {});
  for (const worker of workers) worker?.process.kill('SIGTERM');
  if (workers.length > 0) await allGone;
  await exposed?.close(0);
  return exitCodes.every((code) => code === 0) ? 0 : 1;
}

/** Serves the metrics of all workers together. */
async function exposeAll(config: Settings, logger: Logger): Promise<Listening | undefined> {
  if (config.METRICS_PORT === 'off') return undefined;
  const registry = new AggregatorRegistry();
  const address = { host: config.HOST, port: config.METRICS_PORT };
  const exposed = await serveMetrics(() => registry.clusterMetrics(), address);
  logger.info({ host: config.HOST, metricsPort: exposed.port }, 'serving metrics');
  return exposed;
}

function signalled(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
