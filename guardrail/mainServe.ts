/** The command `serve`: one process, or a primary with workers that share the port. */
import cluster, { type Worker } from 'node:cluster';
import { pino, type Logger } from 'pino';
import { AggregatorRegistry, type RegistryContentType } from 'prom-client';
import { startApp } from './app.ts';
import type { Config } from './config.ts';
import { createMetrics, describeError } from './http/http.ts';

/** A worker that dies is replaced after this pause, so that one that cannot start does not spin. */
const RESPAWN_MS = 1000;

interface MetricsQuestion {
  readonly guardrail: 'metrics';
  readonly id: number;
}
interface MetricsAnswer extends MetricsQuestion {
  readonly text: string | null;
}

/** Runs until SIGTERM or SIGINT. @returns the exit code. */
export async function serve(config: Config, env: NodeJS.ProcessEnv): Promise<number> {
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

async function runOne(config: Config, logger: Logger): Promise<number> {
  const metrics = createMetrics();
  const signal = signalled();
  const app = await startApp(config, {
    logger,
    metrics,
    ...(cluster.isWorker ? { exposition: askPrimary(metrics) } : {}),
  });
  logger.info({ host: config.HOST, port: app.port, store: config.STORE.kind, mode: config.MODE }, 'listening');
  logger.info(`${await signal} was received: finishing what is running.`);
  await app.windDown();
  const finished = await app.drain();
  if (!finished) logger.error('Some calls took too long to finish and were cut off.');
  cluster.worker?.disconnect();
  return finished ? 0 : 1;
}

/** The metrics of all workers together, which only the primary can collect. */
function askPrimary(metrics: ReturnType<typeof createMetrics>): () => Promise<string> {
  AggregatorRegistry.setRegistries(metrics.registry);
  // The worker's side of the collection is set up by the constructor.
  new AggregatorRegistry();
  const open = new Map<number, (text: string | null) => void>();
  let last = 0;
  process.on('message', (message: Partial<MetricsAnswer> | null) => {
    if (message?.guardrail !== 'metrics' || message.id === undefined) return;
    open.get(message.id)?.(message.text ?? null);
    open.delete(message.id);
  });
  return async () => {
    last += 1;
    const id = last;
    const answer = new Promise<string | null>((resolve) => open.set(id, resolve));
    process.send?.({ guardrail: 'metrics', id } satisfies MetricsQuestion);
    return (await answer) ?? metrics.registry.metrics();
  };
}

async function runPrimary(config: Config, logger: Logger, env: NodeJS.ProcessEnv): Promise<number> {
  const registry = new AggregatorRegistry();
  let stopping = false;
  const exitCodes: number[] = [];
  const timers = new Set<NodeJS.Timeout>();

  const fork = (): void => {
    const worker = cluster.fork(env);
    worker.on('message', (message: Partial<MetricsQuestion> | null) => {
      if (message?.guardrail === 'metrics' && message.id !== undefined)
        void answerMetrics(registry, worker, message.id);
    });
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
  return exitCodes.every((code) => code === 0) ? 0 : 1;
}

async function answerMetrics(
  registry: AggregatorRegistry<RegistryContentType>,
  worker: Worker,
  id: number,
): Promise<void> {
  const text = await registry.clusterMetrics().catch(() => null);
  if (worker.isConnected()) worker.send({ guardrail: 'metrics', id, text } satisfies MetricsAnswer);
}

function signalled(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
