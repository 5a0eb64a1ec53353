import type Router from '@koa/router';
import { authenticatedRouter } from '../middleware/authentication.ts';
import type { AuthenticatedState } from '../middleware/context.ts';
import { healthOperations } from '../routes/health.ts';
import { presidioOperations } from '../routes/presidioRoutes.ts';
import { playgroundOperations } from '../playground/playground.ts';
import { configurationOperations } from '../routes/configuration.ts';
import { explainOperations } from '../routes/explain.ts';
import { restoreOperations } from '../routes/restore/restoreRoute.ts';
import { sessionOperations } from '../routes/sessionRoutes.ts';
import { guardOperation, gatewayOperations } from './gatewayOperations.ts';
import { errorSchema, pathsOf, schemaOf, type JsonNode, type Operation } from './operation.ts';

export interface OpenApiOptions {
  readonly playground: boolean;
  /** Whether the service answers Presidio's API. */
  readonly presidio: boolean;
  readonly restore: boolean;
}

const OPENAPI_PATH = '/openapi.json';

const documentOperation: Operation = {
  method: 'get',
  path: OPENAPI_PATH,
  operationId: 'openapi',
  summary: 'Returns this document.',
  responses: { 200: { description: 'OpenAPI 3.1.', body: { 'application/json': { schema: { type: 'object' } } } } },
  errors: [401],
};

/** Serves the OpenAPI document of the service. */
export function openApiRoute(proxyNames: readonly string[], options: OpenApiOptions): Router<AuthenticatedState> {
  const document = openApi(proxyNames, options);
  const router = authenticatedRouter();
  router.get(OPENAPI_PATH, (context) => {
    context.body = document;
  });
  return router;
}

/** Operations that belong together: a tag of the document. */
interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

function operationGroups(
  proxyNames: readonly string[],
  { playground, presidio, restore }: OpenApiOptions,
): OperationGroup[] {
  const groups: readonly OperationGroup[] = [
    {
      name: 'Gateways',
      description: 'Checks calls before and after the model, in the format of each gateway.',
      operations: [...proxyNames.map(guardOperation), ...gatewayOperations],
    },
    { name: 'Sessions', description: 'Reads and erases mappings.', operations: sessionOperations },
    {
      name: 'Administration',
      description: 'Reports what is in force, and what a call would lead to. Requires an admin key.',
      operations: [...configurationOperations, ...explainOperations],
    },
    {
      name: 'Restore',
      description: 'Gives tools the values of pseudonyms.',
      operations: restore ? restoreOperations : [],
    },
    {
      name: 'Playground',
      description: 'Serves the page and its calls.',
      operations: playground ? playgroundOperations : [],
    },
    { name: 'Presidio', description: "Answers Presidio's API.", operations: presidio ? presidioOperations : [] },
    {
      name: 'Service',
      description: 'Answers probes, and describes the API.',
      operations: [...healthOperations, documentOperation],
    },
  ];
  return groups.filter(({ operations }) => operations.length > 0);
}

/** The service in OpenAPI 3.1, from the operations that the routes declare and the schemas that validate requests. */
function openApi(proxyNames: readonly string[], options: OpenApiOptions): JsonNode {
  const { playground, presidio } = options;
  const groups = operationGroups(proxyNames, options);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guardrail',
      version: '1',
      description: 'Replaces personal data in requests to a model by pseudonyms, and restores it in the responses.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ apiKey: [] }],
    tags: groups.map(({ name, description }) => ({ name, description })),
    paths: pathsOf(groups.flatMap(({ name, operations }) => operations.map((each) => ({ ...each, tags: [name] })))),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
        ...(playground || presidio ? { basic: { type: 'http', scheme: 'basic' } } : {}),
      },
      schemas: { Error: schemaOf(errorSchema) },
    },
  };
}
