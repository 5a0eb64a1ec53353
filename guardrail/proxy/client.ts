/** The client's side of a call: when it disconnects, and when it is ready to receive more. */
import type { ServerResponse } from 'node:http';
import { ClientGoneError } from './errors.ts';

/** A client that receives nothing for this time, in milliseconds, has gone without a word. */
const STALLED_MS = 300_000;
/** How long the last part of a broken answer may take, in milliseconds. */
const BREAK_MS = 5000;

/** The response of a call, with backpressure, and a signal that ends everything that the call has started. */
export class Client {
  /** Aborted when the client disconnects, or by {@link abort}. */
  readonly signal: AbortSignal;
  readonly #response: ServerResponse;
  readonly #controller = new AbortController();

  constructor(response: ServerResponse) {
    this.#response = response;
    this.signal = this.#controller.signal;
    response.once('close', () => {
      if (!response.writableFinished) this.abort(new ClientGoneError());
    });
    // The client may have disconnected before: then there is no event.
    if (response.destroyed) this.abort(new ClientGoneError());
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Resolves when the client can receive more. @throws ClientGoneError */
  async write(bytes: Buffer): Promise<void> {
    this.signal.throwIfAborted();
    if (!this.#response.write(bytes)) await this.#event('drain');
  }

  /** Resolves when the operating system has everything. @throws ClientGoneError */
  async end(bytes?: Buffer): Promise<void> {
    this.signal.throwIfAborted();
    const finished = this.#event('finish');
    this.#response.end(bytes);
    await finished;
  }

  /** Sends a last part, and breaks the connection: the client must not take what it has for the whole answer. */
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
