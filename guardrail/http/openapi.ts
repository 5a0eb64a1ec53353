import * as z from 'zod';
import { basicRequestSchema, basicResponseSchema, PEER_ADAPTERS, TEAM_HEADER } from '../gateways/gateways.ts';
import { guardPath } from './guardRoutes.ts';
import { DETECT_PATH, detectedSchema, detectSchema, PLAYGROUND_PATH } from './playground/playground.ts';
import { deletedSchema, ERASE_SUBJECT_PATH, erasedSchema, eraseSubjectSchema, sessionSchema } from './sessionRoutes.ts';

type Node = Record<string, unknown>;

const errorSchema = z.object({
  error: z.object({
    code: z.string().describe('Stable, in snake case.'),
    message: z.string().describe('A sentence for people.'),
    request_id: z.string(),
  }),
});

const dependencySchema = z.object({
  up: z.boolean(),
  since: z.iso.datetime().optional().describe('When it, or a part of it, was first seen down.'),
  reason: z.string().optional().describe('What is down; with `up`, only a part is, and calls that need it fail.'),
});
const readinessSchema = z.object({
  status: z.enum(['ready', 'unavailable', 'draining']),
  dependencies: z.record(z.string(), dependencySchema),
});

const COUNTED_AS_UNREACHABLE =
  'A gateway may count this as "unreachable" and, where it is set to fail open, send the unchecked request to the model.';
const COUNTED_AS_REACHABLE =
  'LiteLLM does not count this as "unreachable": the call ends in an error, also where it is set to fail open.';

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is malformed: the message names the field.',
  401: 'The header x-api-key is missing, or its key is not known.',
  403: "The key is not an admin key, and the field tenant names another tenant than the key's own.",
  404: 'There is no such session of this tenant. An admin key reaches those of every tenant.',
  405: 'The path does not take this method.',
  409: 'The session was erased while the call was under way.',
  413: 'The body is too large, the call holds too many values, or the restored answer is too large.',
  415: 'The body is neither JSON nor in an encoding that is taken.',
  500: 'The guardrail failed.',
  429: `The guardrail has more to do than it can answer in time (overloaded), or this call took too long (timeout). ${COUNTED_AS_REACHABLE}`,
  502: `The mapping store or the entity detector cannot be reached. ${COUNTED_AS_UNREACHABLE}`,
  503: `This instance is shutting down. ${COUNTED_AS_UNREACHABLE}`,
};

const SESSION_ID = {
  'x-session-id': {
    schema: { type: 'string' },
    description:
      'The session of the call, as DELETE /sessions/{session_id} takes it. On errors too, if the call was read.',
  },
};
const RETRY_AFTER = {
  'retry-after': { schema: { type: 'integer', minimum: 1 }, description: 'Seconds after which to try again.' },
};
/** After which statuses a caller learns when to try again. */
const RETRIED: readonly number[] = [429, 503];

/** The service in OpenAPI 3.1, made of the same schemas that read the calls. */
export function openApi(proxyNames: readonly string[], { playground }: { readonly playground: boolean }): Node {
  const guardPaths = proxyNames.map((name): [string, Node] => [guardPath(name), { post: guardOperation(name) }]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guardrail',
      version: '1',
      description: 'Replaces personal data in requests to a model by pseudonyms, and restores it in the answers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ apiKey: [] }],
    paths: {
      ...Object.fromEntries(guardPaths),
      '/v1/peer/check': {
        post: { ...peerOperation('peerCheck'), parameters: [teamParameter(), dialectParameter()] },
      },
      '/request': { post: peerOperation('peerRequest') },
      '/response': { post: peerOperation('peerResponse') },
      '/sessions/{session_id}': {
        parameters: [
          {
            name: 'session_id',
            in: 'path',
            required: true,
            schema: { type: 'string', minLength: 1 },
            description:
              'From the header x-session-id of a guard call, or from the command session-id with the identifiers of the call.',
          },
        ],
        get: operation('describeSession', 'Tells how much a session holds, and until when.', {
          200: answer('The session.', sessionSchema),
          ...errors(400, 401, 404, 502),
        }),
        delete: operation('eraseSession', "Erases a session of the caller's tenant. Repeating it is no error.", {
          200: answer('Whether this tenant had anything to erase.', deletedSchema),
          ...errors(400, 401, 502),
        }),
      },
      [ERASE_SUBJECT_PATH]: {
        post: {
          ...operation('eraseSubject', "Erases every session of one of the caller's end users.", {
            200: answer('How many sessions were erased.', erasedSchema),
            ...errors(400, 401, 403, 413, 415, 429, 502, 503),
          }),
          requestBody: body(eraseSubjectSchema),
        },
      },
      ...(playground ? playgroundPaths() : {}),
      '/healthz': {
        get: {
          ...operation('liveness', 'The process answers.', {
            200: answer('Alive.', z.object({ status: z.literal('ok') })),
          }),
          security: [],
        },
      },
      '/readyz': {
        get: {
          ...operation('readiness', 'What the service depends on answers too.', {
            200: answer('Ready.', readinessSchema),
            503: answer('Not ready: which dependency is down, and since when.', readinessSchema),
          }),
          security: [],
        },
      },
      '/openapi.json': {
        get: operation('openapi', 'This document.', {
          200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
          ...errors(401),
        }),
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
        ...(playground ? { basic: { type: 'http', scheme: 'basic' } } : {}),
      },
      schemas: { Error: schemaOf(errorSchema) },
    },
  };
}

function guardOperation(name: string): Node {
  const ok = answer('What to do; a request that is refused is no error.', basicResponseSchema);
  return {
    ...operation(`guard_${name}`, `Guards a call of the gateway ${name}, before and after the model.`, {
      200: {
        ...ok,
        headers: SESSION_ID,
      },
      ...errors(400, 401, 409, 413, 415, 429, 502, 503),
    }),
    requestBody: body(basicRequestSchema(name)),
  };
}

function playgroundPaths(): Node {
  const page = { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } };
  return {
    [PLAYGROUND_PATH]: {
      get: {
        ...operation('playground', 'A page on which to try the service.', { 200: page, ...errors(401) }),
        security: [{ apiKey: [] }, { basic: [] }],
      },
    },
    [DETECT_PATH]: {
      post: {
        ...operation('detect', 'Tells what is found in a text, and what the policy says of it.', {
          200: answer('What is found.', detectedSchema),
          ...errors(400, 401, 413, 415, 429, 502, 503),
        }),
        requestBody: body(detectSchema),
      },
    },
  };
}

/** The dialects are documented by the gateways that speak them. */
function peerOperation(operationId: string): Node {
  const anything = z.object({}).catchall(z.unknown());
  return {
    ...operation(operationId, "Guards a call of another gateway, in that gateway's own protocol.", {
      200: { ...answer('What to do, also where the guardrail failed.', anything), headers: SESSION_ID },
      ...errors(400, 401, 413, 415, 429, 503),
    }),
    description:
      `The header ${TEAM_HEADER} says on whose behalf the gateway calls; the gateway's configuration sets it, and two ` +
      'of its values never share a session. Within it, the session is what the header x-session-id names; without it, ' +
      'with Portkey, metadata.session_id, metadata.trace_id, metadata.conversation_id, metadata._user or user of the ' +
      'request, in this order, or else the one call; with agentgateway the trace of traceparent, or else all calls of ' +
      `that ${TEAM_HEADER}. Without the header, each call of Portkey has a session of its own, and agentgateway's calls ` +
      "have none: a request that holds personal data is refused. The end user, whose erasure erases the session, is Portkey's " +
      'metadata._user or user of the request; agentgateway names none.',
    parameters: [teamParameter()],
    security: [{ apiKey: [] }, { bearer: [] }],
    requestBody: body(anything),
  };
}

function teamParameter(): Node {
  const description = 'The identity that the gateway proves; its configuration sets it, and a client has no way to.';
  return { name: TEAM_HEADER, in: 'header', schema: { type: 'string' }, description };
}

function dialectParameter(): Node {
  const schema = { type: 'string', enum: PEER_ADAPTERS.map(({ dialect }) => dialect) };
  return { name: 'dialect', in: 'query', schema, description: 'Without it the body tells.' };
}

function operation(operationId: string, summary: string, responses: Node): Node {
  return { operationId, summary, responses };
}

function body(schema: z.ZodType): Node {
  return { required: true, content: { 'application/json': { schema: schemaOf(schema) } } };
}

function answer(description: string, schema: z.ZodType): Node {
  return { description, content: { 'application/json': { schema: schemaOf(schema) } } };
}

function errors(...statuses: number[]): Node {
  const reference = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: ERRORS[status] ?? 'An error.',
        ...(RETRIED.includes(status) ? { headers: RETRY_AFTER } : {}),
        content: reference,
      },
    ]),
  );
}

function schemaOf(schema: z.ZodType): Node {
  // Inputs are open to members that are not listed; JSON Schema says so by saying nothing.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Node;
  return rest;
}
