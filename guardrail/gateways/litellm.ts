/** LiteLLM's basic guardrail API: the calls to `/beta/<name>_basic_guardrail_api` before and after a model call. */
import * as z from 'zod';
import type {
  CallerSettings,
  CallIdentity,
  Json,
  RequestDocument,
  RequestOutcome,
  ResponseOutcome,
} from '../pseudonymization/pseudonymization.ts';
import type { Tenant } from '../ids.ts';
import { trailingCodePoints } from './codePoints.ts';
import {
  keyUserPrefix,
  PSEUDONYMIZED_HEADER,
  type GatewayAdapter,
  type GatewayCall,
  type GatewayExchange,
} from './contract.ts';
import { FieldError, isObject, jsonObject, parseFields, type JsonObject } from './fields.ts';

export const MAX_TEXTS = 10_000;
export const MAX_IMAGES = 1000;
const MAX_ROWS = 10_000;
const MAX_IDENTIFIER = 4096;

export const identifier = z.string().max(MAX_IDENTIFIER).nullish();
const rows = z.array(jsonObject).max(MAX_ROWS).nullish();

export const requestData = z
  .object({
    user_api_key_hash: identifier.describe("Hash of the gateway's virtual key."),
    user_api_key_alias: identifier.describe("Alias of the gateway's virtual key."),
    user_api_key_team_id: identifier.describe("The gateway's team."),
    user_api_key_user_id: identifier.describe("The gateway's internal user."),
    user_api_key_end_user_id: identifier.describe('The end user, as named by the client.'),
  })
  .nullish();

const IDENTIFIERS = Object.keys(requestData.unwrap().unwrap().shape);

const overrides = z
  .object({
    streaming_transform_mode: z
      .enum(['incremental_diff', 'block_only'])
      .nullish()
      .describe(
        'Has no effect. A call does not state whether its response is streamed, and a plain response must be ' +
          'restored. The gateway configures how it applies changes to a stream.',
      ),
    recall: z
      .enum(['precise', 'balanced', 'thorough'])
      .nullish()
      .describe('Minimum recall for this call. A value below the recall of the service has no effect.'),
    block_entities: z.array(z.string().max(128)).max(200).nullish().describe('Entity types that block this request.'),
    images: z.enum(['block']).nullish().describe('Blocks this request if it contains an image, a file or a recording.'),
  })
  .nullish();

const fields = z.object({
  input_type: z.enum(['request', 'response']).describe('`request` before the model call, `response` after it.'),
  model: z.string().nullish(),
  texts: z.array(z.string()).max(MAX_TEXTS).nullish().describe('Texts to pseudonymize or to restore.'),
  images: z.array(z.string()).max(MAX_IMAGES).nullish().describe('Data URLs or remote URLs.'),
  structured_messages: rows.describe('The messages as the client sent them.'),
  tools: rows.describe('Tool definitions.'),
  tool_calls: rows.describe('Tool calls: those of earlier answers in a request, those of the answer in a response.'),
  request_data: requestData,
  request_headers: jsonObject
    .nullish()
    .describe(
      `The client's headers. x-session-id names the conversation. With the value of ${PSEUDONYMIZED_HEADER} that the inline proxy of the same guardrail has sent, text that looks like a pseudonym stays. Other headers are ignored.`,
    ),
  additional_provider_specific_params: overrides.describe(
    'Settings for this call. They can only be stricter than those of the service.',
  ),
});

/** The fields with the proxy's name. */
function namedFields(proxyName: string) {
  return {
    [`${proxyName}_call_id`]: identifier.describe('Id of the model call, equal before and after it.'),
    [`${proxyName}_trace_id`]: identifier.describe('Id of the conversation, equal in all its calls.'),
  };
}

/** The body of a call, for one proxy name. Unknown members are ignored, and null is the same as absent. */
export function basicRequestSchema(proxyName: string): z.ZodType {
  return fields.extend(namedFields(proxyName)).meta({
    description:
      'A guardrail call. One of texts, images and structured_messages is required; in a response, tool_calls suffice.',
    anyOf: [
      ...['texts', 'images', 'structured_messages'].map((name) => ({
        required: [name],
        properties: { [name]: { type: 'array' } },
      })),
      {
        required: ['tool_calls'],
        properties: { input_type: { const: 'response' }, tool_calls: { type: 'array' } },
      },
    ],
  });
}

export const basicResponseSchema = z.object({
  action: z.enum(['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED']),
  texts: z.array(z.string()).optional().describe('As many texts as in the call, in the same order.'),
  images: z
    .array(z.string())
    .optional()
    .describe('Only with GUARDRAIL_INTERVENED, if an image changed: as many as in the call, in the same order.'),
  structured_messages: z.array(jsonObject).optional().describe('Only with GUARDRAIL_INTERVENED, if they changed.'),
  tools: z.array(jsonObject).optional().describe('Only with GUARDRAIL_INTERVENED, if they changed.'),
  tool_calls: z
    .array(jsonObject)
    .optional()
    .describe('Only with GUARDRAIL_INTERVENED, if they changed. LiteLLM applies those in structured_messages.'),
  stream_holdback_chars: z
    .array(z.int().min(0))
    .optional()
    .describe('Only after the model call: the holdback of each text, in code points.'),
  blocked_reason: z.string().optional().describe('Only with BLOCKED: the reason, for the user.'),
});

const OVERRIDES = Object.keys(overrides.unwrap().unwrap().shape);

type BasicResponse = z.infer<typeof basicResponseSchema>;

type Fields = z.infer<typeof fields>;

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isIdentifier = (value: unknown): boolean => isAbsent(value) || (isText(value) && value.length <= MAX_IDENTIFIER);
const isListOf = (value: unknown, max: number, isItem: (item: unknown) => boolean): boolean =>
  isAbsent(value) || (Array.isArray(value) && value.length <= max && value.every(isItem));

/**
 * Whether a body has valid fields, and no settings of its own. Nearly all bodies do, and the schema, which decides about the
 * others and says what is wrong, takes several times as long.
 */
export function hasPlainFields(body: JsonObject): body is JsonObject & Fields {
  const { input_type: type, request_data: known, request_headers: headers } = body;
  const params = body.additional_provider_specific_params;
  return (
    (type === 'request' || type === 'response') &&
    (isAbsent(body.model) || isText(body.model)) &&
    isListOf(body.texts, MAX_TEXTS, isText) &&
    isListOf(body.images, MAX_IMAGES, isText) &&
    [body.structured_messages, body.tools, body.tool_calls].every((list) => isListOf(list, MAX_ROWS, isObject)) &&
    (isAbsent(known) || (isObject(known) && IDENTIFIERS.every((name) => isIdentifier(known[name])))) &&
    (isAbsent(headers) || isObject(headers)) &&
    // LiteLLM sends an empty object if its configuration has none.
    (isAbsent(params) || (isObject(params) && OVERRIDES.every((name) => isAbsent(params[name]))))
  );
}

/** The adapter of the gateway with a proxy name. */
export interface LitellmAdapter extends GatewayAdapter {
  read(body: JsonObject, call: Pick<GatewayCall, 'tenant' | 'isMark'>): Exclude<GatewayExchange, { phase: 'piece' }>;
  block(reason: string): JsonObject;
}

export function createLitellmAdapter(proxyName: string): LitellmAdapter {
  const named = z.object(namedFields(proxyName));
  const [callIdName, traceIdName] = [`${proxyName}_call_id`, `${proxyName}_trace_id`];
  return {
    dialect: 'basic',
    onFailure: 'error',
    tellsEndUser: true,
    callIds: 'public',
    pass: { action: 'NONE' },
    recognizes: (body) => body.input_type === 'request' || body.input_type === 'response',
    block: (reason) => ({ action: 'BLOCKED', blocked_reason: reason }),

    read(value, { tenant, isMark }) {
      const body = hasPlainFields(value) ? value : parseFields(fields, value);
      // A response can be a tool call without text.
      const given = body.texts ?? body.images ?? body.structured_messages;
      if (!given && !(body.input_type === 'response' && body.tool_calls)) {
        throw new FieldError('The body must contain at least one of texts, images and structured_messages.');
      }
      const { [callIdName]: callId, [traceIdName]: traceId } = value;
      if (!isIdentifier(callId) || !isIdentifier(traceId)) parseFields(named, value);
      const identity = identityIn(body, tenant, {
        callId: isText(callId) ? callId : undefined,
        traceId: isText(traceId) ? traceId : undefined,
      });
      const isPseudonymized = isMark(body.request_headers?.[PSEUDONYMIZED_HEADER]);
      const call = { identity, stricter: stricterIn(body), isPseudonymized };
      const { texts, structuredMessages, images } = {
        texts: body.texts ?? [],
        structuredMessages: body.structured_messages ?? undefined,
        images: body.images ?? undefined,
      };
      if (body.input_type === 'response') {
        const document = { texts, structuredMessages, toolCalls: body.tool_calls ?? undefined };
        return { ...call, phase: 'response', document, model: body.model ?? undefined, render: renderResponse };
      }
      const [tools, toolCalls] = [body.tools ?? undefined, body.tool_calls ?? undefined];
      const document = { texts, structuredMessages, tools, toolCalls, images };
      return { ...call, phase: 'request', document, render: (outcome) => renderRequest(outcome, document) };
    },
  };
}

function identityIn(
  { request_data: known, request_headers: headers }: Fields,
  tenant: Tenant,
  { callId, traceId }: Pick<CallIdentity, 'callId' | 'traceId'>,
): CallIdentity {
  return { ...identityOfRequestData(known, tenant), callId, traceId: conversationOf(headers) ?? traceId };
}

/** The identity that the gateway reports in `request_data`. */
export function identityOfRequestData(known: z.infer<typeof requestData>, tenant: Tenant): CallIdentity {
  return {
    tenant,
    team: known?.user_api_key_team_id ?? undefined,
    keyHash: rotatedKeyOf(known) ?? known?.user_api_key_hash ?? undefined,
    user: known?.user_api_key_user_id ?? undefined,
    endUser: known?.user_api_key_end_user_id ?? undefined,
  };
}

/**
 * The identity of a key that the operator rotates: all keys that follow each other have it. Only an admin can make a key for
 * another user, but a gateway can be told to take the user from a header. The alias is that of the key itself, so that a client
 * cannot choose both.
 */
function rotatedKeyOf(known: z.infer<typeof requestData>): string | undefined {
  const { user_api_key_user_id: user, user_api_key_alias: alias } = known ?? {};
  if (!user?.startsWith(keyUserPrefix) || !alias?.startsWith(`${user}/`)) return undefined;
  const id = user.slice(keyUserPrefix.length);
  return /^[0-9a-f]{64}$/.test(id) ? id : undefined;
}

function stricterIn({ additional_provider_specific_params: params }: Fields): CallerSettings {
  const { recall, block_entities: block, images } = params ?? {};
  return {
    ...(recall ? { recall } : {}),
    ...(block ? { block } : {}),
    ...(images === 'block' ? { images } : {}),
  };
}

/**
 * The answer before the model call.
 * @param document the document of the request. Unchanged rows are the same objects.
 */
function renderRequest(
  outcome: Exclude<RequestOutcome, { action: 'BLOCKED' }>,
  document: RequestDocument,
): BasicResponse {
  if (outcome.action === 'NONE') return { action: 'NONE' };
  return {
    action: 'GUARDRAIL_INTERVENED',
    // With an empty list, the gateway would send the original.
    ...(outcome.texts.length > 0 ? { texts: [...outcome.texts] } : {}),
    ...(outcome.images ? { images: [...outcome.images] } : {}),
    ...listed('structured_messages', changedRows(outcome.structuredMessages, document.structuredMessages)),
    ...listed('tools', changedRows(outcome.tools, document.tools)),
    ...listed('tool_calls', changedRows(outcome.toolCalls, document.toolCalls)),
  };
}

/** The answer after the model call, and for each part of a stream. */
function renderResponse(outcome: ResponseOutcome): BasicResponse {
  return {
    action: outcome.action,
    texts: [...outcome.texts],
    ...(outcome.action === 'NONE'
      ? {}
      : { ...listed('structured_messages', outcome.structuredMessages), ...listed('tool_calls', outcome.toolCalls) }),
    stream_holdback_chars: outcome.texts.map((text, at) => trailingCodePoints(text, outcome.holdback[at] ?? 0)),
  };
}

/**
 * The client's name of the conversation, if the gateway forwards the header. The gateway may list a header that it does
 * not forward with a placeholder as its value.
 */
function conversationOf(headers: JsonObject | null | undefined): string | undefined {
  const value = headers?.['x-session-id'];
  return typeof value === 'string' && value !== '' && value !== '[present]' ? value : undefined;
}

function changedRows(rows: readonly Json[] | undefined, sent: readonly Json[] = []): readonly Json[] | undefined {
  return rows?.some((row, at) => row !== sent[at]) ? rows : undefined;
}

function listed<Name extends string>(name: Name, rows: readonly Json[] | undefined): Partial<Record<Name, never[]>> {
  return rows === undefined ? {} : ({ [name]: rows } as Record<Name, never[]>);
}
