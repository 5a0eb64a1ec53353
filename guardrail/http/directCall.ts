import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { HttpScope } from './context.ts';
import { HttpCall } from './httpCall.ts';
import { JSON_TYPE } from './json.ts';

/**
 * A call of a route that needs nothing of Koa. Koa makes three objects with dozens of accessors for each call, follows the end of
 * its answer, and writes each header on its own, which takes as much processor time as the restoration of an answer.
 */
export class DirectCall extends HttpCall implements HttpScope {
  readonly url: string;
  readonly path: string;
  #body: unknown;
  #hasStatus = false;

  /** @param path the path in the URL of the request */
  constructor(request: IncomingMessage, response: ServerResponse, path: string) {
    super(request, response);
    this.url = request.url ?? '';
    this.path = path;
    // Until something answers the call.
    response.statusCode = 404;
  }

  override get status(): number {
    return super.status;
  }

  override set status(status: number) {
    this.#hasStatus = true;
    super.status = status;
  }

  get body(): unknown {
    return this.#body;
  }

  set body(body: unknown) {
    this.#body = body;
    if (!this.#hasStatus) super.status = 200;
  }

  /** Sends the answer. Does nothing for a client that has disconnected. */
  answer(): void {
    const { res, headers } = this;
    const body = this.#body;
    if (res.writableEnded || res.socket?.writable === false) return;
    headers['content-type'] ??= JSON_TYPE;
    if (body instanceof Readable) {
      res.writeHead(res.statusCode, headers);
      sendStream(body, res);
      return;
    }
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    headers['content-length'] = Buffer.byteLength(bytes);
    // The head and a text leave in one write.
    res.writeHead(res.statusCode, headers).end(bytes);
  }
}

/** The answer breaks if the stream does, and nobody reads the stream if the client leaves. */
function sendStream(body: Readable, response: ServerResponse): void {
  body.once('error', () => response.destroy());
  response.once('close', () => body.destroy());
  body.pipe(response);
}
