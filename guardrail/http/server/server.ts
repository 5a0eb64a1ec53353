import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Server as TcpServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { errorBody, ERRORS, ServiceError, type ErrorCode } from '../middleware/errors.ts';
import { oneAtATime } from './pipelined.ts';
import { followFiles, serverOptions, type TlsFiles } from './tls.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** The setting that error messages name. Default: GUARDRAIL_PORT. */
  readonly setting?:
    | 'GUARDRAIL_PORT'
    | 'GUARDRAIL_METRICS_PORT'
    | 'GUARDRAIL_PROXY_PORT'
    | 'GUARDRAIL_EXT_PROC_PORT'
    | 'GUARDRAIL_MCP_PORT';
  /** Time limits for the headers and for the whole request, in milliseconds. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** undefined: plain text. */
  readonly tls?: TlsFiles | undefined;
  /**
   * Paths that a client may call without a certificate although {@link TlsFiles.clientCa} is set. Default: none, and such
   * a client is refused before it can send anything.
   */
  readonly withoutCertificate?: ReadonlySet<string>;
}

export interface Listening {
  readonly port: number;
  /** Accepts no more connections, closes idle ones, waits for the others, and closes them after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Time limits for slow and silent clients, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle timeout of common clients and load balancers, so that no connection closes during a request. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** Bytes of a refused body that are read and discarded, so that the client receives the response. */
const MAX_DISCARDED_BYTES = 256 * 1024 * 1024;

/** Starts an HTTP server. @throws Error with one sentence if it cannot listen. */
export async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  options: ListenOptions,
): Promise<Listening> {
  const { host, port, headersTimeoutMs = HEADERS_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const server = createServerFor(options, {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: Math.min(2000, headersTimeoutMs),
    maxHeaderSize: MAX_HEADER_BYTES,
    noDelay: true,
  });
  server.on(
    'request',
    oneAtATime((request, response) => {
      boundDiscarding(request, response);
      if (hasTwoHosts(request)) refuseAmbiguous(response);
      else if (lacksCertificate(request, options)) refuseWithoutCertificate(response);
      else void handler(request, response);
    }, refusePipelined),
  );
  const connections = openConnections(server);
  const encrypted = new WeakSet<Duplex>();
  server.on('secureConnection', (socket: TLSSocket) => encrypted.add(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Before the end of a handshake, nothing can be sent.
    if (socket instanceof TLSSocket && !encrypted.has(socket)) socket.destroy();
    else refuse(error, socket);
  });
  server.on('connect', refuseTunnel);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(listenProblem(error, options)));
    });
    server.listen(port, host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => close(server, connections, graceMs) };
}

function createServerFor({ tls, withoutCertificate }: ListenOptions, options: ServerOptions): Server | TlsServer {
  if (tls === undefined) return createServer(options);
  const shared = serverOptions(tls, 'http/1.1');
  const server = createTlsServer({
    ...options,
    ...shared,
    // With open paths, each request decides.
    rejectUnauthorized: shared.rejectUnauthorized === true && withoutCertificate === undefined,
    handshakeTimeout: options.headersTimeout,
  });
  followFiles(server, tls);
  return server;
}

/** The connections of a server, below TLS. */
export function openConnections(server: TcpServer): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/**
 * Lets the process end although handshakes are not finished. They end by their time limit. The sockets below them must not
 * be destroyed: Node crashes.
 */
export function abandonHandshakes(connections: ReadonlySet<Socket>): void {
  for (const socket of connections) socket.unref();
}

/** Whether a request needs a client certificate, and its connection has no valid one. */
function lacksCertificate({ socket, url = '/' }: IncomingMessage, { tls, withoutCertificate }: ListenOptions): boolean {
  if (tls?.clientCa === undefined) return false;
  const isOpen = withoutCertificate?.has(url.split('?', 1)[0] ?? '/') === true;
  return !isOpen && !(socket instanceof TLSSocket && isAuthorized(socket));
}

/** Some versions of Node take a client that resumes a session of TLS 1.3 for authorized, even without a certificate. */
function isAuthorized(socket: TLSSocket): boolean {
  return socket.authorized && socket.getPeerX509Certificate() !== undefined;
}

/** The settings of ports that have an address of their own. */
const INLINE_PORTS = new Set(['GUARDRAIL_PROXY_PORT', 'GUARDRAIL_EXT_PROC_PORT', 'GUARDRAIL_MCP_PORT']);

/** The status lines of errors before Node has parsed a request. */
const STATUS_TEXTS = {
  headers_too_large: 'Request Header Fields Too Large',
  request_timeout: 'Request Timeout',
  invalid_http: 'Bad Request',
  method_not_allowed: 'Method Not Allowed',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Answers data that is not HTTP, or that arrives too late, with an error in the usual format. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'invalid_http';
  endWith(socket, code, ERRORS[code].message);
}

/** Answers CONNECT, which Node would answer by closing the connection. */
function refuseTunnel(_: IncomingMessage, socket: Duplex): void {
  endWith(socket, 'method_not_allowed', 'CONNECT is not supported: this server is not a forward proxy.');
}

function endWith(socket: Duplex, code: keyof typeof STATUS_TEXTS, message: string): void {
  const body = JSON.stringify(errorBody({ code, message }, randomUUID()));
  const headers = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${ERRORS[code].status} ${STATUS_TEXTS[code]}\r\n${headers}\r\n\r\n${body}`);
}

/** Refuses a pipelined call above the limit, and closes its connection. */
function refusePipelined(response: ServerResponse): void {
  endResponse(response, new ServiceError('overloaded', { waitMs: 0 }));
}

/** RFC 9112, section 3.2: the server before this one may have used the other one. Node keeps the first, and drops the others. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}

const HOST = 'host';

function refuseAmbiguous(response: ServerResponse): void {
  endResponse(response, new ServiceError('invalid_http'));
}

function refuseWithoutCertificate(response: ServerResponse): void {
  endResponse(response, new ServiceError('certificate_required'));
}

function endResponse(response: ServerResponse, error: ServiceError): void {
  const headers = { ...error.headers, 'content-type': 'application/json; charset=utf-8', connection: 'close' };
  response.writeHead(error.status, headers);
  response.end(JSON.stringify(errorBody(error, randomUUID())));
}

function boundDiscarding(request: IncomingMessage, response: ServerResponse): void {
  // Not `once`, which makes one more function for each call.
  response.on('finish', () => {
    if (request.readableEnded) return;
    let discarded = 0;
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MAX_DISCARDED_BYTES) request.destroy();
    });
    // The stopped reader has paused the connection. Without `resume`, the next call is never read.
    request.resume();
  });
}

async function close(server: Server, connections: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<undefined>();
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeIdleConnections();
  // Node waits for handshakes, too.
  const timer = setTimeout(() => {
    server.closeAllConnections();
    abandonHandshakes(connections);
    expire(undefined);
  }, graceMs);
  await Promise.race([closed, expired]);
  clearTimeout(timer);
}

/** @returns one sentence that says why a server cannot listen, and what to do */
export function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port, setting = 'GUARDRAIL_PORT' }: Pick<ListenOptions, 'host' | 'port' | 'setting'>,
): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use: set ${setting} to a free port, or stop the process that uses it.`;
    case 'EACCES':
      return `No permission to listen on port ${port}: set ${setting} to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine does not have the address ${host}: correct ${INLINE_PORTS.has(setting) ? 'GUARDRAIL_PROXY_HOST' : 'GUARDRAIL_HOST'}.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.code ?? 'unknown error'}.`;
  }
}
