import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../testing/gateway/gateway.ts';

/** What goes wrong between a gateway and the guardrail, in both phases unless `phase` says one. */
export interface Fault {
  readonly phase?: 'request' | 'response';
  /**
   * `status`: an answer with that HTTP status · `hang`: no answer · `block`: the guardrail's BLOCKED ·
   * `down`: nobody listens.
   */
  readonly kind: 'status' | 'hang' | 'block' | 'down';
  readonly status?: number;
  /** Only from this call of the phase on, counted from 1. */
  readonly from?: number;
}

/** Makes a right service wrong: changes what it is asked, or what it answers. */
export interface Mutant {
  readonly name: string;
  request?(body: JsonObject): JsonObject;
  answer?(answer: JsonObject): JsonObject;
}

/** One call of the guardrail, as it passed. */
export interface Exchange {
  readonly phase: 'request' | 'response';
  readonly body: JsonObject;
  readonly status: number;
  readonly answer: unknown;
}

/** Stands between a gateway and the guardrail: remembers every exchange, and makes faults that the guardrail cannot. */
export interface Interceptor {
  readonly url: string;
  exchanges(): readonly Exchange[];
  /** Sets the fault from now on; undefined for none. */
  fail(fault: Fault | undefined): Promise<void>;
  /** Makes the service wrong from now on, or right again. */
  mutate(mutant: Mutant | undefined): void;
  /** Forgets the exchanges. */
  reset(): void;
  stop(): Promise<void>;
}

/** What the interceptor says for the guardrail where a case wants a block. */
export const BLOCK_REASON = 'blocked by conformance';

const PHASES = { beforeRequestHook: 'request', afterRequestHook: 'response' } as const;

function phaseOf(body: JsonObject): 'request' | 'response' {
  const hook = body.eventType;
  if (hook === 'beforeRequestHook' || hook === 'afterRequestHook') return PHASES[hook];
  const shown = body.body;
  if (typeof shown === 'object' && shown !== null) return 'choices' in shown ? 'response' : 'request';
  return body.input_type === 'response' ? 'response' : 'request';
}

/** @returns the block in the dialect of the caller. */
function block(body: JsonObject): JsonObject {
  if (body.eventType !== undefined) return { verdict: false, data: { reason: BLOCK_REASON } };
  return { action: 'BLOCKED', blocked_reason: BLOCK_REASON };
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Starts an interceptor on loopback.
 * @param target base URL of the guardrail.
 * @param listenPort 0 picks a free one.
 */
export async function startInterceptor(target: string, listenPort = 0): Promise<Interceptor> {
  let mutant: Mutant | undefined;
  let exchanges: Exchange[] = [];
  let fault: Fault | undefined;
  const calls = { request: 0, response: 0 };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await read(request);
    const body = JSON.parse(text) as JsonObject;
    const phase = phaseOf(body);
    calls[phase] += 1;
    const answered = (status: number, answer: unknown): void => {
      exchanges.push({ phase, body, status, answer });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    };
    if (fault !== undefined && (fault.phase ?? phase) === phase && calls[phase] >= (fault.from ?? 1)) {
      if (fault.kind === 'hang') return;
      if (fault.kind === 'block') answered(200, block(body));
      else answered(fault.status ?? 500, { error: { code: 'injected', message: 'A fault of the conformance suite.' } });
      return;
    }
    const sent = mutant?.request === undefined ? text : JSON.stringify(mutant.request(body));
    const headers = { ...request.headers } as Record<string, string>;
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding'])
      Reflect.deleteProperty(headers, name);
    const result = await fetch(new URL(request.url ?? '/', target), { method: 'POST', headers, body: sent });
    const answer = (await result.json()) as JsonObject;
    const changed = result.status === 200 && mutant?.answer !== undefined ? mutant.answer(answer) : answer;
    answered(result.status, changed);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(502, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'interceptor', message: String(error) } }));
    });
  });
  async function listen(port: number): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  async function close(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  await listen(listenPort);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges: () => [...exchanges],
    reset: () => {
      exchanges = [];
    },
    mutate: (next) => {
      mutant = next;
    },
    fail: async (next) => {
      const wasDown = fault?.kind === 'down';
      fault = next;
      calls.request = 0;
      calls.response = 0;
      if (next?.kind === 'down' && !wasDown) await close();
      if (next?.kind !== 'down' && wasDown) await listen(port);
    },
    stop: async () => {
      if (fault?.kind !== 'down') await close();
    },
  };
}
