import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { proxyError } from './errors.ts';
import type { Json, JsonObject } from './json.ts';

/** The address of the guardrail, and its API key for `x-api-key`. */
export interface GuardrailTarget {
  /** Base URL. The path of the contract is appended. */
  readonly url: string;
  readonly key: string;
}

/** A fixed guardrail, or a JSON file `{"url", "key"}` with its current address. */
export type GuardrailSource = GuardrailTarget | { readonly file: string };

const targetSchema = z.object({ url: z.url(), key: z.string() });

/** Returns the current guardrail. A file is read again whenever it has changed. */
export class GuardrailLocator {
  readonly #source: GuardrailSource;
  #seen = '';
  #target: GuardrailTarget | undefined;

  constructor(source: GuardrailSource) {
    this.#source = source;
  }

  /** @throws Error with one sentence if the file is missing or invalid */
  async locate(): Promise<GuardrailTarget> {
    if ('url' in this.#source) return this.#source;
    const { file } = this.#source;
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const seen = `${mtimeMs} ${size} ${ino}`;
      if (this.#target === undefined || seen !== this.#seen) {
        this.#target = targetSchema.parse(JSON.parse(await readFile(file, 'utf8')));
        this.#seen = seen;
      }
      return this.#target;
    } catch (error) {
      throw new Error(`The file ${file} does not contain the address of the guardrail.`, { cause: error });
    }
  }
}

/** The inputs of a call, in both phases. Missing values are sent as null. */
export interface Checked {
  readonly texts: readonly string[];
  readonly structuredMessages?: readonly Json[] | undefined;
  readonly images?: readonly string[] | undefined;
  readonly tools?: readonly Json[] | undefined;
  readonly toolCalls?: readonly Json[] | undefined;
  readonly model: string;
}

/** The values that all calls for one request share. */
export interface GuardedCall {
  readonly callId: string;
  readonly traceId: string;
  readonly requestData: Readonly<Record<string, string>>;
  readonly requestHeaders: Readonly<Record<string, string>>;
}

/** The fields that the gateway reads from a guardrail's answer. A field of an unexpected type counts as absent. */
export interface Verdict {
  readonly texts: readonly string[] | undefined;
  readonly structuredMessages: readonly JsonObject[] | undefined;
  readonly tools: readonly Json[] | undefined;
  /** For each text, the number of code points at its end that must not be sent yet. */
  readonly holdback: readonly number[];
}

const row = z.record(z.string(), z.json()).refine((message) => typeof message.role === 'string');
const verdictSchema = z.object({
  action: z.string().catch('NONE'),
  blocked_reason: z.string().nullish().catch(undefined),
  texts: z.array(z.string()).min(1).optional().catch(undefined),
  structured_messages: z.array(row).min(1).optional().catch(undefined),
  tools: z.array(z.json()).min(1).optional().catch(undefined),
  stream_holdback_chars: z.array(z.number().int().nonnegative().catch(0)).catch([]),
});

/** Calls the guardrail's endpoint like the real gateway, and fails closed after every error. */
export class GuardrailClient {
  readonly #locator: GuardrailLocator;
  readonly #proxyName: string;
  readonly #timeoutMs: number;
  /** The guardrail that received the request of a call. */
  readonly #sawRequest = new WeakMap<GuardedCall, GuardrailTarget>();

  constructor(source: GuardrailSource, options: { readonly proxyName: string; readonly timeoutMs: number }) {
    this.#locator = new GuardrailLocator(source);
    this.#proxyName = options.proxyName;
    this.#timeoutMs = options.timeoutMs;
  }

  /**
   * @throws GatewayError 400 if the guardrail blocks; 500 if it does not answer, or answers with a status other than 200 or
   *   without JSON
   */
  async check(phase: 'request' | 'response', checked: Checked, call: GuardedCall): Promise<Verdict> {
    const answer = await this.#post(phase, checked, call);
    const parsed = verdictSchema.safeParse(answer);
    if (!parsed.success) throw failure('the response is not a JSON object');
    const verdict = parsed.data;
    if (verdict.action === 'BLOCKED') {
      const reason = verdict.blocked_reason ?? 'Content violates policy';
      throw proxyError(400, 'invalid_request_error', null, reason);
    }
    return {
      texts: verdict.texts,
      structuredMessages: verdict.structured_messages,
      tools: verdict.tools,
      holdback: verdict.stream_holdback_chars,
    };
  }

  async #post(phase: 'request' | 'response', checked: Checked, call: GuardedCall): Promise<unknown> {
    const name = this.#proxyName;
    const body = {
      input_type: phase,
      [`${name}_call_id`]: call.callId,
      [`${name}_trace_id`]: call.traceId,
      structured_messages: checked.structuredMessages ?? null,
      images: checked.images ?? null,
      tools: checked.tools ?? null,
      texts: checked.texts,
      request_data: call.requestData,
      request_headers: call.requestHeaders,
      [`${name}_version`]: 'development',
      additional_provider_specific_params: {},
      tool_calls: checked.toolCalls ?? null,
      model: checked.model,
    };
    let response: Response;
    try {
      response = await this.#send(call, JSON.stringify(body));
    } catch (error) {
      throw failure(describe(error));
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw failure(`it responded with status ${response.status}`);
    }
    try {
      return await response.json();
    } catch (error) {
      throw failure(describe(error));
    }
  }

  /**
   * Sends a body to the guardrail that received the call's request, even if the file now names another one: only that guardrail
   * can restore the answer. If it no longer runs, the current one gets the body.
   */
  async #send(call: GuardedCall, body: string): Promise<Response> {
    const current = await this.#locator.locate();
    const earlier = this.#sawRequest.get(call);
    if (earlier !== undefined && earlier.url !== current.url) {
      try {
        return await this.#postTo(earlier, body);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
      }
    }
    const response = await this.#postTo(current, body);
    if (earlier === undefined) this.#sawRequest.set(call, current);
    return response;
  }

  #postTo(target: GuardrailTarget, body: string): Promise<Response> {
    return fetch(new URL(`/beta/${this.#proxyName}_basic_guardrail_api`, target.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': target.key },
      body,
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
  }
}

/** Whether the connection failed or broke, as opposed to a timeout. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined;
}

function failure(reason: string): Error {
  return proxyError(500, 'internal_server_error', null, `Generic Guardrail API failed: ${reason}`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError') return 'the call timed out';
  if (error instanceof SyntaxError) return 'the response is not JSON';
  return error.cause instanceof Error && error.message === 'fetch failed' ? error.cause.message : error.message;
}
