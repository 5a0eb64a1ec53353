import { isDeepStrictEqual } from 'node:util';
import { proxyError } from './errors.ts';
import type { GuardedCall, GuardrailClient } from './guardrailClient.ts';
import { isObject, type Json, type JsonObject, stringField } from './json.ts';

/** The fields of a message that the real gateway sends to a guardrail. It never sends `name` and unknown fields. */
const SHOWN = ['role', 'content', 'tool_calls', 'tool_call_id', 'function_call', 'thinking_blocks', 'cache_control'];

function shown(message: Json): Json {
  if (!isObject(message)) return message;
  return Object.fromEntries(Object.entries(message).filter(([key]) => SHOWN.includes(key)));
}

/** The location of a text in the request: the content of a message, or one part of it. */
interface Place {
  readonly message: JsonObject;
  readonly part?: JsonObject;
}

interface Extract {
  readonly texts: string[];
  readonly places: Place[];
  readonly images: string[];
  readonly toolCalls: Json[];
}

function extract(messages: readonly Json[]): Extract {
  const found: Extract = { texts: [], places: [], images: [], toolCalls: [] };
  for (const message of messages.filter(isObject)) {
    const content = message.content;
    if (typeof content === 'string') {
      found.texts.push(content);
      found.places.push({ message });
    }
    for (const part of Array.isArray(content) ? content.filter(isObject) : []) {
      if (typeof part.text === 'string') {
        found.texts.push(part.text);
        found.places.push({ message, part });
      }
      if (part.type !== 'image_url') continue;
      const image = part.image_url;
      const url = isObject(image) ? image.url : image;
      if (typeof url === 'string' && url !== '') found.images.push(url);
    }
    if (Array.isArray(message.tool_calls)) found.toolCalls.push(...message.tool_calls);
  }
  return found;
}

/**
 * Calls the guardrail for a chat request and applies its answer by the rules of the real gateway. Returned messages take
 * precedence over texts, unless all of them are unchanged. An unchanged message keeps the fields that were not sent. Returned
 * tools replace the tools. A request without any text or tool call is not sent to the guardrail.
 * @param body the request, which is not modified
 * @returns the request for the model
 * @throws GatewayError if the guardrail blocks or fails, or returns another number of texts
 */
export async function guardRequest(body: JsonObject, client: GuardrailClient, call: GuardedCall): Promise<JsonObject> {
  const result = structuredClone(body);
  const messages = result.messages as Json[];
  const { texts, places, images, toolCalls } = extract(messages);
  if (texts.length === 0 && toolCalls.length === 0) return result;
  const rows = messages.map(shown);
  const tools = Array.isArray(body.tools) && body.tools.length > 0 ? body.tools : undefined;
  const verdict = await client.check(
    'request',
    {
      texts,
      structuredMessages: rows.length > 0 ? rows : undefined,
      images: images.length > 0 ? images : undefined,
      tools,
      toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
      model: stringField(body, 'model'),
    },
    call,
  );
  if (verdict.tools !== undefined) result.tools = [...verdict.tools];
  const returned = verdict.structuredMessages;
  if (returned !== undefined && !isDeepStrictEqual(returned, rows)) {
    const aligned = returned.length === messages.length;
    result.messages = returned.map((message, index) =>
      aligned && isDeepStrictEqual(message, rows[index]) ? (messages[index] ?? message) : message,
    );
    return result;
  }
  if (verdict.texts === undefined || places.length === 0) return result;
  if (verdict.texts.length !== places.length) {
    const message =
      "Guardrail 'guardrail' rewrote the request in a way this endpoint cannot apply, so the request was rejected rather than sent unrewritten";
    throw proxyError(500, 'internal_server_error', null, message);
  }
  verdict.texts.forEach((text, index) => {
    const place = places[index];
    if (place === undefined) return;
    if (place.part !== undefined) place.part.text = text;
    else place.message.content = text;
  });
  return result;
}
