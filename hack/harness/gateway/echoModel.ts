import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject } from './json.ts';

/**
 * A fake model that repeats its input, to show what a model receives. Its name selects its behaviour: the suffix `-c<N>`
 * streams N code points in each chunk, and the part before the suffix selects the answer:
 *
 * | name | answer |
 * |---|---|
 * | `echo` and every other | `You said: <last user text>` |
 * | `tool` | one call of `send_mail({"to": <last user text>})`, no text |
 * | `mix` | the echo and that call |
 * | `json` | JSON text `{"echo": <last user text>}` |
 * | `tail` | the echo and ` <EM`, which looks like the start of a pseudonym |
 * | `tres` | the last message, with any role (such as a tool's result) |
 * | `err-<code>` | an error with that HTTP status |
 */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Json[];
  /** The number of requested choices. */
  readonly n: number;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface ToolCall extends JsonObject {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface Choice {
  readonly index: number;
  readonly text: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: 'stop' | 'tool_calls';
}

export interface ModelAnswer {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage: Usage;
}

/** One chunk of a streamed answer, for one or more choices. */
export interface ModelChunk {
  readonly choices: readonly ChunkChoice[];
}

export interface ChunkChoice {
  readonly index: number;
  readonly delta: { role?: 'assistant'; content?: string | null; tool_calls?: Json[] };
  readonly finish_reason: string | null;
}

/** The model rejects the request. Like a provider's message, this message quotes the request. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly status: number;

  constructor(status: number, quoted: string) {
    super(`upstream rejects: ${quoted}`);
    this.status = status;
  }
}

/** @returns the text of a message's content: a string, or the text parts of a list joined by a space */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((part) => (isObject(part) ? part.text : undefined));
  return texts.filter((text) => typeof text === 'string').join(' ');
}

function textOf(message: Json | undefined): string {
  return isObject(message) ? contentText(message.content) : '';
}

function roleOf(message: Json): string {
  return isObject(message) && typeof message.role === 'string' ? message.role : '';
}

function lastUserText(messages: readonly Json[]): string {
  return textOf(messages.findLast((message) => roleOf(message) === 'user'));
}

/** @returns the number of code points in a streamed chunk for this model name; without a number in the name, all */
export function chunkSize(model: string): number {
  const match = /-c(\d+)/.exec(model);
  return match === null ? Number.POSITIVE_INFINITY : Math.max(1, Number(match[1]));
}

function kind(model: string): string {
  return (model.split('/').at(-1) ?? '').split('-')[0] ?? '';
}

/** @throws ModelError if the model's name requests one */
export function refuse(model: string, quoted: string): void {
  const match = /^err-(\d{3})/.exec(model.split('/').at(-1) ?? '');
  if (match !== null) throw new ModelError(Number(match[1]), quoted);
}

/** @returns the text cut into chunks of `size` code points */
export function chunksOf(text: string, size: number): string[] {
  const points = Array.from(text);
  if (points.length <= size) return points.length === 0 ? [] : [text];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size).join(''),
  );
}

/** A rule of thumb: about four characters for each token. It is sufficient to change the spend. */
function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

function compose(request: ModelRequest): { text: string | null; call: string | undefined } {
  const userText = lastUserText(request.messages);
  const echo = `You said: ${userText}`;
  // JSON with a space after the colon, as Python's json prints it and as real providers send arguments.
  const call = `{"to": ${JSON.stringify(userText)}}`;
  switch (kind(request.model)) {
    case 'tool':
      return { text: null, call };
    case 'mix':
      return { text: echo, call };
    case 'json':
      return { text: `{"echo": ${JSON.stringify(userText)}}`, call: undefined };
    case 'tail':
      return { text: `${echo} <EM`, call: undefined };
    case 'tres':
      return { text: `You said: ${textOf(request.messages.at(-1))}`, call: undefined };
    default:
      return { text: echo, call: undefined };
  }
}

/**
 * @returns the model's whole answer
 * @throws ModelError if the model's name requests one
 */
export function answer(request: ModelRequest): ModelAnswer {
  refuse(request.model, lastUserText(request.messages));
  const { text, call } = compose(request);
  const choices = Array.from({ length: request.n }, (_, index): Choice => ({
    index,
    text: text === null || request.n === 1 ? text : `[${index}] ${text}`,
    toolCalls: call === undefined ? [] : [toolCall(call)],
    finish: call === undefined ? 'stop' : 'tool_calls',
  }));
  const prompt = tokens(request.messages.map(textOf).join('\n'));
  const completion = choices.reduce((sum, choice) => sum + tokens(choice.text ?? call ?? ''), 0);
  return {
    id: `chatcmpl-${randomUUID().slice(0, 12)}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

function toolCall(args: string): ToolCall {
  const id = `call_${randomUUID().slice(0, 8)}`;
  return { id, type: 'function', function: { name: 'send_mail', arguments: args } };
}

/** @returns the chunks of a streamed answer. The choices are interleaved, as real servers send them. */
export function* stream(whole: ModelAnswer): Generator<ModelChunk> {
  const size = chunkSize(whole.model);
  const one = (index: number, delta: ChunkChoice['delta'], finish: string | null = null): ModelChunk => ({
    choices: [{ index, delta, finish_reason: finish }],
  });
  for (const { index, text } of whole.choices) {
    yield one(index, { role: 'assistant', content: text === null ? null : '' });
  }
  const parts = whole.choices.map(({ text }) => chunksOf(text ?? '', size));
  for (let at = 0; at < Math.max(...parts.map((list) => list.length)); at += 1) {
    for (const [position, list] of parts.entries()) {
      const part = list[at];
      if (part !== undefined) yield one(position, { content: part });
    }
  }
  for (const { index, toolCalls } of whole.choices) {
    for (const [position, { id, type, function: called }] of toolCalls.entries()) {
      yield one(index, { tool_calls: [{ index: position, id, type, function: { name: called.name, arguments: '' } }] });
      for (const part of chunksOf(called.arguments, size)) {
        yield one(index, { tool_calls: [{ index: position, function: { arguments: part } }] });
      }
    }
  }
  for (const { index, finish } of whole.choices) yield one(index, {}, finish);
}

/** @returns the body of an answer of `/v1/chat/completions` */
export function completionWire(whole: ModelAnswer): JsonObject {
  return {
    id: whole.id,
    object: 'chat.completion',
    created: whole.created,
    model: whole.model,
    choices: whole.choices.map(({ index, text, toolCalls, finish }) => ({
      index,
      finish_reason: finish,
      message: { role: 'assistant', content: text, ...(toolCalls.length > 0 && { tool_calls: [...toolCalls] }) },
    })),
    usage: { ...whole.usage },
  };
}

/** @returns a chunk as an event of a streamed `/v1/chat/completions` */
export function chunkWire(whole: ModelAnswer, chunk: ModelChunk, usage?: Usage): string {
  const { id, created, model } = whole;
  return event({ id, object: 'chat.completion.chunk', created, model, ...chunk, ...(usage && { usage }) });
}

/** @returns a server-sent event with a JSON value */
export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
