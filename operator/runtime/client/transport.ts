import type { Duplex } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Dispatcher, request } from 'undici';
import { type Clock, sleep, withDeadline } from '../clock.ts';
import type { RuntimeMetrics } from '../metrics.ts';
import { Credentials } from './credentials.ts';
import { ApiError, StartError } from './errors.ts';
import { openPortForward } from './portForward.ts';

/** The timeout of one request, including its body. A loaded server needs seconds for a page of 500 large objects. */
const REQUEST_MS = 30_000;
/** The timeout of opening a port forward: API server, kubelet and container runtime each open a connection. */
const FORWARD_MS = 10_000;
/** Number of retries of a request that the server rejects with `Retry-After`. */
const RETRY_AFTER_RETRIES = 5;
/** The longest `Retry-After` that the transport waits for. A longer one is reported to the caller. */
const LONGEST_WAIT_MS = 10_000;

/** An open watch. */
export interface ApiStream {
  readonly chunks: AsyncIterable<Buffer>;
  /** Closes the watch at once. */
  close(): void;
}

/** Sends HTTP requests to the API server. {@link Credentials} manages connections and tokens. */
export class Transport {
  readonly server: string;
  readonly #host: string;
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #metrics: RuntimeMetrics;
  readonly #userAgent: string;

  constructor(kubeConfig: KubeConfig, options: { clock: Clock; metrics: RuntimeMetrics; userAgent: string }) {
    const cluster = kubeConfig.getCurrentCluster();
    if (!cluster) {
      throw new StartError('The kubeconfig has no current cluster. Set current-context to one of its contexts.');
    }
    this.server = cluster.server.replace(/\/+$/, '');
    this.#host = new URL(this.server).host;
    this.#credentials = new Credentials(kubeConfig, this.server, options.clock);
    this.#clock = options.clock;
    this.#metrics = options.metrics;
    this.#userAgent = options.userAgent;
  }

  /**
   * Sends a request and parses its JSON response. Retries a request that the server rejected before reading it (429, or
   * a 5xx with `Retry-After`), and a GET whose kept-alive connection was closed. Retries nothing else: a write without
   * a response may have been executed.
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
          this.#credentials.reject();
        } else if (
          error.isUnreachable &&
          isClosedConnection(error.cause) &&
          apiRequest.method === 'GET' &&
          !reconnected
        ) {
          reconnected = true;
        } else if (
          (error.status === 429 || error.status >= 500) &&
          error.retryAfterMs !== undefined &&
          error.retryAfterMs <= LONGEST_WAIT_MS &&
          attempt < RETRY_AFTER_RETRIES
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
   * @param silentMs time without data after which the connection counts as dead and the watch ends with an error
   * @throws ApiError; the returned chunks may throw any error
   */
  async stream(
    path: string,
    query: Readonly<Record<string, string>>,
    silentMs: number,
    signal: AbortSignal,
  ): Promise<ApiStream> {
    const { headers, dispatcher } = await this.#credentials.current();
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
      const response = await this.#http(
        { method: 'GET', path, query },
        { headers, dispatcher, signal: controller.signal, headersTimeout: REQUEST_MS, bodyTimeout: silentMs },
      );
      if (response.statusCode !== 200) {
        const error = await errorOfResponse({ method: 'GET', path }, response);
        if (error.status === 401) this.#credentials.reject();
        throw error;
      }
      return { chunks: response.body, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /**
   * Opens a connection to a port of a pod.
   * @param path the path of the pod's `portforward` subresource
   * @throws ApiError; see {@link openPortForward}
   */
  async portForward(path: string, port: number): Promise<Duplex> {
    const { headers, dispatcher } = await this.#credentials.current();
    const url = `${this.server}${path}?ports=${port}`;
    return await openPortForward({ url, headers, dispatcher, timeoutMs: FORWARD_MS });
  }

  /** Closes all connections. Requests in flight fail. */
  async close(): Promise<void> {
    await this.#credentials.close();
  }

  async #sendOnce(apiRequest: ApiRequest): Promise<unknown> {
    const { headers, dispatcher } = await this.#credentials.current();
    const started = this.#clock.monotonic();
    try {
      // undici's body timeout covers only pauses. This deadline covers the whole body.
      return await withDeadline(apiRequest.timeoutMs ?? REQUEST_MS, apiRequest.signal, async (signal) => {
        const response = await this.#http(apiRequest, {
          headers,
          dispatcher,
          signal,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        if (response.statusCode < 200 || response.statusCode > 299) throw await errorOfResponse(apiRequest, response);
        return await parseBody(apiRequest, response.body);
      });
    } catch (error) {
      throw unreachableError(apiRequest, error);
    } finally {
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
      const response = await request(`${this.server}${path}${search}`, {
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
      this.#metrics.requests.inc({ code: String(response.statusCode), method, host: this.#host });
      return response;
    } catch (error) {
      this.#metrics.requests.inc({ code: '<error>', method, host: this.#host });
      throw unreachableError(apiRequest, error);
    }
  }
}

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path, each segment encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

/** Parses the body of a successful response. @throws ApiError */
export async function parseBody(apiRequest: ApiRequest, body: Dispatcher.ResponseData['body']): Promise<unknown> {
  let text: string;
  try {
    text = await body.text();
  } catch (error) {
    throw unreachableError(apiRequest, error);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ApiError(`The response to ${describe(apiRequest)} is not JSON.`, { status: 0, cause: error });
  }
}

/** Creates the error for an unsuccessful response. */
export async function errorOfResponse(
  apiRequest: Pick<ApiRequest, 'method' | 'path'>,
  response: Dispatcher.ResponseData,
): Promise<ApiError> {
  const header = response.headers['retry-after'];
  const text = await response.body.text().catch(() => '');
  let status: { message?: unknown; reason?: unknown; details?: { retryAfterSeconds?: unknown } } = {};
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) status = json;
  } catch {
    // Not JSON, for example the error page of a proxy. Only the status is known.
  }
  const seconds = Number(typeof header === 'string' ? header : status.details?.retryAfterSeconds);
  const reason = typeof status.reason === 'string' ? status.reason : '';
  // The server's message may quote the Secret in the request.
  const message =
    typeof status.message === 'string' && !/\/secrets(\/|$)/.test(apiRequest.path) ? `: ${status.message}` : '';
  return new ApiError(
    `The API server responded with ${String(response.statusCode)}${reason === '' ? '' : ` ${reason}`} to ${describe(apiRequest)}${message}`,
    {
      status: response.statusCode,
      reason,
      retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
    },
  );
}

/** The error for a request without a response. */
export function unreachableError(apiRequest: Pick<ApiRequest, 'method' | 'path'>, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const why =
    cause instanceof Error
      ? ['AbortError', 'TimeoutError'].includes(cause.name)
        ? 'timed out or aborted'
        : cause.message
      : String(cause);
  return new ApiError(`No response from the API server to ${describe(apiRequest)}: ${why}`, { status: 0, cause });
}

function describe(apiRequest: Pick<ApiRequest, 'method' | 'path'>): string {
  return `${apiRequest.method} ${apiRequest.path}`;
}

/** Whether the server closed a kept-alive connection while the request was sent. This is a normal race, not an outage. */
export function isClosedConnection(cause: unknown): boolean {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
