/**
 * For tests: stands between the operator and a gateway, notes every call, and shows the faults that a real gateway cannot
 * be made to show on demand.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { request } from 'undici';

/** One call that came in. */
export interface SeenCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** Milliseconds of a clock that never goes back. */
  readonly at: number;
}

/** What to do with a call instead of passing it on. */
export type Fault =
  /** The connection breaks; the gateway never hears of the call. */
  | { readonly kind: 'breakBefore' }
  /** The gateway does what it is asked, and the connection breaks before its answer. */
  | { readonly kind: 'breakAfter' }
  /** No answer, until the test ends. */
  | { readonly kind: 'hang' }
  /** The gateway does what it is asked, and nobody hears of it until the test ends. */
  | { readonly kind: 'hangAfter'; readonly done: () => void }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  /** The answer breaks off in the middle of its body. */
  | { readonly kind: 'cut' }
  /** The gateway is given another body: one that it ignores a part of, say. */
  | { readonly kind: 'rewrite'; readonly body: Record<string, unknown> };

/** See {@link startTestProxy}. */
export interface TestProxy {
  readonly url: string;
  /** All calls, oldest first. */
  readonly calls: SeenCall[];
  /** How many connections have ever been made to it. */
  readonly connections: () => number;
  /** Decides about each call; undefined: it is passed on. May be changed at any time. */
  fault: (call: SeenCall) => Fault | undefined | Promise<Fault | undefined>;
  stop(): Promise<void>;
}

/** @param target base address of the gateway; may be a function, since gateways move */
export async function startTestProxy(target: string | (() => string)): Promise<TestProxy> {
  const calls: SeenCall[] = [];
  const server = createServer((incoming, outgoing) => {
    handle(proxy, target, incoming, outgoing).catch(() => {
      incoming.socket.destroy();
    });
  });
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TestProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    connections: () => connections,
    fault: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
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
  if (fault?.kind === 'answer') {
    outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(fault.body);
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
    outgoing.write(body.slice(0, body.length / 2));
    setTimeout(() => incoming.socket.destroy(), 10);
    return;
  }
  outgoing.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(body);
}
