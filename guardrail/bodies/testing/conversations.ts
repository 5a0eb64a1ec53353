/**
 * Test support: conversations that grow, as the callback and each model API get them. Tests of the law of the prefix: what is sent
 * of the first messages is the same, byte for byte, whether or not more follow.
 */
import type { CallContext, Guard, Json, RequestDocument } from '../../pseudonymization/pseudonymization.ts';
import { callBy } from '../../pseudonymization/testing/testGuard.ts';
import { guardBody } from '../bodies.ts';
import { known } from './bodyCalls.ts';

export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** The arguments of a tool call, which makes this the message of an assistant that calls a tool. */
  readonly call?: Record<string, Json>;
}

export interface Conversation {
  readonly system?: string | undefined;
  /** The description of a tool. */
  readonly tool?: string | undefined;
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** What is added to the history before the model answers: the user's message, or the call of a tool and its result. */
  readonly messages: readonly Message[];
  /** The model's answer, with the pseudonyms that it has seen. @param sent the text of the last message as the model sees it */
  readonly answer: (sent: string) => string;
}

/** What the model sees. */
export interface Sent {
  /** The definitions of tools and the system prompt, where they are no messages. */
  readonly before: string;
  readonly messages: readonly string[];
  readonly lastText: string;
}

interface Known extends Pick<Conversation, 'system' | 'tool'> {
  readonly messages: readonly Message[];
}

export type Shape = (known: Known, guard: Guard, context: CallContext) => Promise<Sent>;

const TOOL_CALL = 'call_1';

/** A message of OpenAI's chat completions. */
const chatMessage = ({ role, text, call }: Message): Record<string, Json> => {
  if (call) {
    const tool = { name: 'lookup', arguments: JSON.stringify(call) };
    return { role, content: text, tool_calls: [{ id: TOOL_CALL, type: 'function', function: tool }] };
  }
  return role === 'tool' ? { role, tool_call_id: TOOL_CALL, content: text } : { role, content: text };
};

const anthropicMessage = ({ role, text, call }: Message): Record<string, Json> => {
  if (call) {
    const use = { type: 'tool_use', id: TOOL_CALL, name: 'lookup', input: call };
    return { role, content: [{ type: 'text', text }, use] };
  }
  return role === 'tool'
    ? { role: 'user', content: [{ type: 'tool_result', tool_use_id: TOOL_CALL, content: text }] }
    : { role, content: text };
};

const responsesItem = ({ role, text, call }: Message): Record<string, Json> => {
  if (call) return { type: 'function_call', call_id: TOOL_CALL, name: 'lookup', arguments: JSON.stringify(call) };
  return role === 'tool'
    ? { type: 'function_call_output', call_id: TOOL_CALL, output: text }
    : { type: 'message', role, content: text };
};

const geminiContent = ({ role, text, call }: Message): Record<string, Json> => {
  if (call) return { role: 'model', parts: [{ text }, { functionCall: { name: 'lookup', args: call } }] };
  return role === 'tool'
    ? { role: 'user', parts: [{ functionResponse: { name: 'lookup', response: { result: text } } }] }
    : { role: role === 'user' ? 'user' : 'model', parts: [{ text }] };
};

const toolOf = (description: string): Record<string, Json> => ({
  type: 'function',
  function: { name: 'lookup', description, parameters: { type: 'object', properties: { q: { type: 'string' } } } },
});

/** What LiteLLM sends: the messages, and their texts and tool calls once more. */
function callbackDocument({
  system,
  tool,
  messages,
}: Known): Required<Pick<RequestDocument, 'texts' | 'structuredMessages' | 'tools' | 'toolCalls'>> {
  const rows = [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages.map(chatMessage)];
  return {
    texts: rows.map(({ content }) => content as string),
    structuredMessages: rows,
    tools: tool === undefined ? [] : [toolOf(tool)],
    toolCalls: rows.flatMap((row) => ('tool_calls' in row ? (row.tool_calls as Json[]) : [])),
  };
}

const callback: Shape = async (conversation, guard, context) => {
  const document = callbackDocument(conversation);
  const outcome = await guard.request(document, context);
  if (outcome.action === 'BLOCKED') throw new Error(outcome.blockedReason);
  const sent: RequestDocument = outcome.action === 'NONE' ? document : outcome;
  const calls = [...(sent.toolCalls ?? [])];
  const rows = (sent.structuredMessages ?? []).map((row, at) => {
    const own = (row as { tool_calls?: Json[] }).tool_calls ?? [];
    return JSON.stringify([row, sent.texts[at], calls.splice(0, own.length)]);
  });
  return { before: JSON.stringify(sent.tools), messages: rows, lastText: sent.texts.at(-1) ?? '' };
};

/** Texts without messages, as some routes of a gateway send them. */
const texts: Shape = async (conversation, guard, context) => {
  const document = { texts: callbackDocument(conversation).texts };
  const outcome = await guard.request(document, context);
  if (outcome.action === 'BLOCKED') throw new Error(outcome.blockedReason);
  const sent = outcome.action === 'NONE' ? document.texts : outcome.texts;
  return { before: '', messages: sent, lastText: sent.at(-1) ?? '' };
};

/** @param bodyOf the body of a call. Its list of messages is last but for `last`, so that members after it are tested too */
function inline(
  path: string,
  list: string,
  bodyOf: (known: Known) => Record<string, Json>,
  textOf: (message: never) => string,
): Shape {
  return async (conversation, guard, context) => {
    const body = JSON.stringify({ ...bodyOf(conversation), metadata: { turn: conversation.messages.length } });
    const request = { bytes: Buffer.from(body), contentType: 'application/json' };
    const outcome = await guardBody(known('POST', path), request, guard, context);
    if (outcome.action === 'BLOCKED') throw new Error(outcome.reason);
    const sent = outcome.action === 'NONE' ? body : outcome.body.toString();
    const { [list]: messages, metadata: _, ...before } = JSON.parse(sent) as Record<string, Json>;
    const rows = messages as Json[];
    return {
      before: JSON.stringify(before),
      messages: rows.map((row) => JSON.stringify(row)),
      lastText: textOf(rows.at(-1) as never),
    };
  };
}

const optional = (name: string, value: Json | undefined): Record<string, Json> =>
  value === undefined ? {} : { [name]: value };
const contentOf = ({ content }: { content: unknown }): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** The forms in which a conversation reaches the guardrail. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  callback,
  texts,
  'chat completions': inline(
    '/v1/chat/completions',
    'messages',
    (conversation) => {
      const { structuredMessages, tools } = callbackDocument(conversation);
      return { model: 'm', messages: structuredMessages as Json[], tools: tools as Json[] };
    },
    contentOf,
  ),
  'Anthropic messages': inline(
    '/v1/messages',
    'messages',
    ({ system, tool, messages }) => ({
      ...{ model: 'm', messages: messages.map(anthropicMessage) },
      ...optional('system', system),
      ...optional('tools', tool === undefined ? undefined : [{ name: 'lookup', description: tool, input_schema: {} }]),
    }),
    contentOf,
  ),
  responses: inline(
    '/v1/responses',
    'input',
    ({ system, messages }) => ({
      ...{ model: 'm', input: messages.map(responsesItem) },
      ...optional('instructions', system),
    }),
    (item: { content?: string; output?: string }) => item.content ?? item.output ?? '',
  ),
  Gemini: inline(
    '/v1beta/models/m:generateContent',
    'contents',
    ({ system, messages }) => ({
      contents: messages.map(geminiContent),
      ...optional('systemInstruction', system === undefined ? undefined : { parts: [{ text: system }] }),
    }),
    ({ parts: [part] }: { parts: { text?: string }[] }) => part?.text ?? '',
  ),
};

/** A message that was not sent as it was sent before. */
export interface Change {
  /** -1: the system prompt or the tools. */
  readonly message: number;
  readonly before: string;
  readonly now: string;
}

/** Sends a conversation turn by turn, with the restored answers as history. @returns what changed in messages sent before */
export async function changesIn(conversation: Conversation, shape: Shape, guard: Guard): Promise<Change[]> {
  const changes: Change[] = [];
  let last: Sent | undefined;
  for await (const sent of callsOf(conversation, shape, guard)) {
    if (last && last.before !== sent.before) changes.push({ message: -1, before: last.before, now: sent.before });
    for (const [message, before] of (last?.messages ?? []).entries()) {
      const now = sent.messages[message] ?? '';
      if (now !== before) changes.push({ message, before, now });
    }
    last = sent;
  }
  return changes;
}

/** The calls of a conversation, each with the whole history. */
export async function* callsOf(
  { system, tool, turns }: Conversation,
  shape: Shape,
  guard: Guard,
): AsyncGenerator<Sent, void> {
  const messages: Message[] = [];
  for (const [at, turn] of turns.entries()) {
    const context = callBy({ callId: `call ${at}` });
    messages.push(...turn.messages);
    const sent = await shape({ system, tool, messages: [...messages] }, guard, context);
    yield sent;
    const restored = await guard.response({ texts: [turn.answer(sent.lastText)] }, context);
    messages.push({ role: 'assistant', text: restored.texts[0] ?? '' });
  }
}
