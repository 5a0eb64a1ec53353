import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { exposition, PlainServer, probe, type Check, type PlainServerOptions } from './probes.ts';

/** Where the manager serves its probes and, on another port, its metrics. Port 0: any free port. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** undefined: no metrics are served. */
  readonly metricsPort?: number;
  /** Whether the metrics may be read with a header `Authorization`. Default: everybody may read them. */
  readonly mayScrape?: (authorization: string | undefined) => boolean;
}

/** The HTTP servers of the manager: `/healthz` and `/readyz` on one port, `/metrics` on another. */
export class HttpServers {
  readonly #log: Logger;
  readonly #servers: PlainServer[] = [];
  #httpPort: number | undefined;
  #metricsPort: number | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The port of the probes, once started. */
  get httpPort(): number | undefined {
    return this.#httpPort;
  }

  /** The port of the metrics, once started. */
  get metricsPort(): number | undefined {
    return this.#metricsPort;
  }

  /**
   * @param ready the checks of `/readyz`, by name
   * @param observe called before each response with metrics
   * @throws StartError if a port is not available
   */
  async start(
    { host, port, metricsPort, mayScrape }: HttpOptions,
    sources: {
      readonly ready: Readonly<Record<string, Check>>;
      readonly metrics: Registry;
      readonly observe: () => void;
    },
  ): Promise<void> {
    const { ready, metrics, observe } = sources;
    this.#httpPort = await this.#listen({
      host,
      port,
      flag: 'http-port',
      routes: { '/healthz': probe({ ping: () => undefined }), '/readyz': probe(ready) },
    });
    this.#log.info(`Serving /healthz and /readyz on ${host}:${this.#httpPort}.`);
    if (metricsPort === undefined) return;
    this.#metricsPort = await this.#listen({
      host,
      port: metricsPort,
      flag: 'metrics-port',
      routes: { '/metrics': exposition(metrics, observe) },
      ...(mayScrape === undefined ? {} : { mayCall: mayScrape }),
    });
    this.#log.info(`Serving /metrics on ${host}:${this.#metricsPort}.`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  async #listen(options: PlainServerOptions): Promise<number> {
    const server = new PlainServer(options);
    const port = await server.start();
    this.#servers.push(server);
    return port;
  }
}
