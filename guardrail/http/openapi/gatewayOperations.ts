import * as z from 'zod';
import {
  basicPath,
  basicRequestSchema,
  basicResponseSchema,
  CALL_ID,
  CHECK_PATH,
  DIALECTS,
  PIECE_PATH,
  pieceSchema,
  REDACT_PATH,
  REHYDRATE_PATH,
  restoredPieceSchema,
  TEAM_HEADER,
  textsSchema,
} from '../../gateways/gateways.ts';
import { SESSION_ID_HEADER, type JsonNode, type Operation } from './operation.ts';

/** The basic guardrail endpoint of a gateway. */
export function guardOperation(name: string): Operation {
  return {
    method: 'post',
    path: basicPath(name),
    operationId: `guard_${name}`,
    summary: `Checks a call of the gateway ${name}, before and after the model.`,
    requestBody: basicRequestSchema(name),
    responses: {
      200: {
        description: 'The action to take. A refused request also has this status.',
        body: basicResponseSchema,
        headers: SESSION_ID_HEADER,
      },
    },
    errors: [400, 401, 409, 413, 415, 429, 502, 503],
  };
}

const TEAM_PARAMETER: JsonNode = {
  name: TEAM_HEADER,
  in: 'header',
  schema: { type: 'string' },
  description:
    'The team that the gateway identifies. The configuration of the gateway sets this header; its clients cannot.',
};
const CALL_PARAMETER: JsonNode = {
  name: 'x-session-id',
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: CALL_ID.source },
  description: 'A random id of the model call, equal before and after it. Only calls with the same id share a mapping.',
};
const DIALECT_PARAMETER: JsonNode = {
  name: 'dialect',
  in: 'query',
  schema: { type: 'string', enum: DIALECTS },
  description: 'The format of the body. Default: detected from the body.',
};
const ANY_OBJECT = z.object({}).catchall(z.unknown());
const ROWS = z.array(ANY_OBJECT);
const PORTKEY_BODY = z.looseObject({
  eventType: z.enum(['beforeRequestHook', 'afterRequestHook']),
  request: z.looseObject({ json: ANY_OBJECT.describe('The body of the request.') }),
  response: z.unknown().optional().describe('Its json is the body of the answer. Only after the model call.'),
});
const AGENTGATEWAY_BODY = z.looseObject({
  body: z
    .union([z.looseObject({ messages: ROWS }), z.looseObject({ choices: ROWS })])
    .describe('The messages before the model call, the choices after it.'),
});
const GATEWAY_DESCRIPTION = `The header ${TEAM_HEADER} names the team for which the gateway calls. The configuration of the gateway sets it. Two teams never share a session.

The session within a team:
- The header x-session-id names it.
- Portkey: otherwise the first of metadata.session_id, metadata.trace_id, metadata.conversation_id, metadata._user and user in the request; otherwise each call has its own session.
- agentgateway: otherwise the trace in traceparent; otherwise all calls of the team share a session.

Without ${TEAM_HEADER}, each call of Portkey has its own session. Calls of agentgateway have no session: a request that contains personal data is refused.

The end user, for erasure: metadata._user or user of the request with Portkey; none with agentgateway.`;

/** The endpoints of other gateways. Their formats are documented by these gateways. */
export const gatewayOperations: readonly Operation[] = [
  gatewayOperation(CHECK_PATH, 'gatewayCheck', {
    parameters: [TEAM_PARAMETER, DIALECT_PARAMETER],
    requestBody: z.union([PORTKEY_BODY, AGENTGATEWAY_BODY]),
  }),
  gatewayOperation('/request', 'gatewayRequest', { parameters: [TEAM_PARAMETER], requestBody: AGENTGATEWAY_BODY }),
  gatewayOperation('/response', 'gatewayResponse', { parameters: [TEAM_PARAMETER], requestBody: AGENTGATEWAY_BODY }),
  shieldOperation({
    path: REDACT_PATH,
    operationId: 'redact',
    summary: 'Pseudonymizes the texts of a request.',
    requestBody: textsSchema,
    answer: textsSchema,
    errors: [400, 401, 403, 409, 413, 415, 429, 502, 503],
  }),
  shieldOperation({
    path: REHYDRATE_PATH,
    operationId: 'rehydrate',
    summary: 'Restores the texts of an answer.',
    requestBody: textsSchema,
    answer: textsSchema,
  }),
  shieldOperation({
    path: PIECE_PATH,
    operationId: 'rehydratePiece',
    summary: 'Restores a piece of a text of an answer. All pieces give what the whole text gives.',
    requestBody: pieceSchema,
    answer: restoredPieceSchema,
  }),
];

type ShieldOperation = Pick<Operation, 'path' | 'operationId' | 'summary' | 'requestBody' | 'errors'> & {
  readonly answer: z.ZodType;
};

/** An endpoint for LiteLLM's client `llm_shield_proxy`. */
function shieldOperation({ answer, ...operation }: ShieldOperation): Operation {
  return {
    method: 'post',
    description: "For LiteLLM's guardrail llm_shield_proxy.",
    parameters: [CALL_PARAMETER, TEAM_PARAMETER],
    security: [{ apiKey: [] }, { bearer: [] }],
    responses: { 200: { description: 'The changed texts.', body: answer, headers: SESSION_ID_HEADER } },
    errors: [400, 401, 413, 415, 429, 502, 503],
    ...operation,
  };
}

function gatewayOperation(
  path: string,
  operationId: string,
  call: Required<Pick<Operation, 'parameters' | 'requestBody'>>,
): Operation {
  return {
    method: 'post',
    path,
    operationId,
    summary: 'Checks a call of another gateway, in the format of that gateway.',
    description: GATEWAY_DESCRIPTION,
    ...call,
    security: [{ apiKey: [] }, { bearer: [] }],
    responses: {
      200: { description: 'The action to take, also after a failure.', body: ANY_OBJECT, headers: SESSION_ID_HEADER },
    },
    errors: [400, 401, 413, 415, 429, 503],
  };
}
