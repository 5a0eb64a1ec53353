import { type ChunkChoice, type ModelAnswer, type ModelChunk, stream } from './echoModel.ts';
import { GatewayError, proxyError } from './errors.ts';
import type { GuardedCall, GuardrailClient } from './guardrailClient.ts';

/**
 * Restores a whole answer by the guardrail. It replaces the texts of the choices in order. It sends tool calls to the guardrail
 * but never replaces them, like the real gateway.
 * @throws GatewayError if the guardrail blocks or fails
 */
export async function guardAnswer(
  whole: ModelAnswer,
  client: GuardrailClient,
  call: GuardedCall,
): Promise<ModelAnswer> {
  const texts = whole.choices.flatMap(({ text }) => (text === null ? [] : [text]));
  const toolCalls = whole.choices.flatMap((choice) => choice.toolCalls);
  if (texts.length === 0 && toolCalls.length === 0) return whole;
  const shown = { texts, toolCalls: toolCalls.length > 0 ? toolCalls : undefined, model: whole.model };
  const verdict = await client.check('response', shown, call);
  const restored = [...(verdict.texts ?? texts)];
  if (restored.length > texts.length) throw proxyError(500, 'internal_server_error', null, 'list index out of range');
  const choices = whole.choices.map((choice) =>
    choice.text === null ? choice : { ...choice, text: restored.shift() ?? choice.text },
  );
  return { ...whole, choices };
}

/** The state of a choice in a stream: the received raw text, and the restored text that was sent to the client. */
interface ChoiceState {
  raw: string;
  sent: string;
  finish: string | null;
}

/**
 * Streams an answer through the guardrail in the mode `incremental_diff`, like the real gateway. It buffers the model's chunks.
 * At each `samplingRate`-th chunk and at the end, it sends the whole raw text of each choice to the guardrail. Of the returned
 * text, it sends the part that was not sent before, except for the holdback in code points. At the end it sends the holdback,
 * too. It forwards tool calls unchanged.
 * @throws GatewayError if the guardrail blocks or fails, or changes text that was already sent (`stream_transform_underflow`)
 */
export async function* guardStream(
  whole: ModelAnswer,
  options: {
    readonly client: Pick<GuardrailClient, 'check'>;
    readonly call: GuardedCall;
    readonly samplingRate: number;
  },
): AsyncGenerator<ModelChunk> {
  const states = new Map<number, ChoiceState>();
  const toolCalls = whole.choices.flatMap((choice) => choice.toolCalls);
  let count = 0;

  async function round(final: boolean): Promise<ModelChunk | undefined> {
    const open = [...states].filter(([, { raw }]) => raw !== '').sort(([a], [b]) => a - b);
    if (open.length === 0) return final ? finishes(states) : undefined;
    const shown = { texts: open.map(([, { raw }]) => raw), model: whole.model };
    const verdict = await options.client.check('response', shown, options.call);
    const choices: ChunkChoice[] = [];
    for (const [position, [index, state]] of open.entries()) {
      const text = verdict.texts === undefined ? state.raw : verdict.texts[position];
      // If fewer texts are returned than were sent, the missing ones are not forwarded.
      if (text === undefined) continue;
      const content = release(index, state, text, final ? 0 : (verdict.holdback[position] ?? 0));
      const finish = final ? state.finish : null;
      if (content === '' && finish === null) continue;
      choices.push({
        index,
        delta: { ...(state.sent === content && { role: 'assistant' }), content },
        finish_reason: finish,
      });
    }
    return choices.length > 0 ? { choices } : undefined;
  }

  for (const chunk of stream(whole)) {
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    const state = states.get(choice.index) ?? { raw: '', sent: '', finish: null };
    states.set(choice.index, state);
    if (choice.delta.tool_calls !== undefined) {
      const flushed = await round(false);
      if (flushed !== undefined) yield flushed;
      yield { choices: [{ index: choice.index, delta: { tool_calls: choice.delta.tool_calls }, finish_reason: null }] };
      continue;
    }
    count += 1;
    state.raw += choice.delta.content ?? '';
    state.finish = choice.finish_reason ?? state.finish;
    if (choice.finish_reason !== null || count % options.samplingRate !== 0) continue;
    const sampled = await round(false);
    if (sampled !== undefined) yield sampled;
  }
  if (toolCalls.length > 0) {
    const texts = [...states.values()].map(({ raw }) => raw).filter((raw) => raw !== '');
    await options.client.check('response', { texts, toolCalls, model: whole.model }, options.call);
  }
  const last = await round(true);
  if (last !== undefined) yield last;
}

/** @returns the part of a restored text that can be sent now, and records it as sent */
function release(index: number, state: ChoiceState, text: string, holdback: number): string {
  if (!text.startsWith(state.sent)) {
    const sent = Array.from(state.sent).length;
    const message = `Guardrail streaming transform for choice ${index} is not a forward extension of the ${sent} chars already streamed to the client (it is shorter than, or rewrites, the emitted prefix); emitted bytes cannot be retracted. Withhold recent output via stream_holdback_chars before rewriting it.`;
    const details = { error: 'stream_transform_underflow', message };
    throw new GatewayError(400, {
      error: {
        message: 'stream_transform_underflow',
        type: 'invalid_request_error',
        param: null,
        code: '400',
        provider_specific_fields: details,
      },
    });
  }
  const rest = Array.from(text.slice(state.sent.length));
  const content = rest.slice(0, Math.max(0, rest.length - holdback)).join('');
  state.sent += content;
  return content;
}

function finishes(states: ReadonlyMap<number, ChoiceState>): ModelChunk | undefined {
  const choices = [...states].flatMap(([index, { finish }]) =>
    finish === null ? [] : [{ index, delta: { content: '' }, finish_reason: finish }],
  );
  return choices.length > 0 ? { choices } : undefined;
}
