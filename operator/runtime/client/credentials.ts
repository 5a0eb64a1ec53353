import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { HttpMethod, RequestContext } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { Agent } from 'undici';
import type { Clock } from '../clock.ts';
import { ApiError } from './errors.ts';

/** How long credentials are used before files and plug-ins are read again. Same as client-go. */
const MAX_AGE_MS = 60_000;
/** Go's API server closes idle connections after 90 s. Closing them earlier avoids a race. */
const IDLE_CONNECTION_MS = 45_000;

/** Provides the headers and connections of requests to the API server. */
export interface ConnectionCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  readonly readAt: number;
}

/**
 * Reads the credentials of a kubeconfig and keeps one connection pool. client-node reads the kubeconfig, its plug-ins and the
 * ServiceAccount token, every minute and after each 401. client-node itself creates a new pool for each request
 * (`createDispatcher` in its config.js), at the cost of a TLS handshake; this class keeps the pool until the certificates
 * change.
 */
export class Credentials {
  readonly #kubeConfig: KubeConfig;
  readonly #server: string;
  readonly #clock: Clock;
  #current: ConnectionCredentials | undefined;
  /** Whether the server has rejected the current token with 401. The connections stay usable. */
  #rejected = false;
  #reading: Promise<ConnectionCredentials> | undefined;
  #dispatcherKey = '';

  constructor(kubeConfig: KubeConfig, server: string, clock: Clock) {
    this.#kubeConfig = kubeConfig;
    this.#server = server;
    this.#clock = clock;
  }

  /** The current credentials. Reads them again if they are too old or rejected. @throws ApiError if they cannot be read */
  async current(): Promise<ConnectionCredentials> {
    const current = this.#current;
    const fresh = current !== undefined && this.#clock.monotonic() - current.readAt < MAX_AGE_MS;
    if (fresh && !this.#rejected) return current;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Records that the server rejected the credentials (401). */
  reject(): void {
    this.#rejected = true;
  }

  /** Closes all connections. Requests in flight fail. */
  async close(): Promise<void> {
    await this.#current?.dispatcher.destroy();
    this.#current = undefined;
  }

  async #read(): Promise<ConnectionCredentials> {
    const context = new RequestContext(this.#server, HttpMethod.GET);
    const tls: RequestOptions = {};
    try {
      await this.#kubeConfig.applySecurityAuthentication(context);
      await this.#kubeConfig.applyToHTTPSOptions(tls);
    } catch (error) {
      throw new ApiError(
        `The credentials of the kubeconfig cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        { status: 0, cause: error },
      );
    }
    this.#current = {
      dispatcher: this.#dispatcherFor(tls, context),
      headers: context.getHeaders(),
      readAt: this.#clock.monotonic(),
    };
    this.#rejected = false;
    return this.#current;
  }

  /** The current pool, or a new one if the certificates have changed. */
  #dispatcherFor(tls: RequestOptions, context: RequestContext): Dispatcher {
    const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = tls;
    const material = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
    const dispatcherKey = createHash('sha256').update(JSON.stringify(material)).digest('hex');
    const previous = this.#current?.dispatcher;
    if (previous !== undefined && dispatcherKey === this.#dispatcherKey) return previous;
    // Requests on the old connections, including watches, may finish.
    void previous?.close();
    this.#dispatcherKey = dispatcherKey;
    if (this.#kubeConfig.getCurrentCluster()?.proxyUrl !== undefined) {
      const proxied = context.getDispatcher();
      if (proxied !== undefined) return proxied;
    }
    return new Agent({
      // With HTTP/1.1, a stalled watch does not delay other requests.
      allowH2: false,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      connect: {
        ...Object.fromEntries(Object.entries(material).filter(([, value]) => value !== undefined)),
        keepAlive: true,
        keepAliveInitialDelay: 30_000,
        timeout: 10_000,
      },
    });
  }
}
