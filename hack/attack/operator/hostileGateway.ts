/** A gateway that sends wrong answers, stalls and drops connections: a proxy between the operator and a correct gateway. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';

/** A call of the operator. */
export interface GatewayCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the hostile gateway treats a call. */
export type Treatment =
  /** Forwards the call to the correct gateway. */
  | 'pass'
  /** Does not answer. */
  | 'hang'
  /** Drops the connection before the gateway receives the call. */
  | 'reset'
  /** Forwards the call, and drops the connection in the middle of the answer. */
  | 'cut'
  /** Forwards the call, and sends the answer one character at a time, which takes minutes. */
  | 'trickle'
  /** Sends an answer without end. */
  | 'endless'
  /** Answers without the gateway. */
  | Reply
  /** Forwards the call, and sends a different answer. */
  | ((answer: Reply) => Reply);

export interface HostileGateway {
  readonly url: string;
  /** All calls since the list was last cleared. */
  readonly calls: GatewayCall[];
  /** Selects the treatment of each call. Can be replaced at any time. */
  behavior: (call: GatewayCall) => Treatment;
  stop(): Promise<void>;
}

/** @param target returns the address of the correct gateway, which can change */
export async function startHostileGateway(target: () => string): Promise<HostileGateway> {
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gateway: HostileGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    behavior: () => 'pass',
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (incoming.url ?? '').split('?');
    const call = { method: incoming.method ?? '', path, query, body: await textOf(incoming) };
    gateway.calls.push(call);
    const treatment = gateway.behavior(call);
    if (treatment === 'hang') return;
    if (treatment === 'reset') incoming.socket.destroy();
    else if (treatment === 'endless') await endless(outgoing);
    else if (typeof treatment === 'object') send(outgoing, treatment);
    else {
      const answer = await forward(target() + (incoming.url ?? ''), call, incoming.headers.authorization ?? '');
      if (treatment === 'pass') send(outgoing, answer);
      else if (typeof treatment === 'function') send(outgoing, treatment(answer));
      else await slowly(outgoing, answer.body, treatment);
    }
  }
  return gateway;
}

async function forward(url: string, { method, body }: GatewayCall, authorization: string): Promise<Reply> {
  const json = body === '' ? {} : { 'content-type': 'application/json' };
  const answer = await request(url, {
    method: method as 'GET',
    headers: { authorization, ...json },
    ...(body === '' ? {} : { body }),
  });
  return { status: answer.statusCode, body: await answer.body.text() };
}

function send(outgoing: ServerResponse, { status, body, headers = {} }: Reply): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

async function slowly(outgoing: ServerResponse, body: string, how: 'cut' | 'trickle'): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  if (how === 'cut') {
    outgoing.write(body.slice(0, body.length / 2));
    await delay(10);
    outgoing.destroy();
    return;
  }
  for (const character of body) {
    if (outgoing.destroyed) return;
    outgoing.write(character);
    await delay(500);
  }
  outgoing.end();
}

async function endless(outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  const piece = 'x'.repeat(65_536);
  // Larger than any valid answer, but finite: the attack ends even if the operator does not close the connection.
  const pieces = function* (): Generator<string> {
    yield '{"user_id":"';
    for (let n = 0; n < 2_000; n += 1) yield piece;
  };
  await pipeline(Readable.from(pieces()), outgoing);
}
