/** For tests: a proxy before a gateway that records every call and injects faults. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { listen } from '../../../hack/harness/gateway/listen.ts';

/** A received call. */
export interface SeenCall {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
}

/** A response. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the proxy does with a call instead of forwarding it. */
export type Fault =
  /** Closes the connection without forwarding the call. */
  | { readonly kind: 'breakBefore' }
  /** Forwards the call, and closes the connection before the response. */
  | { readonly kind: 'breakAfter' }
  /** Neither forwards the call nor responds until the test ends. */
  | { readonly kind: 'hang' }
  /** Forwards the call, and does not respond until the test ends. */
  | { readonly kind: 'hangAfter'; readonly done: () => void }
  | ({ readonly kind: 'answer' } & Reply)
  /** Forwards the call, and sends a different response. */
  | { readonly kind: 'change'; readonly to: (answer: Reply) => Reply }
  /** Forwards the call, and sends the response one character at a time, which takes minutes. */
  | { readonly kind: 'trickle' }
  /** Sends a response that is larger than any valid one. */
  | { readonly kind: 'endless' }
  /** Closes the connection in the middle of the response body. */
  | { readonly kind: 'cut' }
  /** Forwards another body, for example to simulate a gateway that ignores fields. */
  | { readonly kind: 'rewrite'; readonly body: Record<string, unknown> };

/** A running proxy. */
export interface TestProxy {
  readonly url: string;
  /** All calls, oldest first. */
  readonly calls: SeenCall[];
  /** How many connections the proxy has accepted. */
  readonly connections: () => number;
  /** Selects the fault of each call; undefined forwards the call. May be changed at any time. */
  fault: (call: SeenCall) => Fault | undefined | Promise<Fault | undefined>;
  stop(): Promise<void>;
}

/**
 * Starts a proxy.
 * @param target base address of the gateway; a function if the address changes
 */
export async function startTestProxy(target: string | (() => string)): Promise<TestProxy> {
  const calls: SeenCall[] = [];
  const server = createServer((incoming, outgoing) => {
    handle(proxy, target, incoming, outgoing).catch(() => {
      incoming.socket.destroy();
    });
  });
  let connections = 0;
  server.on('connection', () => connections++);
  const { url, stop } = await listen(server);
  const proxy: TestProxy = {
    url,
    calls,
    connections: () => connections,
    fault: () => undefined,
    stop,
  };
  return proxy;
}

async function handle(
  proxy: TestProxy,
  target: string | (() => string),
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const text = await textOf(incoming);
  const call: SeenCall = {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    at: performance.now(),
  };
  proxy.calls.push(call);
  const fault = await proxy.fault(call);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'breakBefore') {
    incoming.socket.destroy();
    return;
  }
  const send = ({ status, body, headers = {} }: Reply): void => {
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
  if (fault?.kind === 'answer') {
    send(fault);
    return;
  }
  if (fault?.kind === 'endless') {
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    // Finite, so that the test ends even if the client does not close the connection.
    const piece = 'x'.repeat(65_536);
    const pieces = ['{"user_id":"', ...Array.from({ length: 2_000 }, () => piece)];
    await pipeline(Readable.from(pieces), outgoing);
    return;
  }
  const base = typeof target === 'string' ? target : target();
  const answer = await request(base + call.path, {
    method: call.method as 'GET' | 'POST',
    headers: {
      authorization: incoming.headers.authorization ?? '',
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === '' ? {} : { body: fault?.kind === 'rewrite' ? JSON.stringify(fault.body) : text }),
  });
  const body = await answer.body.text();
  if (fault?.kind === 'hangAfter') {
    fault.done();
    return;
  }
  if (fault?.kind === 'breakAfter') {
    incoming.socket.destroy();
    return;
  }
  if (fault?.kind === 'cut') {
    outgoing.writeHead(answer.statusCode, { 'content-type': 'application/json', 'content-length': body.length + 10 });
    outgoing.write(body.slice(0, body.length / 2), () => incoming.socket.destroy());
    return;
  }
  if (fault?.kind === 'trickle') {
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    for (const character of body) {
      if (outgoing.destroyed) return;
      outgoing.write(character);
      await delay(500);
    }
    outgoing.end();
    return;
  }
  const reply = { status: answer.statusCode, body };
  send(fault?.kind === 'change' ? fault.to(reply) : reply);
}
