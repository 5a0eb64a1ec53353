/** Starts the service in this process, and stops it. */
import { getHeapStatistics } from 'node:v8';
import * as http from '../http/http.ts';
import { bodiesIn } from '../memoryBudget.ts';
import type { Settings } from '../settings/settings.ts';
import { createComponents, type ComponentOptions } from './components.ts';
import type { ExtProc } from '../extProc/extProc.ts';
import type { Proxy, UpstreamTimeouts } from '../proxy/proxy.ts';
import { createExternalProcessor, createInlineProxy, createMcp, createRoutes } from './routes.ts';
import type { RouteOptions } from './routeOptions.ts';
import { withinTime } from '../withinTime.ts';
import { serveMetricsOf } from './metricsPort.ts';
import { warmUp } from './warmUp.ts';

export { openAnalyzer, openPolicyOf } from './analyzer.ts';
export { serveMetricsOf } from './metricsPort.ts';
export { logReport } from './report.ts';

/** The running service. */
export interface App {
  readonly port: number;
  /** The port of /metrics; undefined if metrics are disabled. */
  readonly metricsPort: number | undefined;
  /** The port of the inline proxy; undefined without an upstream. */
  readonly proxyPort: number | undefined;
  /** The port of Envoy's external processor; undefined without one. */
  readonly extProcPort: number | undefined;
  /** The port of the MCP proxy; undefined without an MCP server. */
  readonly mcpPort: number | undefined;
  readonly metrics: http.Metrics;
  readonly routes: readonly http.Route[];
  /** Asks clients to reconnect elsewhere, and still answers calls. Call it before `drain` if other replicas exist. */
  windDown(): Promise<void>;
  /** Refuses new calls, finishes the running ones, and closes. @returns whether all calls finished in time. */
  drain(): Promise<boolean>;
}

export interface AppOptions extends Omit<ComponentOptions, 'metrics'> {
  readonly metrics?: http.Metrics;
  /** Replaces the time limits of the proxy's upstream; for tests. */
  readonly upstreamTimeouts?: UpstreamTimeouts;
  /** Replaces some of the app's own time limits; for tests. */
  readonly times?: Partial<typeof TIMES>;
}

/** Time limit of a drain. Kubernetes grants 30 s: 5 s pass before SIGTERM, and 4 s while winding down. */
export const DRAIN_MS = 20_000;
const TIMES = {
  /** How long a call waits for a slot. */
  maxWaitMs: 2000,
  /** Winding down ends after this time without a call: the clients have moved on. */
  quietMs: 1000,
  /** Winding down ends after this time in any case. */
  windDownMs: 4000,
};
/** How long idle connections stay open after a drain that finished. */
const CLOSE_GRACE_MS = 1000;

/** Starts the service. @throws Error with one sentence if it cannot listen. */
export async function startApp(settings: Settings, options: AppOptions): Promise<App> {
  const metrics = options.metrics ?? http.createMetrics();
  const times = { ...TIMES, ...options.times };
  const components = createComponents(settings, { ...options, metrics });
  const admission = http.createAdmission({
    // Calls that wait for Redis or Presidio do not block others; the CPU-bound part of calls runs one after the other.
    maxRunning: 256,
    maxWaiting: 1024,
    maxWaitMs: times.maxWaitMs,
    maxBytes: bodiesIn(getHeapStatistics().heap_size_limit, settings.MAX_BODY),
    maxBody: settings.MAX_BODY,
  });
  const parts: RouteOptions = { settings, components, admission, metrics, logger: options.logger };
  const { handle, routes } = createRoutes(parts);
  const proxy = createInlineProxy(parts, options.upstreamTimeouts);
  const extProc = await createExternalProcessor(parts);
  const mcp = createMcp(parts);
  const { uncountedAnalyzer: analyzer, sessionKey, customTypes } = components;
  await warmUp({ analyzer, sessionKey, customTypes });
  const servers = await listen({ settings, components, metrics }, { handle, proxy, extProc, mcp }).catch(
    async (error: unknown) => {
      await Promise.all([proxy?.close(), mcp?.close(), components.close()]);
      throw error;
    },
  );

  return {
    port: servers.service.port,
    metricsPort: servers.metrics?.port,
    proxyPort: servers.proxy?.port,
    extProcPort: servers.extProc?.port,
    mcpPort: servers.mcp?.port,
    metrics,
    routes,
    async windDown() {
      extProc?.goAway();
      await admission.windDown(times.quietMs, times.windDownMs);
    },
    async drain() {
      const finished = await withinTime(admission.drain(), DRAIN_MS);
      if (!finished) for (const inline of [proxy, extProc, mcp]) inline?.abort();
      await Promise.all([
        servers.service.close(finished ? CLOSE_GRACE_MS : 0),
        // The calls that were aborted end with an error.
        servers.proxy?.close(CLOSE_GRACE_MS),
        servers.extProc?.close(CLOSE_GRACE_MS),
        servers.mcp?.close(CLOSE_GRACE_MS),
        servers.metrics?.close(0),
      ]);
      await Promise.all([proxy?.close(), mcp?.close(), components.close()]);
      return finished;
    },
  };
}

interface Servers {
  readonly service: http.Listening;
  readonly metrics: http.Listening | undefined;
  readonly proxy: http.Listening | undefined;
  readonly extProc: http.Listening | undefined;
  readonly mcp: http.Listening | undefined;
}

interface Handlers {
  readonly handle: http.Handler['handle'];
  readonly proxy: Proxy | undefined;
  readonly extProc: ExtProc | undefined;
  readonly mcp: Proxy | undefined;
}

async function listen(
  { settings, components, metrics }: Pick<RouteOptions, 'settings' | 'components' | 'metrics'>,
  { handle, proxy, extProc, mcp }: Handlers,
): Promise<Servers> {
  const { HOST: host, PORT: port, METRICS_PORT: metricsPort, PROXY_PORT: proxyPort } = settings;
  const { PROXY_HOST: proxyHost = host } = settings;
  const { tls, extProcTls, report } = components;
  const open: http.Listening[] = [];
  const opened = async (listening: Promise<http.Listening>): Promise<http.Listening> => {
    const server = await listening;
    open.push(server);
    return server;
  };
  try {
    return {
      metrics:
        metricsPort === 'off'
          ? undefined
          : await opened(
              serveMetricsOf({ ...settings, METRICS_PORT: metricsPort }, { report, tls }, () =>
                metrics.registry.metrics(),
              ),
            ),
      proxy:
        proxy &&
        (await opened(
          http.listen(proxy.handle, { host: proxyHost, port: proxyPort, setting: 'GUARDRAIL_PROXY_PORT', tls }),
        )),
      extProc:
        extProc &&
        (await opened(extProc.listen({ host: proxyHost, port: settings.EXT_PROC_PORT ?? 0, tls: extProcTls }))),
      mcp:
        mcp &&
        (await opened(
          http.listen(mcp.handle, { host: proxyHost, port: settings.MCP_PORT, setting: 'GUARDRAIL_MCP_PORT', tls }),
        )),
      service: await opened(http.listen(handle, { host, port, tls, withoutCertificate: http.HEALTH_PATHS })),
    };
  } catch (error) {
    await Promise.all(open.map((server) => server.close(0)));
    throw error;
  }
}
