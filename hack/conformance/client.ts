import { WebSocket } from 'ws';
import type { Json, JsonObject } from '../testing/gateway/gateway.ts';

/** A whole answer of a gateway. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** A streamed answer of a gateway. */
export interface Streamed {
  readonly status: number;
  /** Every event's JSON, in order; for an answer that is no stream, its body alone. */
  readonly events: readonly JsonObject[];
  /** For each choice, its text after each event that added to it. */
  readonly moments: readonly (readonly string[])[];
}

/** How a call differs from the usual: another key, more headers. */
export interface CallOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of a gateway as it came, whatever its type. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request that is no JSON by POST. */
export interface RawRequest {
  /** Default: POST. */
  readonly method?: string;
  readonly body?: JsonObject | FormData;
}

const TIMEOUT_MS = 30_000;

/** Calls the models of a gateway as an application does. */
export class GatewayClient<Options extends CallOptions = CallOptions> {
  readonly #url: string;
  readonly #headers: (options: Options) => Record<string, string>;

  /** @param headers gives the headers that this gateway wants for a call. */
  constructor(url: string, headers: (options: Options) => Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
  }

  async post(path: string, body: JsonObject, options?: Options): Promise<Answer> {
    const response = await this.#send(path, { body }, options);
    const text = await response.text();
    return { status: response.status, body: parse(text) };
  }

  /** Sends a request of any method and type. */
  async raw(path: string, request: RawRequest, options?: Options): Promise<RawAnswer> {
    const response = await this.#send(path, request, options);
    return { status: response.status, text: await response.text() };
  }

  /** Opens a WebSocket. */
  connect(path: string, options = {} as Options): WebSocket {
    const url = new URL(path, this.#url);
    url.protocol = 'ws:';
    return new WebSocket(url, { headers: { ...this.#headers(options), ...options.headers } });
  }

  /** As {@link post}, with `stream: true`, noting what the client has seen after each event. */
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
    return fetch(new URL(path, this.#url), {
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

/** @returns the pieces of text that an event adds, in the dialects of chat, completions, responses and messages. */
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

/** @returns the texts of a chat answer, one a choice. */
export function chatTexts({ body }: Answer): (string | null)[] {
  const choices = (body.choices ?? []) as { message: { content: string | null } }[];
  return choices.map(({ message }) => message.content);
}

/** @returns the arguments of the tool calls of a chat answer's choice. */
export function toolArguments(message: Json | undefined): string[] {
  const calls = ((message as JsonObject | undefined)?.tool_calls ?? []) as { function: { arguments: string } }[];
  return calls.map((call) => call.function.arguments);
}
