/** Bodies with as many JSON values as the guardrail reads, in several shapes, and the ways on which they reach it. */

/** Members of objects and elements of arrays: 1 % fewer than the guardrail accepts, for what stands around a shape. */
const VALUES = 495_000;
/** Objects and arrays in each other, fewer than the guardrail accepts on any way. */
const LEVELS = 50;

/** A request, and the answer of the model to it. */
export interface Sent {
  readonly path: string;
  /** Whether it goes through the inline proxy. Default: it is a call of a gateway, or of a client of Presidio. */
  readonly isInline?: boolean;
  readonly contentType?: string;
  readonly body: string;
  readonly answer?: string;
}

type Row = Readonly<Record<string, unknown>>;

const listOf = <T>(length: number, itemOf: (at: number) => T): T[] => Array.from({ length }, (_, at) => itemOf(at));
const objectOf = (length: number, valueOf: (at: number) => unknown): Row =>
  Object.fromEntries(listOf(length, (at) => [`k${at}`, valueOf(at)]));
const PART: Row = { type: 'text', text: 'a' };
/** A list, or an object, within as many others as a body may have. */
const inside = (innermost: unknown, isObject: boolean): unknown =>
  listOf(LEVELS, () => undefined).reduce<unknown>((inner) => (isObject ? { a: inner } : [inner]), innermost);
/** A list of branches, each of which is as deep as a body may be. */
const branches = (isObject: boolean): unknown[] => listOf(Math.floor(VALUES / (LEVELS + 1)), () => inside(1, isObject));
const said = (content: unknown): Row => ({ role: 'user', content });

/** The messages of a call, with a free-form member beside them. */
interface Shape {
  readonly messages: readonly Row[];
  readonly rest?: Row;
}

const HELLO = [said('Hello.')];

export const SHAPES: Readonly<Record<string, () => Shape>> = {
  'messages with one text': () => ({ messages: listOf(VALUES / 3, () => said('a')) }),
  'messages with one part': () => ({ messages: listOf(VALUES / 6, () => said([PART])) }),
  'parts of one message': () => ({ messages: [said(listOf(VALUES / 3, () => PART))] }),
  'different parts of one message': () => ({ messages: [said(listOf(50_000, (at) => ({ ...PART, text: `a${at}` })))] }),
  'texts in a list': () => ({ messages: [said(listOf(VALUES, () => 'a'))] }),
  'numbers in a list': () => ({ messages: [said(listOf(VALUES, () => 1))] }),
  'numbers in a free list': () => ({ messages: HELLO, rest: { numbers: listOf(VALUES, () => 1) } }),
  'members of a part': () => ({ messages: [said([{ type: 'text', ...objectOf(VALUES, () => 1) }])] }),
  'members of an unknown part': () => ({ messages: [said([{ type: 'x', ...objectOf(VALUES, () => 'a') }])] }),
  'an image in a large part': () => ({
    messages: [said([{ type: 'x', ...objectOf(20_000, () => 1), z: 'data:image/png;base64,AA==' }])],
  }),
  'images in a part': () => ({
    messages: [said([{ type: 'x', ...objectOf(400, () => 'data:image/png;base64,AA==') }])],
  }),
  'members of a free object': () => ({ messages: HELLO, rest: { free: objectOf(VALUES, () => 1) } }),
  'members of the body': () => ({ messages: HELLO, rest: objectOf(VALUES, () => 1) }),
  'members of an input of a tool': () => ({
    messages: [said([{ type: 'tool_use', id: 'a', name: 'f', input: objectOf(VALUES, (at) => at) }])],
  }),
  'inputs of tools': () => ({
    messages: [said(listOf(VALUES / 6, (at) => ({ type: 'tool_use', id: 'a', name: 'f', input: { a: at } })))],
  }),
  'deep lists in a message': () => ({ messages: [said(branches(false))] }),
  'deep objects in a message': () => ({ messages: [said(branches(true))] }),
  'properties of a schema': () => ({
    messages: HELLO,
    rest: {
      tools: [
        { type: 'function', function: { name: 'f', parameters: { properties: objectOf(VALUES / 2, () => ({})) } } },
      ],
    },
  }),
  'JSON in arguments': () => ({
    messages: [
      {
        role: 'assistant',
        tool_calls: [
          {
            ...{ id: 'a', type: 'function' },
            function: { name: 'f', arguments: JSON.stringify(listOf(VALUES, (at) => ({ a: at }))) },
          },
        ],
      },
    ],
  }),
  'JSON in a text': () => ({ messages: [said(JSON.stringify(listOf(VALUES, (at) => ({ a: at }))))] }),
  'escapes that spell surrogates': () => ({ messages: [said(['\ud83d\ude00', ...listOf(VALUES, () => 'a')])] }),
};

const known = { litellm_call_id: 'call', request_data: { user_api_key_hash: 'hash' } };
const spelled = (value: unknown): string => JSON.stringify(value).replaceAll('\ud83d\ude00', '\\ud83d\\ude00');
/** At most as many rows as a callback may have: more messages than that become parts of one. */
const rowsOf = (messages: readonly Row[]): readonly Row[] => (messages.length <= 10_000 ? messages : [said(messages)]);

/** The ways of a call, each with the shape in a request or in an answer. */
export const WAYS: Readonly<Record<string, (shape: Shape) => Sent>> = {
  'through the proxy': ({ messages, rest }) => ({
    ...{ isInline: true, path: '/v1/chat/completions' },
    body: spelled({ model: 'm', messages, ...rest }),
  }),
  'in an answer through the proxy': ({ messages, rest }) => ({
    ...{ isInline: true, path: '/v1/chat/completions' },
    body: JSON.stringify({ model: 'm', messages: [said('Write to anna@example.org.')] }),
    answer: spelled({ id: 'a', choices: messages.map((message, index) => ({ index, message })), ...rest }),
  }),
  'in lines of a file': ({ messages, rest }) => ({
    ...{ isInline: true, path: '/v1/files', contentType: 'multipart/form-data; boundary=b' },
    body: [
      '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n',
      `${(messages.length > 1 ? messages : [rest ?? messages[0]]).map((row) => spelled(row)).join('\n')}\r\n--b--\r\n`,
    ].join(''),
  }),
  'in a callback': ({ messages, rest }) => ({
    path: '/beta/litellm_basic_guardrail_api',
    body: spelled({
      ...known,
      input_type: 'request',
      structured_messages: [...rowsOf(messages), ...(rest ? [rest] : [])],
    }),
  }),
  'in a callback with a value': ({ messages, rest }) => ({
    path: '/beta/litellm_basic_guardrail_api',
    body: spelled({
      ...{ ...known, input_type: 'request' },
      structured_messages: [said('Write to anna@example.org.'), { ...said([...messages, PART]), ...rest }],
    }),
  }),
  'in a callback after the call': ({ messages, rest }) => ({
    path: '/beta/litellm_basic_guardrail_api',
    body: spelled({
      ...{ ...known, input_type: 'response', texts: [] },
      structured_messages: [...rowsOf(messages), ...(rest ? [rest] : [])],
    }),
  }),
  'in a call of Portkey': ({ messages, rest }) => ({
    path: '/v1/peer/check',
    body: spelled({ eventType: 'beforeRequestHook', request: { json: { model: 'm', messages, ...rest } } }),
  }),
  'to Presidio': ({ messages, rest }) => ({
    path: '/analyze',
    body: spelled({ text: messages.length > 1 ? messages.map(() => 'a') : 'a', language: 'en', ...rest }),
  }),
};
