import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { StartError } from './errors.ts';

/** One thing that has to be well. Returns undefined, or a sentence that says what is wrong. */
export type Check = () => string | undefined;

/** Where and what to serve. */
export interface ProbeOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly metrics: Registry;
  /** Whether the process is worth keeping. */
  readonly live: Readonly<Record<string, Check>>;
  /** Whether it does its work, or stands by for it. */
  readonly ready: Readonly<Record<string, Check>>;
  /** Called before metrics are read. */
  readonly observe: () => void;
}

/** Serves `/healthz`, `/readyz` and `/metrics`, without authentication, as kubelet and Prometheus expect them. */
export class ProbeServer {
  readonly #server: Server;
  readonly #options: ProbeOptions;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0];
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end();
      } else if (path === '/healthz') {
        report(options.live);
      } else if (path === '/readyz') {
        report(options.ready);
      } else if (path === '/metrics') {
        options.observe();
        options.metrics.metrics().then(
          (text) => response.writeHead(200, { 'content-type': options.metrics.contentType }).end(text),
          () => response.writeHead(500).end(),
        );
      } else {
        response.writeHead(404).end();
      }

      function report(checks: Readonly<Record<string, Check>>): void {
        const results = Object.entries(checks).map(([name, check]) => [name, check()] as const);
        const well = results.every(([, problem]) => problem === undefined);
        const text = results.map(
          ([name, problem]) => `${problem === undefined ? '[+]' : '[-]'}${name} ${problem ?? 'ok'}\n`,
        );
        response.writeHead(well ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' }).end(text.join(''));
      }
    });
  }

  /** @returns the port @throws StartError when it cannot be had */
  async start(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const why =
          error.code === 'EADDRINUSE'
            ? 'is in use: choose another with --http-port, or 0 for any free one'
            : `cannot be listened on (${error.code ?? error.message})`;
        reject(new StartError(`The port ${port} on ${host} ${why}.`, { cause: error }));
      });
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }
}
