/** The client's side of an HTTP call: when it disconnects, and when it is ready to receive more. */
import type { ServerResponse } from 'node:http';
import type { ErrorBody } from '../bodies/bodies.ts';
import type { CallContext } from '../http/http.ts';
import type { LinkedList } from '../linkedList.ts';
import type { AnswerHead, Client } from './call.ts';
import { ClientGoneError } from './errors.ts';
import { answerHeaders } from './headers.ts';

/** A client that receives nothing for this time, in milliseconds, has gone without a word. */
const STALLED_MS = 300_000;
/** How long the last part of a broken answer may take, in milliseconds. */
const BREAK_MS = 5000;

/** A client that calls by HTTP. */
export class HttpClient implements Client {
  readonly signal: AbortSignal;
  readonly #base: URL;
  readonly #response: ServerResponse;
  readonly #controller = new AbortController();

  /**
   * @param base the base URL of the upstream: a redirect to it becomes one to the proxy
   * @param open contains the client until its connection or its answer has ended
   */
  constructor({ res: response }: Pick<CallContext, 'res'>, base: URL, open: LinkedList<Client>) {
    this.#base = base;
    this.#response = response;
    this.signal = this.#controller.signal;
    // The client may have disconnected before: then there is no event.
    if (response.destroyed) {
      this.abort(new ClientGoneError());
      return;
    }
    const link = open.add(this);
    // Not `once`, whose wrapper an open stream would hold: there is one such event.
    response.on('close', () => {
      open.remove(link);
      if (!response.writableFinished) this.abort(new ClientGoneError());
    });
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  begin({ status, headers }: AnswerHead, isChanged: boolean, length?: number): void {
    const sent = answerHeaders(headers, isChanged, this.#base);
    if (length !== undefined) sent['content-length'] = length;
    this.#response.writeHead(status, sent);
  }

  flush(): void {
    this.#response.flushHeaders();
  }

  write(bytes: Buffer): Promise<void> | undefined {
    this.signal.throwIfAborted();
    return this.#response.write(bytes) ? undefined : this.#event('drain');
  }

  async end(bytes?: Buffer): Promise<void> {
    this.signal.throwIfAborted();
    const response = this.#response;
    response.end(bytes);
    // The system has taken a short answer at once.
    if (response.socket?.writableLength !== 0 && !response.writableFinished) await this.#event('finish');
  }

  break(bytes: Buffer): void {
    const response = this.#response;
    const destroy = (): void => {
      clearTimeout(timer);
      response.destroy();
    };
    // A client that does not read would keep the connection open.
    const timer = setTimeout(destroy, BREAK_MS);
    response.write(bytes, destroy);
  }

  refuse(status: number, headers: Readonly<Record<string, string>>, { contentType, body }: ErrorBody): void {
    const own = { ...headers, 'content-type': contentType, 'content-length': body.length };
    this.#response.writeHead(status, own).end(this.#response.req.method === 'HEAD' ? undefined : body);
  }

  drop(status?: number): void {
    if (status !== undefined && !this.hasBegun) this.#response.statusCode = status;
    this.#response.destroy();
  }

  #event(name: 'drain' | 'finish'): Promise<void> {
    return new Promise((resolve, reject) => {
      const clear = (): void => {
        clearTimeout(timer);
        this.#response.off(name, done);
        this.signal.removeEventListener('abort', fail);
      };
      const done = (): void => {
        clear();
        resolve();
      };
      const fail = (): void => {
        clear();
        reject(this.signal.reason as Error);
      };
      const timer = setTimeout(() => {
        this.abort(new ClientGoneError());
        this.#response.destroy();
      }, STALLED_MS);
      this.#response.once(name, done);
      this.signal.addEventListener('abort', fail, { once: true });
    });
  }
}
