import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { listen, type Listening } from '../harness/gateway/listen.ts';

/** A fault between a gateway and the guardrail, in both phases unless `phase` is set. */
export interface Fault {
  readonly phase?: 'request' | 'response';
  /**
   * `status`: an answer with this HTTP status · `hang`: no answer · `block`: the guardrail's BLOCKED ·
   * `down`: connection refused.
   */
  readonly kind: 'status' | 'hang' | 'block' | 'down';
  readonly status?: number;
  /** The first affected call of the phase, counted from 1. */
  readonly from?: number;
}

/** A fault in the service itself: changes its requests or its answers. */
export interface Mutant {
  readonly name: string;
  request?(body: JsonObject): JsonObject;
  answer?(answer: JsonObject): JsonObject;
}

/** One recorded call of the guardrail. */
export interface Exchange {
  readonly phase: 'request' | 'response';
  readonly body: JsonObject;
  readonly status: number;
  readonly answer: unknown;
}

/** A proxy between a gateway and the guardrail that records every exchange and injects faults. */
export interface Interceptor {
  readonly url: string;
  exchanges(): readonly Exchange[];
  /** Sets or clears the fault. */
  fail(fault: Fault | undefined): Promise<void>;
  /** Sets or clears the mutant. */
  mutate(mutant: Mutant | undefined): void;
  /** Forgets the exchanges. */
  reset(): void;
  stop(): Promise<void>;
}

export const BLOCK_REASON = 'blocked by conformance';

const PHASES = { beforeRequestHook: 'request', afterRequestHook: 'response' } as const;

/** The paths of LiteLLM's client llm_shield_proxy, whose bodies do not name the phase. */
const REDACT = '/v1/guard/redact';
const REHYDRATE = '/v1/guard/rehydrate';

function phaseOf(path: string, body: JsonObject): 'request' | 'response' {
  if (path === REDACT) return 'request';
  if (path.startsWith(REHYDRATE)) return 'response';
  const hook = body.eventType;
  if (hook === 'beforeRequestHook' || hook === 'afterRequestHook') return PHASES[hook];
  const shown = body.body;
  if (typeof shown === 'object' && shown !== null) return 'choices' in shown ? 'response' : 'request';
  return body.input_type === 'response' ? 'response' : 'request';
}

/** Formats a block in the dialect of the caller. */
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
 */
export async function startInterceptor(target: string): Promise<Interceptor> {
  const interceptor = new InterceptingProxy(target);
  await interceptor.listen();
  return interceptor;
}

/** Connection headers, which fetch sets itself. */
const CONNECTION_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding'];

class InterceptingProxy implements Interceptor {
  readonly #target: string;
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch((error: unknown) => {
      response.writeHead(502, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'interceptor', message: String(error) } }));
    });
  });
  readonly #calls = { request: 0, response: 0 };
  #listening: Listening | undefined;
  #mutant: Mutant | undefined;
  #fault: Fault | undefined;
  #exchanges: Exchange[] = [];

  constructor(target: string) {
    this.#target = target;
  }

  get url(): string {
    return this.#listening?.url ?? '';
  }

  /** Listens again on the port on which it listened before. */
  async listen(): Promise<void> {
    this.#listening = await listen(this.#server, this.#listening?.port);
  }

  exchanges(): readonly Exchange[] {
    return [...this.#exchanges];
  }

  reset(): void {
    this.#exchanges = [];
  }

  mutate(mutant: Mutant | undefined): void {
    this.#mutant = mutant;
  }

  async fail(fault: Fault | undefined): Promise<void> {
    const wasDown = this.#fault?.kind === 'down';
    this.#fault = fault;
    this.#calls.request = 0;
    this.#calls.response = 0;
    if (fault?.kind === 'down' && !wasDown) await this.#listening?.stop();
    if (fault?.kind !== 'down' && wasDown) await this.listen();
  }

  async stop(): Promise<void> {
    if (this.#fault?.kind !== 'down') await this.#listening?.stop();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await read(request);
    const body = JSON.parse(text) as JsonObject;
    const phase = phaseOf(request.url ?? '/', body);
    this.#calls[phase] += 1;
    const fault = this.#faultOf(phase);
    if (fault?.kind === 'hang') return;
    const { status, answer } = fault ? injected(fault, body) : await this.#forward(request, text, body);
    this.#exchanges.push({ phase, body, status, answer });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  #faultOf(phase: 'request' | 'response'): Fault | undefined {
    const fault = this.#fault;
    if (fault === undefined || (fault.phase ?? phase) !== phase) return undefined;
    return this.#calls[phase] >= (fault.from ?? 1) ? fault : undefined;
  }

  async #forward(
    request: IncomingMessage,
    text: string,
    body: JsonObject,
  ): Promise<{ status: number; answer: JsonObject }> {
    const mutant = this.#mutant;
    const sent = mutant?.request === undefined ? text : JSON.stringify(mutant.request(body));
    const headers = { ...request.headers } as Record<string, string>;
    for (const name of CONNECTION_HEADERS) Reflect.deleteProperty(headers, name);
    const result = await fetch(new URL(request.url ?? '/', this.#target), { method: 'POST', headers, body: sent });
    const answer = (await result.json()) as JsonObject;
    const changed = result.status === 200 && mutant?.answer !== undefined ? mutant.answer(answer) : answer;
    return { status: result.status, answer: changed };
  }
}

function injected(fault: Fault, body: JsonObject): { status: number; answer: JsonObject } {
  if (fault.kind === 'block') return { status: 200, answer: block(body) };
  return {
    status: fault.status ?? 500,
    answer: { error: { code: 'injected', message: 'A fault of the conformance suite.' } },
  };
}
