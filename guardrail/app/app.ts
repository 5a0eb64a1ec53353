/** Starts the service in this process, and stops it. */
import { getHeapStatistics } from 'node:v8';
import * as http from '../http/http.ts';
import { bodiesIn } from '../memoryBudget.ts';
import type { Settings } from '../settings/settings.ts';
import { createComponents, type ComponentOptions } from './components.ts';
import { createRoutes } from './routes.ts';
import { warmUp } from './warmUp.ts';

export { openAnalyzer, openPolicyOf } from './analyzer.ts';

/** The running service. */
export interface App {
  readonly port: number;
  /** The port of /metrics; undefined if metrics are disabled. */
  readonly metricsPort: number | undefined;
  readonly metrics: http.Metrics;
  readonly routes: readonly http.Route[];
  /** Asks clients to reconnect elsewhere, and still answers calls. Call it before `drain` if other replicas exist. */
  windDown(): Promise<void>;
  /** Refuses new calls, finishes the running ones, and closes. @returns whether all calls finished in time. */
  drain(): Promise<boolean>;
}

export interface AppOptions extends Omit<ComponentOptions, 'metrics'> {
  readonly metrics?: http.Metrics;
}

/** Time limit of a drain. Kubernetes grants 30 s: 5 s pass before SIGTERM, and 4 s while winding down. */
const DRAIN_MS = 20_000;
/** Winding down ends after this time without a call: the clients have moved on. */
const QUIET_MS = 500;
const WIND_DOWN_MS = 4_000;
/** How long idle connections stay open after a drain that finished. */
const CLOSE_GRACE_MS = 1000;

/** Starts the service. @throws Error with one sentence if it cannot listen. */
export async function startApp(settings: Settings, options: AppOptions): Promise<App> {
  const metrics = options.metrics ?? http.createMetrics();
  const components = createComponents(settings, { ...options, metrics });
  const admission = http.createAdmission({
    // Calls that wait for Redis or Presidio do not block others; the CPU-bound part of calls runs one after the other.
    maxRunning: 256,
    maxWaiting: 1024,
    maxWaitMs: 2000,
    maxBytes: bodiesIn(getHeapStatistics().heap_size_limit, settings.MAX_BODY),
    maxBody: settings.MAX_BODY,
  });
  const { handle, routes } = createRoutes({ settings, components, admission, metrics, logger: options.logger });
  const { uncountedAnalyzer: analyzer, sessionKey, customTypes } = components;
  await warmUp({ analyzer, sessionKey, customTypes });
  const servers = await listen(settings, handle, metrics).catch(async (error: unknown) => {
    await components.close();
    throw error;
  });

  return {
    port: servers.service.port,
    metricsPort: servers.metrics?.port,
    metrics,
    routes,
    windDown: () => admission.windDown(QUIET_MS, WIND_DOWN_MS),
    async drain() {
      const finished = await withinTime(admission.drain(), DRAIN_MS);
      await Promise.all([servers.service.close(finished ? CLOSE_GRACE_MS : 0), servers.metrics?.close(0)]);
      await components.close();
      return finished;
    },
  };
}

interface Servers {
  readonly service: http.Listening;
  readonly metrics: http.Listening | undefined;
}

async function listen(settings: Settings, handle: http.Handler['handle'], metrics: http.Metrics): Promise<Servers> {
  const { HOST: host, PORT: port, METRICS_PORT: metricsPort } = settings;
  const metricsServer =
    metricsPort === 'off'
      ? undefined
      : await http.serveMetrics(() => metrics.registry.metrics(), { host, port: metricsPort });
  try {
    return { service: await http.listen(handle, { host, port }), metrics: metricsServer };
  } catch (error) {
    await metricsServer?.close(0);
    throw error;
  }
}

/** @returns whether the promise resolved within the time. */
async function withinTime(done: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => {
      resolve(false);
    }, ms);
  });
  try {
    return await Promise.race([done.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
