/**
 * The calls of LiteLLM's client `llm_shield_proxy` (1.106): all texts of a request to `/v1/guard/redact`, all texts of an
 * answer to `/v1/guard/rehydrate`, and each piece of a stream to `/v1/guard/rehydrate/stream`.
 *
 * The client sends texts without their place, no images and no files. It names no team, key or end user, only a random id
 * of the call in x-session-id, equal before and after the model. The mapping therefore belongs to the one call. System
 * prompts and tool definitions have an id of their own, for which the client never asks again: see its source,
 * `locate_request_texts`.
 */
import * as z from 'zod';
import { MAX_CARRY, numberOfMessage, type CallIdentity, type Passage } from '../pseudonymization/pseudonymization.ts';
import { identityOf, type GatewayAdapter, type GatewayCall } from './contract.ts';
import { FieldError, isObject, parseFields } from './fields.ts';
import { MAX_TEXTS } from './litellm.ts';

export const REDACT_PATH = '/v1/guard/redact';
export const REHYDRATE_PATH = '/v1/guard/rehydrate';
export const PIECE_PATH = '/v1/guard/rehydrate/stream';

/** The id of a call. It is the secret that separates the calls of a tenant, so a short name is refused. */
export const CALL_ID = /^[\w.-]{32,256}$/;

export const textsSchema = z.object({
  texts: z.array(z.string()).max(MAX_TEXTS).describe('The answer has as many texts, in the same order.'),
});
export const pieceSchema = z.object({
  text: z.string().describe('The next piece of the text.'),
  carry: z
    .string()
    .max(MAX_CARRY)
    .meta({ pattern: '^[A-Za-z0-9_-]*$', contentEncoding: 'base64url' })
    .nullish()
    .describe(
      'The carry of the previous answer of this text, as it is; empty for the first piece. No other value is valid.',
    ),
  final: z.boolean().nullish().describe('Whether the text ends with this piece.'),
});
export const restoredPieceSchema = z.object({
  text: z.string().describe('What can be sent to the client now.'),
  carry: z.string().describe('Encrypted state for the next piece; empty after the last one.'),
});

/** What the three endpoints have in common. The client stops the call on every HTTP error, after ten seconds at most. */
const shared = {
  dialect: 'shield',
  timeoutMs: 9000,
  onFailure: 'error',
  callIds: 'secret',
  pass: 'echo',
  block: () => undefined,
} as const satisfies Partial<GatewayAdapter>;

export const redact: GatewayAdapter = {
  ...shared,
  recognizes: hasTexts,
  read(body, call) {
    const { texts } = parseFields(textsSchema, body);
    // JSON must stay JSON: the texts contain the arguments of tool calls.
    const passages = texts.map((text, at): Passage => ({
      text,
      kind: isJson(text) ? 'fields' : 'text',
      message: numberOfMessage(at),
    }));
    return {
      phase: 'request',
      identity: identityIn(call),
      document: { texts: [], passages },
      render: (outcome) => ({ texts: textsOf(outcome.action === 'NONE' ? passages : outcome.passages) }),
    };
  },
};

export const rehydrate: GatewayAdapter = {
  ...shared,
  recognizes: hasTexts,
  read(body, call) {
    const { texts } = parseFields(textsSchema, body);
    return {
      phase: 'response',
      identity: identityIn(call),
      document: { texts: [], passages: texts.map((text): Passage => ({ text, kind: 'either' })) },
      render: (outcome) => ({ texts: textsOf(outcome.passages) }),
    };
  },
};

export const rehydratePiece: GatewayAdapter = {
  ...shared,
  recognizes: (body) => typeof body.text === 'string',
  read(body, call) {
    const { text, carry, final } = parseFields(pieceSchema, body);
    return {
      phase: 'piece',
      identity: identityIn(call),
      piece: { text, kind: 'either', carry: carry ?? '', isLast: final ?? false },
      render: ({ text: restored, carry: next }) => ({ text: restored, carry: next }),
    };
  },
};

function hasTexts(body: unknown): boolean {
  return isObject(body) && Array.isArray(body.texts);
}

/**
 * The call is the session, in every scope. Its pseudonyms are those of all calls of the tenant, so that a value keeps its
 * pseudonym over the turns of a conversation, and in a system prompt and a message.
 */
function identityIn(call: GatewayCall): CallIdentity {
  const id = call.header('x-session-id');
  if (!CALL_ID.test(id)) {
    throw new FieldError(
      'The header x-session-id must be a random id of the call: 32 to 256 letters, digits, hyphens, dots or underscores.',
    );
  }
  return { ...identityOf(call, shared.dialect, id), samePseudonyms: 'team' };
}

function textsOf(passages: readonly Passage[] = []): string[] {
  return passages.map(({ text }) => text);
}

/** Whether a text is a JSON object or array, with nothing around it. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
