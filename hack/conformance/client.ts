import { WebSocket } from 'ws';
import type { Json, JsonObject } from '../harness/gateway/gateway.ts';

/** A complete answer of a gateway. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** A streamed answer of a gateway. */
export interface Streamed {
  readonly status: number;
  /** The JSON of each event, in order; only the body if the answer is not a stream. */
  readonly events: readonly JsonObject[];
  /** For each choice, the accumulated text after each event that extended it. */
  readonly moments: readonly (readonly string[])[];
}

/** Options that differ from the defaults of a call. */
export interface CallOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An unparsed answer of a gateway. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request that is not a POST of JSON. */
export interface RawRequest {
  /** Default: POST. */
  readonly method?: string;
  readonly body?: JsonObject | FormData;
}

/** Ends a call that hangs. Above any gateway's own timeout, also on a busy machine. */
const TIMEOUT_MS = 120_000;

/** Calls the models of a gateway like an application. */
export class GatewayClient<Options extends CallOptions = CallOptions> {
  /** The base URL of the gateway. */
  readonly url: string;
  readonly #headers: (options: Options) => Record<string, string>;

  /** @param headers returns the headers that this gateway needs for a call. */
  constructor(url: string, headers: (options: Options) => Record<string, string>) {
    this.url = url;
    this.#headers = headers;
  }

  async post(path: string, body: JsonObject, options?: Options): Promise<Answer> {
    const response = await this.#send(path, { body }, options);
    const text = await response.text();
    return { status: response.status, body: parse(text) };
  }

  /** Sends a request with any method and body type. */
  async raw(path: string, request: RawRequest, options?: Options): Promise<RawAnswer> {
    const response = await this.#send(path, request, options);
    return { status: response.status, text: await response.text() };
  }

  connect(path: string, options = {} as Options): WebSocket {
    const url = new URL(path, this.url);
    url.protocol = 'ws:';
    return new WebSocket(url, { headers: { ...this.#headers(options), ...options.headers } });
  }

  /** Like {@link post}, with `stream: true`. Records the client's text after each event. */
  async stream(path: string, body: JsonObject, options?: Options): Promise<Streamed> {
    const response = await this.#send(path, { body: { ...body, stream: true } }, options);
    const events: JsonObject[] = [];
    const moments: string[][] = [];
    if (response.headers.get('content-type')?.includes('text/event-stream') !== true) {
      events.push(parse(await response.text()));
      return { status: response.status, events, moments };
    }
    for await (const event of eventsOf(response)) {
      events.push(event);
      for (const { index, text } of deltas(event)) {
        const seen = (moments[index] ??= []);
        seen.push((seen.at(-1) ?? '') + text);
      }
    }
    return { status: response.status, events, moments };
  }

  async #send(path: string, { method = 'POST', body }: RawRequest, options = {} as Options): Promise<Response> {
    const form = body instanceof FormData;
    const type = body === undefined || form ? {} : { 'content-type': 'application/json' };
    return fetch(new URL(path, this.url), {
      method,
      headers: { ...type, ...this.#headers(options), ...options.headers },
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return { unparsed: text };
  }
}

async function* eventsOf(response: Response): AsyncGenerator<JsonObject> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    rest += decoder.decode(part as Uint8Array, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: {')) yield parse(line.slice('data: '.length));
  }
}

/** @returns the text deltas of an event of a chat, completion, response or message stream. */
function deltas(event: JsonObject): { index: number; text: string }[] {
  if (event.type === 'response.output_text.delta') return [{ index: 0, text: event.delta as string }];
  if (event.type === 'content_block_delta') {
    const { text } = event.delta as { text?: string };
    return text === undefined ? [] : [{ index: 0, text }];
  }
  const choices = (event.choices ?? []) as { index: number; text?: string; delta?: { content?: string | null } }[];
  return choices.flatMap(({ index, text, delta }) => {
    const added = text ?? delta?.content ?? '';
    return added === '' ? [] : [{ index, text: added }];
  });
}

/** @returns the text of each choice of a chat answer. */
export function chatTexts({ body }: Answer): (string | null)[] {
  const choices = (body.choices ?? []) as { message: { content: string | null } }[];
  return choices.map(({ message }) => message.content);
}

/** @returns the arguments of the tool calls in a chat message. */
export function toolArguments(message: Json | undefined): string[] {
  const calls = ((message as JsonObject | undefined)?.tool_calls ?? []) as { function: { arguments: string } }[];
  return calls.map((call) => call.function.arguments);
}
