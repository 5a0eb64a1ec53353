import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
import { HttpMethod, RequestContext } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';
import type { Clock } from '../clock.ts';
import { sleep } from '../clock.ts';
import { ApiError, StartError } from './errors.ts';
import type { RuntimeMetrics } from '../metrics.ts';
import { openPortForward } from './portForward.ts';

/** How long credentials are used before files and plug-ins are asked again: as in client-go. */
const CREDENTIALS_MS = 60_000;
/** How long one request may take with its body. A page of 500 large objects takes a loaded server seconds. */
const REQUEST_MS = 30_000;
/** How long a port may take to be forwarded: API server, kubelet and container runtime each open a connection. */
const FORWARD_MS = 10_000;
/** How often a request that the server turned away with `Retry-After` is repeated before its caller is told. */
const TURNED_AWAY_RETRIES = 5;
/** The longest `Retry-After` that is waited for here; a longer one is the caller's to plan with. */
const LONGEST_WAIT_MS = 10_000;
/** Go's API server closes idle connections after 90 s; closing ours earlier avoids the race. */
const IDLE_CONNECTION_MS = 45_000;

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the root, each segment encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

/** An open watch. */
export interface ApiStream {
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends it at once. */
  close(): void;
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  readonly readAt: number;
}

/**
 * HTTP to the API server. client-node makes a new connection pool for each request (`createDispatcher` in its
 * config.js), so that each one pays for a TLS handshake; here one pool is kept for as long as the certificates stay the
 * same. Kubeconfig, plug-ins and the pod's ServiceAccount token are read by client-node, again every minute and at
 * each 401.
 */
export class Transport {
  readonly server: string;
  readonly #host: string;
  readonly #kubeConfig: KubeConfig;
  readonly #clock: Clock;
  readonly #metrics: RuntimeMetrics;
  readonly #userAgent: string;
  #credentials: Credentials | undefined;
  /** Whether a 401 has shown that they are no longer good. Their connections still are. */
  #refused = false;
  #reading: Promise<Credentials> | undefined;
  #dispatcherKey = '';

  constructor(kubeConfig: KubeConfig, options: { clock: Clock; metrics: RuntimeMetrics; userAgent: string }) {
    const cluster = kubeConfig.getCurrentCluster();
    if (!cluster) {
      throw new StartError('The kubeconfig names no current cluster: set current-context to one of its contexts.');
    }
    this.server = cluster.server.replace(/\/+$/, '');
    this.#host = new URL(this.server).host;
    this.#kubeConfig = kubeConfig;
    this.#clock = options.clock;
    this.#metrics = options.metrics;
    this.#userAgent = options.userAgent;
  }

  /**
   * Sends a request and parses its JSON answer. What the server turned away unread (429, or any 5xx that says when to
   * come back) is repeated; so is a GET whose kept connection turned out to be dead. Nothing else is: whether a write
   * without an answer was carried out cannot be known here.
   * @throws ApiError
   */
  async send(apiRequest: ApiRequest): Promise<unknown> {
    let renewed = false;
    let reconnected = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#sendOnce(apiRequest);
      } catch (error) {
        if (!(error instanceof ApiError) || apiRequest.signal?.aborted === true) throw error;
        if (error.status === 401 && !renewed) {
          renewed = true;
          this.#refused = true;
        } else if (
          error.isUnreachable &&
          isDeadConnection(error.cause) &&
          apiRequest.method === 'GET' &&
          !reconnected
        ) {
          reconnected = true;
        } else if (
          (error.status === 429 || error.status >= 500) &&
          error.retryAfterMs !== undefined &&
          error.retryAfterMs <= LONGEST_WAIT_MS &&
          attempt < TURNED_AWAY_RETRIES
        ) {
          await sleep(this.#clock, error.retryAfterMs * (1 + 0.1 * this.#clock.random()), apiRequest.signal);
        } else {
          throw error;
        }
      }
    }
  }

  /**
   * Opens a watch.
   * @param silentMs after so long without a byte it ends with an error: the connection is taken for dead
   * @throws ApiError, and the returned chunks throw any error
   */
  async stream(
    path: string,
    query: Readonly<Record<string, string>>,
    silentMs: number,
    signal: AbortSignal,
  ): Promise<ApiStream> {
    const { headers, dispatcher } = await this.#current();
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const close = (): void => {
      signal.removeEventListener('abort', abort);
      controller.abort();
    };
    try {
      const answer = await this.#http(
        { method: 'GET', path, query },
        { headers, dispatcher, signal: controller.signal, headersTimeout: REQUEST_MS, bodyTimeout: silentMs },
      );
      if (answer.statusCode !== 200) {
        const error = await failure({ method: 'GET', path }, answer);
        if (error.status === 401) this.#refused = true;
        throw error;
      }
      return { chunks: answer.body, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /**
   * Opens a connection to a port of a pod.
   * @param path of its subresource `portforward`
   * @throws ApiError; see {@link openPortForward}
   */
  async portForward(path: string, port: number): Promise<Duplex> {
    const { headers, dispatcher } = await this.#current();
    const url = `${this.server}${path}?ports=${port}`;
    return await openPortForward({ url, headers, dispatcher, timeoutMs: FORWARD_MS });
  }

  /** Closes all connections. Requests that are under way fail. */
  async close(): Promise<void> {
    await this.#credentials?.dispatcher.destroy();
    this.#credentials = undefined;
  }

  async #sendOnce(apiRequest: ApiRequest): Promise<unknown> {
    const { headers, dispatcher } = await this.#current();
    const started = this.#clock.monotonic();
    // The deadline covers the body too, which undici's own time-outs only watch for pauses.
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    if (apiRequest.signal?.aborted === true) abort();
    apiRequest.signal?.addEventListener('abort', abort, { once: true });
    const timeoutMs = apiRequest.timeoutMs ?? REQUEST_MS;
    const timer = setTimeout(abort, timeoutMs);
    try {
      const answer = await this.#http(apiRequest, {
        headers,
        dispatcher,
        signal: controller.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      if (answer.statusCode < 200 || answer.statusCode > 299) throw await failure(apiRequest, answer);
      return await parsed(apiRequest, answer.body);
    } finally {
      clearTimeout(timer);
      apiRequest.signal?.removeEventListener('abort', abort);
      this.#metrics.requestSeconds.observe(
        { verb: apiRequest.method, host: this.#host },
        (this.#clock.monotonic() - started) / 1000,
      );
    }
  }

  async #http(
    apiRequest: ApiRequest,
    options: {
      headers: Readonly<Record<string, string>>;
      dispatcher: Dispatcher;
      signal: AbortSignal;
      headersTimeout: number;
      bodyTimeout: number;
    },
  ): Promise<Dispatcher.ResponseData> {
    const { method, path, query, body, contentType } = apiRequest;
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const { headers, ...rest } = options;
    try {
      const answer = await request(`${this.server}${path}${search}`, {
        method,
        headers: {
          ...headers,
          accept: 'application/json',
          'user-agent': this.#userAgent,
          ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        ...rest,
      });
      this.#metrics.requests.inc({ code: String(answer.statusCode), method, host: this.#host });
      return answer;
    } catch (error) {
      this.#metrics.requests.inc({ code: '<error>', method, host: this.#host });
      throw unreachable(apiRequest, error);
    }
  }

  async #current(): Promise<Credentials> {
    const current = this.#credentials;
    const fresh = current !== undefined && this.#clock.monotonic() - current.readAt < CREDENTIALS_MS;
    if (fresh && !this.#refused) return current;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<Credentials> {
    const context = new RequestContext(this.server, HttpMethod.GET);
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
    const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = tls;
    const material = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
    const dispatcherKey = createHash('sha256').update(JSON.stringify(material)).digest('hex');
    const before = this.#credentials;
    let dispatcher = before?.dispatcher;
    if (dispatcher === undefined || dispatcherKey !== this.#dispatcherKey) {
      // Connections with the old certificates finish what they carry, watches included.
      void before?.dispatcher.close();
      const proxied =
        this.#kubeConfig.getCurrentCluster()?.proxyUrl === undefined ? undefined : context.getDispatcher();
      dispatcher =
        proxied ??
        new Agent({
          // HTTP/1.1: a stalled watch then never holds up anything else.
          allowH2: false,
          keepAliveTimeout: IDLE_CONNECTION_MS,
          connect: {
            ...Object.fromEntries(Object.entries(material).filter(([, value]) => value !== undefined)),
            keepAlive: true,
            keepAliveInitialDelay: 30_000,
            timeout: 10_000,
          },
        });
      this.#dispatcherKey = dispatcherKey;
    }
    this.#credentials = { headers: context.getHeaders(), dispatcher, readAt: this.#clock.monotonic() };
    this.#refused = false;
    return this.#credentials;
  }
}

/** Whether a connection was closed under a request: with kept connections an everyday race, not an outage. */
function isDeadConnection(cause: unknown): boolean {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

async function parsed(apiRequest: ApiRequest, body: Dispatcher.ResponseData['body']): Promise<unknown> {
  let text: string;
  try {
    text = await body.text();
  } catch (error) {
    throw unreachable(apiRequest, error);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ApiError(`The answer to ${describe(apiRequest)} is not JSON.`, { status: 0, cause: error });
  }
}

async function failure(
  apiRequest: Pick<ApiRequest, 'method' | 'path'>,
  answer: Dispatcher.ResponseData,
): Promise<ApiError> {
  const header = answer.headers['retry-after'];
  const text = await answer.body.text().catch(() => '');
  let status: { message?: unknown; reason?: unknown; details?: { retryAfterSeconds?: unknown } } = {};
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) status = json;
  } catch {
    // A proxy's page: its text says nothing that the status does not.
  }
  const seconds = Number(typeof header === 'string' ? header : status.details?.retryAfterSeconds);
  const reason = typeof status.reason === 'string' ? status.reason : '';
  // Of a Secret the server's message may quote what was sent.
  const message =
    typeof status.message === 'string' && !/\/secrets(\/|$)/.test(apiRequest.path) ? `: ${status.message}` : '';
  return new ApiError(
    `The API server answered ${String(answer.statusCode)}${reason === '' ? '' : ` ${reason}`} to ${describe(apiRequest)}${message}`,
    {
      status: answer.statusCode,
      reason,
      retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
    },
  );
}

function unreachable(apiRequest: Pick<ApiRequest, 'method' | 'path'>, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const why =
    cause instanceof Error
      ? cause.name === 'AbortError'
        ? 'it took too long or was given up'
        : cause.message
      : String(cause);
  return new ApiError(`No answer from the API server to ${describe(apiRequest)}: ${why}`, { status: 0, cause });
}

function describe(apiRequest: Pick<ApiRequest, 'method' | 'path'>): string {
  return `${apiRequest.method} ${apiRequest.path}`;
}
