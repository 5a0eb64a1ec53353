/** The HTTP client of the proxy: a pool of connections to the upstream, answers with backpressure, and one error type. */
import { AsyncResource } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Pool, type Dispatcher } from 'undici';
import { ClientGoneError, ProxyError } from './errors.ts';

/** Time limits in milliseconds. */
export interface UpstreamTimeouts {
  readonly connect: number;
  /** To the headers of an answer. A model that reasons before it answers takes minutes; SDKs wait ten. */
  readonly headers: number;
  /** Between two parts of an answer, while the client reads. */
  readonly body: number;
}

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = { connect: 10_000, headers: 600_000, body: 300_000 };

/** Bytes of an answer that are received before they are asked for. Then the upstream waits. */
const HIGH_WATER = 64 * 1024;

/** As much as clients may send. */
const MAX_HEADER_BYTES = 32 * 1024;

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query, without the path of the upstream's base URL. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
  /** Ends the request, and the answer too. */
  readonly signal: AbortSignal;
}

/** An answer whose body arrives in parts. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Whether the next part, or the end, is already here. */
  readonly isReady: boolean;
  /**
   * Hands out the body as it arrives, once. Resolves at its end. Until the call, the upstream waits.
   * @param take receives all that has arrived. While its promise is pending, the upstream waits
   * @throws ProxyError 502 or 504 if the answer is cut off; ClientGoneError; what `take` throws, and it receives no more
   */
  each(take: (part: Buffer) => Promise<void> | undefined): Promise<void>;
  /** Ends an answer whose rest is not needed. Does nothing after its end. */
  cancel(): void;
}

export interface Upstream {
  /** The base URL. */
  readonly base: URL;
  /** @throws ProxyError 502 or 504 if no answer begins; ClientGoneError */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
}

export interface UpstreamPool extends Upstream {
  close(): Promise<void>;
}

export function createUpstream(base: URL, timeouts: UpstreamTimeouts = UPSTREAM_TIMEOUTS): UpstreamPool {
  const pool = new Pool(base.origin, {
    // Each call has a connection of its own: a slow answer delays no other.
    pipelining: 1,
    allowH2: false,
    connect: { timeout: timeouts.connect },
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
  });
  const prefix = base.pathname === '/' ? '' : base.pathname;
  return {
    base,
    send: ({ method, path, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const exchange = new Exchange(signal, resolve, reject);
        pool.dispatch({ method, path: prefix + path, headers, body }, exchange);
      }),
    // Calls that still run have outlived the drain.
    close: () => pool.destroy(),
  };
}

/** Receives the parts in the async context in which it was made: they arrive in the context of the connection. */
class Receiver extends AsyncResource {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly #take: (part: Buffer) => Promise<void> | undefined;

  constructor(
    take: (part: Buffer) => Promise<void> | undefined,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    super('UpstreamAnswer');
    this.#take = take;
    this.resolve = resolve;
    this.reject = reject;
  }

  take(part: Buffer): Promise<void> | undefined {
    return this.runInAsyncScope(this.#take, undefined, part);
  }
}

/** One request and its answer. Receives the events of the connection, and hands out the parts of the answer. */
class Exchange implements Dispatcher.DispatchHandler, UpstreamAnswer {
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #signal: AbortSignal;
  readonly #resolve: (answer: UpstreamAnswer) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** null: the answer is complete. */
  #end: Error | null | undefined;
  /** Waits for the next part. */
  #receiver: Receiver | undefined;

  /** Nothing takes this listener back: the signal is the call's, and lasts as long as the answer. */
  readonly #abort = (): void => {
    if (this.#end !== undefined) return;
    // Without a controller, the request still waits for a connection.
    if (this.#controller) this.#controller.abort(reasonOf(this.#signal));
    else this.#finish(reasonOf(this.#signal));
  };

  constructor(signal: AbortSignal, resolve: (answer: UpstreamAnswer) => void, reject: (error: Error) => void) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  get isReady(): boolean {
    return this.#bytes > 0 || this.#end !== undefined;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Also if the call has ended while it waited for a connection: the model must not answer nobody.
    if (this.#signal.aborted) controller.abort(reasonOf(this.#signal));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // The same headers as buffers, which a stream would keep as long as it is open.
    controller.rawHeaders = null;
    // Interim answers, such as 103: the final one follows.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes >= HIGH_WATER) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#finish(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(this.#signal.aborted ? reasonOf(this.#signal) : problemOf(error));
  }

  each(take: (part: Buffer) => Promise<void> | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#receiver = new Receiver(take, resolve, reject);
      this.#wake();
    });
  }

  /** Hands out what is there, unless the receiver is busy with a part. */
  #wake(): void {
    const receiver = this.#receiver;
    if (!receiver || !this.isReady) return;
    // To take a part can end the answer, which comes here again.
    this.#receiver = undefined;
    try {
      while (this.#bytes > 0) {
        const taken = receiver.take(this.#take());
        if (!taken) continue;
        taken.then(() => {
          this.#receiver = receiver;
          this.#wake();
        }, receiver.reject);
        return;
      }
    } catch (error) {
      receiver.reject(error);
      return;
    }
    if (this.#end) receiver.reject(this.#end);
    else if (this.#end === null) receiver.resolve();
    else this.#receiver = receiver;
  }

  #take(): Buffer {
    const [first, ...others] = this.#parts;
    const parts = others.length === 0 && first ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    if (this.#controller?.paused) this.#controller.resume();
    return parts;
  }

  cancel(): void {
    if (this.#end !== undefined) return;
    this.#controller?.abort(new ClientGoneError());
  }

  #finish(end: Error | null): void {
    this.#end ??= end;
    if (this.status === 0) this.#reject(end ?? new ProxyError('upstream_failed'));
    this.#wake();
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new ClientGoneError();
}

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

function problemOf(error: Error): Error {
  if (error instanceof ClientGoneError || error instanceof ProxyError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return new ProxyError(TIMEOUTS.has(code) ? 'upstream_timeout' : 'upstream_failed');
}
