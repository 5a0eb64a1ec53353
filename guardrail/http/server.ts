import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { overloaded } from './errors.ts';
import { inTurns } from './pipelined.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting of the port, which the error names. Default: GUARDRAIL_PORT. */
  readonly setting?: 'GUARDRAIL_PORT' | 'GUARDRAIL_METRICS_PORT';
  /** How long a client may take for its headers, and for its whole request. Milliseconds. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export interface Listening {
  readonly port: number;
  /** Takes no more connections, closes idle ones, and resolves when the others have ended; after `graceMs` ends them. */
  close(graceMs: number): Promise<void>;
}

/** Time-outs that a slow or silent client runs into, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle time-out of usual clients and balancers, so that a connection is not closed under a request. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** What is still read, and thrown away, of a body that was refused: so the client gets to see the answer. */
const MAX_DISCARDED_BYTES = 256 * 1024 * 1024;

/** @throws Error with one sentence where the address cannot be listened on. */
export async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  options: ListenOptions,
): Promise<Listening> {
  const { host, port, headersTimeoutMs = HEADERS_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: Math.min(2000, headersTimeoutMs),
    maxHeaderSize: MAX_HEADER_BYTES,
    noDelay: true,
  });
  server.on(
    'request',
    inTurns((request, response) => {
      boundDiscarding(request, response);
      void handler(request, response);
    }, refusePipelined),
  );
  server.on('clientError', refuse);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(sentence(error, options)));
    });
    server.listen(port, host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => close(server, graceMs) };
}

/** What never becomes a request, because it is not HTTP or takes too long, is answered in the same form. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'headers_too_large', 'The headers are too large.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'request_timeout', 'The request took too long to arrive.']
        : ['400 Bad Request', 'invalid_http', 'This is not a valid HTTP/1.1 request.'];
  const body = JSON.stringify({ error: { code, message, request_id: randomUUID() } });
  const headers = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
}

/** The answer to a call that is one too many on its connection, which ends with it. */
function refusePipelined(response: ServerResponse): void {
  const { status, code, message, headers } = overloaded(0);
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8', connection: 'close' });
  response.end(JSON.stringify({ error: { code, message, request_id: randomUUID() } }));
}

function boundDiscarding(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.readableEnded) return;
    let discarded = 0;
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MAX_DISCARDED_BYTES) request.destroy();
    });
    // Whoever gave up reading has paused it, and with it the connection: the next call would never be read.
    request.resume();
  });
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}

function sentence(error: NodeJS.ErrnoException, { host, port, setting = 'GUARDRAIL_PORT' }: ListenOptions): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use already: set ${setting} to a free one, or stop what listens there.`;
    case 'EACCES':
      return `This process may not listen on port ${port}: set ${setting} to one above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host} to listen on: correct GUARDRAIL_HOST.`;
    default:
      return `Listening on ${host}:${port} failed with ${error.code ?? 'an error'}.`;
  }
}
