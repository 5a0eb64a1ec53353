import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { echo, type Json, type JsonObject } from '../harness/gateway/gateway.ts';
import { type CallOptions, GatewayClient } from './client.ts';

/**
 * Options of a call through the double: the caller headers that agentgateway's configuration can send to the guardrail.
 */
export interface AgentgatewayCall extends CallOptions {
  /** The value of `x-guardrail-team`; null sends none. Default: `red`. */
  readonly team?: string | null;
  /** The value of `x-session-id`, which may come from a client. */
  readonly session?: string;
  /** Uses the paths of versions before 1.4, `/request` and `/response`. */
  readonly olderPaths?: boolean;
}

/** The servers that the double calls. */
export interface Backends {
  readonly modelUrl: string;
  readonly guardrailUrl: string;
  /** The guardrail's API keys of two tenants. A call's `key` picks one. Default: the first. */
  readonly keys: readonly [string, string];
}

/** A stand-in for agentgateway, with a client. */
export interface AgentgatewayDouble {
  readonly client: GatewayClient<AgentgatewayCall>;
  readonly stop: () => Promise<void>;
}

type Message = JsonObject & { role: string; content: string };

type Action = JsonObject & { readonly body?: Json; readonly status_code?: Json };

class RejectedError extends Error {
  override readonly name = 'Rejected';
  readonly status: number;

  constructor(status: number, body: string) {
    super(body);
    this.status = status;
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Asks the guardrail as agentgateway does: ignores the HTTP status, and treats an answer of another shape as a failure.
 */
async function ask(url: URL, headers: Record<string, string>, body: JsonObject): Promise<Action> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ body }) }).catch(() => undefined);
  const answer = (await response?.json().catch(() => undefined)) as JsonObject | undefined;
  const action = answer?.action;
  if (typeof action !== 'object' || action === null) throw new RejectedError(500, 'The guardrail is unavailable.');
  const { body: said, status_code: status } = action as Action;
  if (typeof said === 'string' && typeof status === 'number') throw new RejectedError(status, said);
  return action as Action;
}

/** @returns the list that a mask action puts in place of the original; undefined for a pass. */
function mask(action: Action, list: 'messages' | 'choices'): Json[] | undefined {
  const { body } = action;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  return body[list] as Json[] | undefined;
}

/** The response of the double: a status and a body. */
interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Starts a gateway that handles prompts as the source of agentgateway 1.4 does: it shows prompts as role and text only, lets
 * a mask replace all of them, and does not show streams. agentgateway is in no package registry. The double therefore shows
 * that the service speaks its protocol, but not that the source was read correctly.
 */
export async function startAgentgatewayDouble(backends: Backends): Promise<AgentgatewayDouble> {
  const server = createServer((request, response) => {
    chat(request, backends)
      .catch((error: unknown) => {
        const status = error instanceof RejectedError ? error.status : 500;
        return { status, body: JSON.stringify({ rejected: (error as Error).message }) };
      })
      .then(({ status, body }) => {
        const type = body.startsWith('data:') ? 'text/event-stream' : 'application/json';
        response.writeHead(status, { 'content-type': type }).end(body);
      })
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new GatewayClient<AgentgatewayCall>(url, ({ key, team = 'red', session, olderPaths = false }) => ({
    'x-double-key': key ?? backends.keys[0],
    ...(team !== null && { 'x-double-team': team }),
    ...(session !== undefined && { 'x-double-session': session }),
    ...(olderPaths && { 'x-double-older': '1' }),
  }));
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { client, stop };
}

/** Answers a chat request: guardrail, model, guardrail. */
async function chat(request: IncomingMessage, backends: Backends): Promise<Answer> {
  const body = JSON.parse(await read(request)) as JsonObject;
  const older = request.headers['x-double-older'] !== undefined;
  const url = (phase: 'request' | 'response'): URL =>
    new URL(older ? `/${phase}` : '/v1/peer/check', backends.guardrailUrl);
  const headers = guardrailHeaders(request);
  const sent = await maskPrompts(body, (prompts) => ask(url('request'), headers, prompts));
  const answer = await fetch(new URL('/v1/chat/completions', backends.modelUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  });
  const text = await answer.text();
  if (body.stream === true) return { status: answer.status, body: text };
  const restored = await restoreChoices(text, (choices) => ask(url('response'), headers, choices));
  return { status: answer.status, body: restored };
}

/** @returns the headers of the calls to the guardrail, from those of the double's client */
function guardrailHeaders({ headers }: IncomingMessage): Record<string, string> {
  const { 'x-double-team': team, 'x-double-session': session, traceparent } = headers;
  return {
    'content-type': 'application/json',
    'x-api-key': String(headers['x-double-key']),
    ...(typeof team === 'string' && { 'x-guardrail-team': team }),
    ...(typeof session === 'string' && { 'x-session-id': session }),
    ...(typeof traceparent === 'string' && { traceparent }),
  };
}

type AskGuardrail = (body: JsonObject) => Promise<Action>;

/** @returns the request for the model */
async function maskPrompts(body: JsonObject, askGuardrail: AskGuardrail): Promise<JsonObject> {
  const prompts = (body.messages as JsonObject[]).map(({ role, content }) => ({
    role: role as string,
    content: echo.contentText(content),
  }));
  const masked = mask(await askGuardrail({ messages: prompts }), 'messages') as Message[] | undefined;
  return masked === undefined ? body : { ...body, messages: masked.map(({ role, content }) => ({ role, content })) };
}

/** @returns the model's answer with restored texts, as JSON */
async function restoreChoices(text: string, askGuardrail: AskGuardrail): Promise<string> {
  const whole = JSON.parse(text) as { choices: { message: JsonObject }[] };
  const choices = whole.choices.map(({ message }) => ({
    message: { role: 'assistant', content: (message.content as string | null) ?? '' },
  }));
  const restored = mask(await askGuardrail({ choices }), 'choices') as { message: Message }[] | undefined;
  for (const [index, choice] of (restored ?? []).entries()) {
    const message = whole.choices[index]?.message;
    if (message !== undefined) message.content = choice.message.content;
  }
  return JSON.stringify(whole);
}
