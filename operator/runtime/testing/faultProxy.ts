import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';

/** A request that the proxy received. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  /** Number of its connection, counted from 1. */
  readonly connection: number;
  /** Time of arrival, by `performance.now()`. */
  readonly at: number;
}

/** A fault in place of the normal response. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
    }
  | { readonly kind: 'reset' }
  /** Never responds. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Forwards the request, but drops the response. */
  | { readonly kind: 'loseAnswer' };

/** A fault in an open watch. */
export type WatchFault =
  /** Ends the watch cleanly. */
  | 'close'
  | 'reset'
  /** Keeps the connection open, but sends nothing more. */
  | 'freeze'
  /** Sends an additional line. */
  | { readonly line: string };

interface Rule {
  readonly match: (request: ProxiedRequest) => boolean;
  readonly fault: Fault;
  remaining: number;
}

interface OpenWatch {
  readonly request: ProxiedRequest;
  readonly response: ServerResponse;
  frozen: boolean;
}

/** Injects faults between a client and a real API server. Clients connect with plain HTTP and no authentication. */
export class FaultProxy {
  /** All received requests, in order. */
  readonly requests: ProxiedRequest[] = [];
  /** Requests that the API server rejected with 403, as `METHOD path`. */
  readonly refused: string[] = [];
  readonly #upstream: URL;
  readonly #tls: RequestOptions;
  readonly #agent: Agent;
  readonly #sockets = new Map<Socket, number>();
  readonly #watches = new Set<OpenWatch>();
  #rules: Rule[] = [];
  #server: Server;
  #port = 0;
  #connections = 0;

  private constructor(upstream: URL, tls: RequestOptions) {
    this.#upstream = upstream;
    this.#tls = tls;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64 });
    this.#server = this.#newServer();
  }

  /** @param kubeConfig the API server and the user of all forwarded requests */
  static async start(kubeConfig: KubeConfig): Promise<FaultProxy> {
    const tls: RequestOptions = {};
    await kubeConfig.applyToHTTPSOptions(tls);
    const server = kubeConfig.getCurrentCluster()?.server ?? '';
    const { ca, cert, key } = tls;
    const proxy = new FaultProxy(new URL(server), {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
    await proxy.up();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A kubeconfig that connects through the proxy. */
  kubeConfig(): KubeConfig {
    const config = new KubeConfig();
    // client-node allows http only together with skipTLSVerify.
    config.loadFromClusterAndUser({ name: 'proxied', server: this.url, skipTLSVerify: true }, { name: 'anybody' });
    return config;
  }

  /** Number of connections so far. */
  get connections(): number {
    return this.#connections;
  }

  get openWatches(): number {
    return [...this.#watches].filter(({ frozen }) => !frozen).length;
  }

  /** Adds a fault for matching requests. @param times number of requests; default: all */
  when(match: (request: ProxiedRequest) => boolean, fault: Fault, times = Number.POSITIVE_INFINITY): void {
    this.#rules.push({ match, fault, remaining: times });
  }

  /** Removes all faults. */
  heal(): void {
    this.#rules = [];
  }

  /** Applies a fault to all matching open watches. */
  toWatches(fault: WatchFault, match: (request: ProxiedRequest) => boolean = () => true): number {
    let done = 0;
    for (const watch of this.#watches) {
      if (!match(watch.request) || watch.frozen) continue;
      done += 1;
      if (fault === 'close') watch.response.end();
      else if (fault === 'reset') watch.response.socket?.resetAndDestroy();
      else if (fault === 'freeze') watch.frozen = true;
      else watch.response.write(`${fault.line}\n`);
    }
    return done;
  }

  /** Stops listening and breaks all connections. */
  async down(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.resetAndDestroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  /** Starts to listen, again on the same port. */
  async up(): Promise<void> {
    if (this.#server.listening) return;
    this.#server = this.#newServer();
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    if (this.#server.listening) await this.down();
  }

  #newServer(): Server {
    const server = createServer((incoming, response) => {
      this.#handle(incoming, response);
    });
    server.on('connection', (socket) => {
      this.#connections += 1;
      this.#sockets.set(socket, this.#connections);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    return server;
  }

  #handle(incoming: IncomingMessage, response: ServerResponse): void {
    const url = new URL(incoming.url ?? '/', this.#upstream);
    const request: ProxiedRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      isWatch: url.searchParams.get('watch') === 'true',
      connection: this.#sockets.get(incoming.socket) ?? 0,
      at: performance.now(),
    };
    this.requests.push(request);
    const rule = this.#rules.find(({ match, remaining }) => remaining > 0 && match(request));
    if (rule === undefined) {
      this.#pass(incoming, request, response, false);
      return;
    }
    rule.remaining -= 1;
    const { fault } = rule;
    switch (fault.kind) {
      case 'answer':
        incoming.resume();
        response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
        response.end(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {}));
        break;
      case 'reset':
        incoming.socket.resetAndDestroy();
        break;
      case 'hang':
        incoming.resume();
        break;
      case 'delay':
        setTimeout(() => {
          this.#pass(incoming, request, response, false);
        }, fault.ms);
        break;
      case 'loseAnswer':
        this.#pass(incoming, request, response, true);
        break;
    }
  }

  #pass(incoming: IncomingMessage, request: ProxiedRequest, response: ServerResponse, lose: boolean): void {
    const { host: _, connection: __, ...headers } = incoming.headers;
    const outgoing = httpsRequest(
      new URL(incoming.url ?? '/', this.#upstream),
      { ...this.#tls, method: request.method, headers, agent: this.#agent },
      (answer) => {
        // Only requests of the Kubernetes API: an operator that watches all namespaces also calls the gateways of other tests.
        // A deleted gateway may have had the port that this proxy has now.
        const isApi = /^\/apis?(?:\/|$)/.test(request.path);
        if (isApi && answer.statusCode === 403) this.refused.push(`${request.method} ${request.path}`);
        if (lose) {
          answer.resume();
          answer.on('end', () => incoming.socket.resetAndDestroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        if (!request.isWatch) {
          answer.pipe(response);
          return;
        }
        response.flushHeaders();
        const watch: OpenWatch = { request, response, frozen: false };
        this.#watches.add(watch);
        answer.on('data', (chunk: Buffer) => {
          // A fault may have closed the watch.
          if (!watch.frozen && !response.writableEnded) response.write(chunk);
        });
        answer.on('end', () => {
          if (!watch.frozen) response.end();
        });
        response.on('close', () => {
          this.#watches.delete(watch);
          outgoing.destroy();
        });
      },
    );
    outgoing.on('error', () => incoming.socket.resetAndDestroy());
    incoming.pipe(outgoing);
  }
}
