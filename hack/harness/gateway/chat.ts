import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { readBody } from './body.ts';
import {
  answer,
  chunkWire,
  completionWire,
  event,
  type ModelAnswer,
  type ModelChunk,
  ModelError,
  stream,
} from './echoModel.ts';
import { GatewayError, proxyError } from './errors.ts';
import { guardAnswer, guardStream } from './guardedAnswer.ts';
import { guardRequest } from './guardedRequest.ts';
import type { GuardedCall, GuardrailClient } from './guardrailClient.ts';
import { isObject, type Json, type JsonObject, stringField } from './json.ts';
import type { Records } from './records.ts';
import type { SeenLog } from './seen.ts';

const SAMPLING_RATE = 5;
/** The maximum number of choices of one call, as at OpenAI. */
const MAX_CHOICES = 128;
/** USD for each token, in and out. High, so that a few calls change the spend visibly. */
const PRICE = 0.001;
/**
 * Inbound headers whose values are sent to the guardrail. Of other headers, it gets only the name. The last one is in
 * `extra_headers` of the operator's entry.
 */
const SHOWN_HEADERS =
  /^(host|accept-encoding|connection|accept|content-type|user-agent|content-length|x-session-id|x-stainless-.*|x-guardrail-pseudonymized)$/;
const SECRET_HEADERS = /^(authorization|cookie|api-key|x-api-key|x-.*-api-key)$/;

/** The dependencies of the model endpoint. */
export interface ChatOptions {
  readonly proxyName: string;
  readonly records: Records;
  /** Without a guardrail, requests are sent to the model unchanged. */
  readonly guardrail: GuardrailClient | undefined;
  readonly seen: SeenLog;
}

/** @returns the end user of a call, looked up in the same order as in the real gateway; undefined if none is named */
function endUserOf(ctx: Context, body: JsonObject, proxyName: string): string | undefined {
  const nested = (name: string, key: string): Json | undefined => {
    const value = body[name];
    return isObject(value) ? value[key] : undefined;
  };
  const places = [
    ctx.get(`x-${proxyName}-customer-id`),
    ctx.get(`x-${proxyName}-end-user-id`),
    body.user,
    nested(`${proxyName}_metadata`, 'user'),
    nested('metadata', 'user_id'),
    body.safety_identifier,
  ];
  return places.find((place): place is string => typeof place === 'string' && place !== '');
}

function shownHeaders(ctx: Context, proxyName: string): Record<string, string> {
  const headers = Object.entries(ctx.headers).filter(([name]) => !SECRET_HEADERS.test(name));
  return Object.fromEntries(
    headers.map(([name, value]) => {
      const visible = SHOWN_HEADERS.test(name) || name.startsWith(`x-${proxyName}-`);
      return [name, visible ? String(value) : '[present]'];
    }),
  );
}

function callOf(ctx: Context, body: JsonObject, endUser: string | undefined, proxyName: string): GuardedCall {
  const trace = body[`${proxyName}_trace_id`];
  return {
    callId: ctx.get(`x-${proxyName}-call-id`) || randomUUID(),
    traceId: ctx.get(`x-${proxyName}-trace-id`) || (typeof trace === 'string' && trace !== '' ? trace : randomUUID()),
    requestData: {
      user_api_key_hash: `${proxyName}_proxy_master_key`,
      user_api_key_user_id: 'default_user_id',
      ...(endUser !== undefined && { user_api_key_end_user_id: endUser }),
    },
    requestHeaders: shownHeaders(ctx, proxyName),
  };
}

async function readChat(ctx: Context): Promise<JsonObject & { messages: Json[] }> {
  const body = await readBody(ctx);
  if (isObject(body) && Array.isArray(body.messages)) return body as JsonObject & { messages: Json[] };
  const message = "/chat/completions: Missing required parameter: 'messages'.";
  throw proxyError(400, 'invalid_request_error', 'messages', message);
}

function callModel(body: JsonObject): ModelAnswer {
  const model = stringField(body, 'model');
  const n = body.n ?? 1;
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > MAX_CHOICES) {
    const message = `n must be an integer from 1 to ${MAX_CHOICES}.`;
    throw proxyError(400, 'invalid_request_error', 'n', message);
  }
  try {
    return answer({ model, n, messages: body.messages as Json[] });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw proxyError(error.status, 'upstream_error', null, `The model rejected the request: ${error.message}`);
  }
}

/** `/v1/chat/completions`, streamed or not, with the guardrail before and after the echo model. */
export function chatRoutes(options: ChatOptions): Router {
  const router = new Router();
  router.post(['/v1/chat/completions', '/chat/completions'], async (ctx) => {
    const body = await readChat(ctx);
    const model = stringField(body, 'model');
    const endUser = endUserOf(ctx, body, options.proxyName);
    const call = callOf(ctx, body, endUser, options.proxyName);
    ctx.set(`x-${options.proxyName}-call-id`, call.callId);
    const { guardrail } = options;
    const guarded = guardrail === undefined ? body : await guardRequest(body, guardrail, call);
    options.seen.add({
      time: new Date().toISOString(),
      call_id: call.callId,
      model,
      end_user: endUser ?? null,
      guarded: guardrail !== undefined,
      messages: guarded.messages ?? null,
      tools: guarded.tools ?? null,
    });
    const whole = callModel(guarded);
    const charge = async (): Promise<void> => {
      if (endUser === undefined) return;
      await options.records.charge(endUser, whole.usage.total_tokens * PRICE);
    };
    if (body.stream !== true) {
      await charge();
      ctx.body = completionWire(guardrail === undefined ? whole : await guardAnswer(whole, guardrail, call));
      return;
    }
    const withUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
    const chunks =
      guardrail === undefined
        ? stream(whole)
        : guardStream(whole, { client: guardrail, call, samplingRate: SAMPLING_RATE });
    const events = toEvents(whole, chunks, withUsage);
    // An error before the first byte is a response with a status. After that, it can only be an event of the stream.
    const first = await events.next();
    await charge();
    ctx.type = 'text/event-stream';
    ctx.set('cache-control', 'no-cache');
    ctx.body = Readable.from(rest(first, events));
  });
  return router;
}

async function* toEvents(
  whole: ModelAnswer,
  chunks: Iterable<ModelChunk> | AsyncIterable<ModelChunk>,
  withUsage: boolean,
): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunkWire(whole, chunk);
  if (withUsage) yield chunkWire(whole, { choices: [] }, whole.usage);
  yield 'data: [DONE]\n\n';
}

async function* rest(first: IteratorResult<string>, events: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done !== true) yield first.value;
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    yield event(error.body);
  }
}
