/** Test support: the streams of four APIs, as a provider sends an echo of the texts. */

export interface StreamCase {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  /** @param pieces the pieces of the text, in each channel; @param whole the text */
  readonly events: (pieces: readonly string[], whole: string) => string;
  /** @returns the text of each channel in a stream, and the texts that the stream repeats as a whole. */
  readonly read: (stream: string) => { channels: Record<string, string>; wholes: string[] };
}

type Event = Record<string, unknown>;

/** The pieces of JSON with a text as a value. */
const jsonOf = (pieces: readonly string[]): string[] => [
  '{"a":"',
  ...pieces.map((piece) => piece.replace(/["\\]/g, '\\$&')),
  '"}',
];
const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: Event): string => `event: ${String(event.type)}\n${data(event)}`;

function eventsIn(stream: string): Event[] {
  return stream
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Event);
}

/** Adds pieces to channels. */
class Channels {
  readonly all: Record<string, string> = {};

  add(name: string, piece: unknown): void {
    if (typeof piece === 'string') this.all[name] = (this.all[name] ?? '') + piece;
  }
}

const chunk = (choices: object[]): string =>
  data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, usage: null });

const chat: StreamCase = {
  ...{ name: 'chat', method: 'POST', path: '/v1/chat/completions', contentType: 'text/event-stream' },
  events: (pieces) =>
    [
      ': start\n\n',
      chunk([0, 1].map((index) => ({ index, delta: { role: 'assistant', content: '' }, finish_reason: null }))),
      ...pieces.flatMap((piece) => [
        chunk([{ index: 0, delta: { reasoning_content: piece }, finish_reason: null }]),
        chunk([
          { index: 0, delta: { content: piece }, finish_reason: null },
          { index: 1, delta: { refusal: piece }, finish_reason: null },
        ]),
      ]),
      chunk([
        {
          index: 0,
          finish_reason: null,
          delta: {
            tool_calls: [0, 1].map((index) => ({
              index,
              id: `call_${index}`,
              type: 'function',
              function: { name: 'f', arguments: '' },
            })),
          },
        },
      ]),
      ...jsonOf(pieces).flatMap((piece) =>
        [0, 1].map((index) =>
          chunk([
            { index: 0, delta: { tool_calls: [{ index, function: { arguments: piece } }] }, finish_reason: null },
          ]),
        ),
      ),
      chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
      chunk([{ index: 1, delta: {}, finish_reason: 'stop' }]),
      data({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [],
        usage: { total_tokens: 3 },
      }),
      'data: [DONE]\n\n',
    ].join(''),
  read(stream) {
    const channels = new Channels();
    for (const event of eventsIn(stream)) {
      for (const choice of event.choices as { index: number; delta: Record<string, unknown> }[]) {
        for (const [name, piece] of Object.entries(choice.delta)) channels.add(`${choice.index}.${name}`, piece);
        for (const call of (choice.delta.tool_calls ?? []) as { index: number; function: Record<string, unknown> }[]) {
          channels.add(`${choice.index}.call ${call.index}`, call.function.arguments);
        }
      }
    }
    const { '0.role': _, '1.role': __, '1.content': ___, ...all } = channels.all;
    return { channels: all, wholes: [] };
  },
};

const completions: StreamCase = {
  ...{ name: 'completions', method: 'POST', path: '/v1/completions', contentType: 'text/event-stream' },
  events: (pieces) =>
    [
      ...pieces.map((text) => data({ id: 'c', choices: [{ index: 0, text, logprobs: null, finish_reason: null }] })),
      data({ id: 'c', choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ].join(''),
  read(stream) {
    const channels = new Channels();
    for (const event of eventsIn(stream)) {
      for (const { text } of event.choices as { text: string }[]) channels.add('text', text);
    }
    return { channels: channels.all, wholes: [] };
  },
};

const responses: StreamCase = {
  ...{ name: 'responses', method: 'POST', path: '/v1/responses', contentType: 'text/event-stream' },
  events: (pieces, whole) => {
    const text = { item_id: 'msg_1', output_index: 1, content_index: 0 };
    const call = { item_id: 'fc_1', output_index: 2 };
    const summary = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
    const args = JSON.stringify({ a: whole });
    const part = { type: 'output_text', text: whole, annotations: [], logprobs: [] };
    const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [message], instructions: whole };
    const events: Event[] = [
      { type: 'response.created', response: { ...response, output: [] } },
      ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...summary, delta })),
      { type: 'response.reasoning_summary_text.done', ...summary, text: whole },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...text, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...text, text: whole, logprobs: [] },
      { type: 'response.content_part.done', ...text, part },
      { type: 'response.output_item.done', output_index: 1, item: message },
      ...jsonOf(pieces).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        ...call,
        delta,
      })),
      { type: 'response.function_call_arguments.done', ...call, arguments: args },
      { type: 'response.completed', response },
    ];
    return events.map((event, sequence_number) => named({ ...event, sequence_number })).join('');
  },
  read(stream) {
    const channels = new Channels();
    const wholes: string[] = [];
    for (const event of eventsIn(stream)) {
      const type = String(event.type);
      if (type.endsWith('.delta')) channels.add(type, event.delta);
      if (type.endsWith('_text.done')) wholes.push(event.text as string);
      if (type.endsWith('arguments.done')) wholes.push((JSON.parse(event.arguments as string) as { a: string }).a);
      const { item, part, response } = event as Record<
        string,
        {
          text?: string;
          content?: { text: string }[];
          instructions?: string;
          output?: { content: { text: string }[] }[];
        }
      >;
      wholes.push(
        ...[
          part?.text,
          item?.content?.[0]?.text,
          response?.instructions,
          response?.output?.[0]?.content[0]?.text,
        ].filter((text) => text !== undefined),
      );
    }
    return { channels: channels.all, wholes };
  },
};

const messages: StreamCase = {
  ...{ name: 'messages', method: 'POST', path: '/v1/messages', contentType: 'text/event-stream' },
  events: (pieces) => {
    const block = (index: number, content_block: object, deltas: object[]): Event[] => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
    const start = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'm', stop_reason: null };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const events: Event[] = [
      { type: 'message_start', message: { ...start, stop_sequence: null, usage } },
      { type: 'ping' },
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
        ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'abc' },
      ]),
      ...block(
        1,
        { type: 'text', text: '' },
        pieces.map((text) => ({ type: 'text_delta', text })),
      ),
      ...block(
        2,
        { type: 'tool_use', id: 't', name: 'find', input: {} },
        jsonOf(pieces).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
    return events.map(named).join('');
  },
  read(stream) {
    const channels = new Channels();
    for (const { type, index, delta } of eventsIn(stream)) {
      if (type !== 'content_block_delta') continue;
      const { text, thinking, partial_json: json } = delta as Record<string, unknown>;
      channels.add(String(index), text ?? thinking ?? json);
    }
    return { channels: channels.all, wholes: [] };
  },
};

const geminiChunks = (pieces: readonly string[]): object[] => {
  const candidate = (parts: object[], more: object = {}): object => ({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    modelVersion: 'g',
  });
  return [
    ...pieces.map((text) => candidate([{ text, thought: true }])),
    ...pieces.map((text) => candidate([{ text }])),
    candidate([{ functionCall: { name: 'find', args: { a: pieces.join('') } } }]),
    candidate([{ text: '' }], { finishReason: 'STOP' }),
  ];
};

function readGemini(events: Event[]): ReturnType<StreamCase['read']> {
  const channels = new Channels();
  const wholes: string[] = [];
  for (const { candidates } of events) {
    for (const { content } of candidates as { content: { parts: Record<string, unknown>[] } }[]) {
      for (const { text, thought, functionCall } of content.parts) {
        channels.add(thought === true ? 'thought' : 'text', text);
        if (functionCall) wholes.push((functionCall as { args: { a: string } }).args.a);
      }
    }
  }
  return { channels: channels.all, wholes };
}

const gemini: StreamCase = {
  ...{
    name: 'gemini',
    method: 'POST',
    path: '/v1beta/models/g:streamGenerateContent',
    contentType: 'text/event-stream',
  },
  events: (pieces) => geminiChunks(pieces).map(data).join(''),
  read: (stream) => readGemini(eventsIn(stream)),
};

const geminiArray: StreamCase = {
  ...gemini,
  ...{ name: 'gemini array', contentType: 'application/json; charset=UTF-8' },
  events: (pieces) => JSON.stringify(geminiChunks(pieces), undefined, 2).replaceAll('\n  },', '\n  }\n,\r\n'),
  read: (stream) => readGemini(JSON.parse(stream) as Event[]),
};

export const STREAM_CASES: readonly StreamCase[] = [chat, completions, responses, messages, gemini, geminiArray];
