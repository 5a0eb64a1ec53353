/** Documentation of operations. Routes declare it beside their handlers. The OpenAPI document is generated from it. */
import * as z from 'zod';
import { ERRORS } from '../middleware/errors.ts';

export type JsonNode = Record<string, unknown>;

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters in braces: `/sessions/{session_id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** The groups of the operation in the document. */
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly parameters?: readonly JsonNode[];
  /** Default: the API key in its header. An empty list: no authentication. */
  readonly security?: readonly JsonNode[];
  readonly requestBody?: z.ZodType;
  readonly responses: Readonly<Record<number, DocumentedResponse>>;
  /** Statuses of the errors, whose codes and messages come from the table of errors. */
  readonly errors?: readonly ErrorStatus[];
  /** The schema of the errors, but that of 401. Default: {@link errorSchema}. */
  readonly errorBody?: z.ZodType;
}

export interface DocumentedResponse {
  readonly description: string;
  /** The schema of the body; or an OpenAPI `content` for a body that is not described by a schema. */
  readonly body: z.ZodType | JsonNode;
  readonly headers?: JsonNode;
}

type ErrorStatus = (typeof ERRORS)[keyof typeof ERRORS]['status'];

/** The format of every error. */
export const errorSchema = z.object({
  error: z.object({
    code: z.string().describe('Stable identifier in snake case.'),
    message: z.string().describe('A sentence for people.'),
    request_id: z.string(),
  }),
});

/** A header of responses to guardrail calls. */
export const SESSION_ID_HEADER: JsonNode = {
  'x-session-id': {
    schema: { type: 'string' },
    description: 'The session of the call, for /sessions/{session_id}. Also on errors after the call was parsed.',
  },
};

const RETRY_AFTER = {
  'retry-after': { schema: { type: 'integer', minimum: 1 }, description: 'Seconds to wait before the next attempt.' },
};
const RETRIED: readonly number[] = [429, 503];

const COUNTED_AS_UNREACHABLE =
  'A gateway may count this as "unreachable" and, if it is configured to fail open, send the unchecked request to the model.';
/** What a status means to a gateway. */
const CONSEQUENCES: Readonly<Partial<Record<number, string>>> = {
  429: 'LiteLLM does not count this as "unreachable": the call fails, even if LiteLLM is configured to fail open.',
  502: COUNTED_AS_UNREACHABLE,
  503: COUNTED_AS_UNREACHABLE,
};

/** The member `paths` of an OpenAPI document. */
export function pathsOf(operations: readonly Operation[]): JsonNode {
  const paths: Record<string, JsonNode> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = describe(operation);
  return paths;
}

export function schemaOf(schema: z.ZodType): JsonNode {
  // Inputs accept unlisted members, which is the default of JSON Schema.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as JsonNode;
  return rest;
}

function describe({
  method: _m,
  path: _p,
  requestBody,
  responses,
  errors = [],
  errorBody,
  ...rest
}: Operation): JsonNode {
  const documented = Object.entries(responses).map(([status, { description, body, headers }]) => [
    status,
    {
      description,
      ...(headers === undefined ? {} : { headers }),
      content: body instanceof z.ZodType ? { 'application/json': { schema: schemaOf(body) } } : body,
    },
  ]);
  return {
    ...rest,
    ...(requestBody === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(requestBody) } } } }),
    responses: Object.fromEntries([
      ...documented,
      ...errors.map((status) => [status, errorResponse(status, status === 401 ? undefined : errorBody)]),
    ]) as JsonNode,
  };
}

function errorResponse(status: number, body: z.ZodType | undefined): JsonNode {
  const codes = Object.entries(ERRORS)
    .filter(([, error]) => error.status === status)
    .map(([code, { message }]) => `- \`${code}\`: ${message.replace('{limit}', 'N')}`);
  const consequence = CONSEQUENCES[status];
  return {
    description: [...codes, ...(consequence === undefined ? [] : ['', consequence])].join('\n'),
    ...(RETRIED.includes(status) ? { headers: RETRY_AFTER } : {}),
    content: { 'application/json': { schema: body ? schemaOf(body) : { $ref: '#/components/schemas/Error' } } },
  };
}
