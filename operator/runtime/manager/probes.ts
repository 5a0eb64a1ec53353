import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { StartError } from '../client/errors.ts';

/** A health check. Returns undefined if it passes, or else the problem. */
export type Check = () => string | undefined;

/** Settings of a server. */
export interface PlainServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The flag that sets the port, for the error message. */
  readonly flag: string;
  /** Handlers of GET requests, by path. */
  readonly routes: Readonly<Record<string, (response: ServerResponse) => void>>;
  /** Whether a header `Authorization` suffices. Default: nobody needs one. */
  readonly mayCall?: (authorization: string | undefined) => boolean;
}

/** Serves a few paths, as kubelet and Prometheus expect. */
export class PlainServer {
  readonly #server: Server;
  readonly #options: PlainServerOptions;

  constructor(options: PlainServerOptions) {
    this.#options = options;
    const routes = new Map(Object.entries(options.routes));
    this.#server = createServer((request, response) => {
      const route = routes.get((request.url ?? '/').split('?', 1)[0] ?? '/');
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end();
      } else if (route === undefined) {
        response.writeHead(404).end();
      } else if (options.mayCall?.(request.headers.authorization) === false) {
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      } else {
        route(response);
      }
    });
  }

  /** Starts the server. @returns the port @throws StartError if it is not available */
  async start(): Promise<number> {
    const { host, port, flag } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const why =
          error.code === 'EADDRINUSE'
            ? `is in use: set another port with --${flag}, or 0 for a free one`
            : `is not available (${error.code ?? error.message})`;
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

/** A route that reports the result of each check. */
export function probe(checks: Readonly<Record<string, Check>>): (response: ServerResponse) => void {
  return (response) => {
    const results = Object.entries(checks).map(([name, check]) => [name, check()] as const);
    const well = results.every(([, problem]) => problem === undefined);
    const text = results.map(
      ([name, problem]) => `${problem === undefined ? '[+]' : '[-]'}${name} ${problem ?? 'ok'}\n`,
    );
    response.writeHead(well ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' }).end(text.join(''));
  };
}

/**
 * A route that serves metrics.
 * @param observe called before the metrics are read
 */
export function exposition(metrics: Registry, observe: () => void): (response: ServerResponse) => void {
  return (response) => {
    observe();
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  };
}
