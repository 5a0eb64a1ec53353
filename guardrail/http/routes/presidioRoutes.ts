import Router from '@koa/router';
import type { Logger } from 'pino';
import * as z from 'zod';
import { inSlices } from '../../eventLoop.ts';
import { TEAM_HEADER } from '../../gateways/gateways.ts';
import {
  analyzeSchema,
  anonymize,
  ANONYMIZERS,
  deanonymize,
  DEANONYMIZERS,
  PresidioError,
  type PresidioAnalyzer,
} from '../../presidioApi/presidioApi.ts';
import { authenticatedRouter } from '../middleware/authentication.ts';
import { recordEntities } from '../middleware/callRecord.ts';
import type { AuthenticatedContext, AuthenticatedState, CallMiddleware, CallState } from '../middleware/context.ts';
import { withDeadline } from '../middleware/deadline.ts';
import { asServiceError, logError } from '../middleware/errorBoundary.ts';
import type { Metrics } from '../middleware/metrics.ts';
import type { JsonNode, Operation } from '../openapi/operation.ts';

export interface PresidioRouteOptions {
  readonly analyzer: PresidioAnalyzer;
  /** The languages of the service, for `?language=`. */
  readonly languages: readonly string[];
  /** The names of what finds entities. */
  readonly recognizers: readonly string[];
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Middleware that admits the call and reads its body. */
  readonly preHandlers: readonly CallMiddleware[];
}

const PATHS = {
  analyze: '/analyze',
  supportedEntities: '/supportedentities',
  recognizers: '/recognizers',
  anonymize: '/anonymize',
  anonymizers: '/anonymizers',
  deanonymize: '/deanonymize',
  deanonymizers: '/deanonymizers',
} as const;
const HEALTH_PATH = '/health';

/** The paths that need a key. */
export const PRESIDIO_PATHS: ReadonlySet<string> = new Set(Object.values(PATHS));

const errorSchema = z.object({ error: z.string().describe('A sentence for people.') });
const resultSchema = z.object({
  analysis_explanation: z
    .object({
      recognizer: z.string().describe('One of the names of GET /recognizers.'),
      original_score: z.number(),
      pattern_name: z.string().describe('The rule that decided.'),
      pattern: z.null(),
      validation_result: z.null(),
      textual_explanation: z.string(),
      regex_flags: z.null(),
      score: z.number(),
      score_context_improvement: z.number(),
      supportive_context_word: z.string().describe('A word of the text without which the value would not be found.'),
    })
    .nullable()
    .describe('null without return_decision_process.'),
  end: z.int().min(0).describe('Index after the last code point.'),
  entity_type: z.string(),
  score: z.number().min(0).max(1),
  start: z.int().min(0).describe('Index of the first code point.'),
});
const positionSchema = z.object({
  start: z.int().min(0).describe('Index of the first code point.'),
  end: z.int().min(0).describe('Index after the last code point.'),
  entity_type: z.string().min(1),
});
const operatorsSchema = z
  .record(z.string(), z.looseObject({ type: z.string().min(1).describe('The name of the operator.') }))
  .nullish()
  .describe('The operator of each entity type, and its parameters. DEFAULT is that of all others.');
const anonymizeSchema = z.object({
  text: z.string().optional(),
  analyzer_results: z.array(positionSchema.extend({ score: z.number() })),
  anonymizers: operatorsSchema,
});
const deanonymizeSchema = z
  .object({
    text: z.string().optional(),
    anonymizer_results: z.array(positionSchema).nullish(),
    deanonymizers: operatorsSchema,
  })
  .meta({ minProperties: 1 });
const engineSchema = z.object({
  text: z.string(),
  items: z
    .array(positionSchema.extend({ text: z.string(), operator: z.string(), score: z.number().nullable() }))
    .describe('From the last to the first, with positions in the new text.'),
});
const namesSchema = z.array(z.string());

const SECURITY: readonly JsonNode[] = [{ apiKey: [] }, { bearer: [] }, { basic: [] }];
const LANGUAGE_PARAMETER: JsonNode = {
  name: 'language',
  in: 'query',
  schema: { type: 'string' },
  description: 'A language of GUARDRAIL_LANGUAGES. Default: all of them.',
};
const TEAM_PARAMETER: JsonNode = {
  name: TEAM_HEADER,
  in: 'header',
  schema: { type: 'string' },
  description: 'The team whose policy applies. Only a configuration may set this header, not its clients.',
};

function postOperation(
  operation: Pick<Operation, 'path' | 'operationId' | 'summary' | 'requestBody' | 'parameters'>,
  answer: z.ZodType,
  wrong?: 422,
): Operation {
  return {
    method: 'post',
    security: SECURITY,
    responses: {
      200: { description: 'The answer of Presidio.', body: answer },
      ...(wrong && { [wrong]: { description: 'A parameter is wrong, as in Presidio.', body: errorSchema } }),
    },
    errors: [400, 401, 413, 415, 429, 502, 503],
    errorBody: errorSchema,
    ...operation,
  };
}

function listOperation(path: string, operationId: string, summary: string, isOfAnalyzer: boolean): Operation {
  return {
    method: 'get',
    path,
    operationId,
    summary,
    security: SECURITY,
    ...(isOfAnalyzer ? { parameters: [LANGUAGE_PARAMETER] } : {}),
    responses: { 200: { description: 'Their names.', body: namesSchema } },
    errors: isOfAnalyzer ? [400, 401] : [401],
    errorBody: errorSchema,
  };
}

/** Present if the service answers Presidio's API. */
export const presidioOperations: readonly Operation[] = [
  postOperation(
    {
      path: PATHS.analyze,
      operationId: 'presidioAnalyze',
      summary: 'Finds entities in texts.',
      parameters: [TEAM_PARAMETER],
      requestBody: analyzeSchema,
    },
    z.union([z.array(resultSchema), z.array(z.array(resultSchema))]),
  ),
  postOperation(
    {
      path: PATHS.anonymize,
      operationId: 'presidioAnonymize',
      summary: 'Replaces entities in a text by operators.',
      requestBody: anonymizeSchema,
    },
    engineSchema,
    422,
  ),
  postOperation(
    {
      path: PATHS.deanonymize,
      operationId: 'presidioDeanonymize',
      summary: 'Reverses operators in a text.',
      requestBody: deanonymizeSchema,
    },
    engineSchema,
    422,
  ),
  listOperation(PATHS.supportedEntities, 'presidioSupportedEntities', 'Lists the types of results.', true),
  listOperation(PATHS.recognizers, 'presidioRecognizers', 'Lists what finds entities.', true),
  listOperation(PATHS.anonymizers, 'presidioAnonymizers', 'Lists the operators of the anonymizer.', false),
  listOperation(PATHS.deanonymizers, 'presidioDeanonymizers', 'Lists the operators of the deanonymizer.', false),
  {
    method: 'get',
    path: HEALTH_PATH,
    operationId: 'presidioHealth',
    summary: 'Reports that the process runs.',
    security: [],
    responses: { 200: { description: 'The process runs.', body: { 'text/plain': { schema: { type: 'string' } } } } },
  },
];

/** Answers Presidio's health probe, which has no key. */
export function presidioHealthRoute(): Router<CallState> {
  const router = new Router<CallState>();
  router.get(HEALTH_PATH, (context) => {
    context.body = 'Presidio Analyzer service is up';
  });
  return router;
}

/** Serves the REST API of Presidio's analyzer and anonymizer. Nothing is stored: these calls have no session. */
export function presidioRoutes(options: PresidioRouteOptions): Router<AuthenticatedState> {
  const { analyzer, languages, recognizers, metrics, logger, preHandlers } = options;
  const router = authenticatedRouter();
  const inPresidiosFormat = presidioErrors(logger);
  const post = (path: string, answer: (context: AuthenticatedContext) => Promise<object> | object): void => {
    router.post(path, inPresidiosFormat, ...preHandlers, async (context) => {
      context.state.log.dialect = 'presidio';
      context.body = await answer(context);
    });
  };
  const get = (path: string, answer: () => readonly string[], isOfAnalyzer = true): void => {
    router.get(path, inPresidiosFormat, (context) => {
      const { language } = context.query;
      if (isOfAnalyzer && language !== undefined && !languages.includes(String(language))) {
        throw new PresidioError(400, 'No matching recognizers were found to serve the request.');
      }
      context.body = answer();
    });
  };

  post(PATHS.analyze, async (context) => {
    const team = context.get(TEAM_HEADER) || undefined;
    const { tenant, body } = context.state;
    // Without a team, nobody knows whose texts these are: detection remembers none of them.
    const scope = team && JSON.stringify([tenant, 'team', team]);
    const { answer, counts } = await withDeadline(context, (signal) =>
      analyzer.analyze(body, { tenant, team, scope, signal }),
    );
    recordEntities(context.state, counts, metrics);
    return answer;
  });
  post(PATHS.anonymize, ({ state }) => inSlices(anonymize(state.body)));
  post(PATHS.deanonymize, ({ state }) => inSlices(deanonymize(state.body)));
  get(PATHS.supportedEntities, () => analyzer.supportedEntities());
  get(PATHS.recognizers, () => recognizers);
  get(PATHS.anonymizers, () => [...ANONYMIZERS.keys()], false);
  get(PATHS.deanonymizers, () => [...DEANONYMIZERS.keys()], false);
  return router;
}

/** Answers errors as Presidio does: `{"error": message}`. */
function presidioErrors(logger: Logger): CallMiddleware {
  return async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = thrown instanceof PresidioError ? thrown : asServiceError(thrown);
      if (error instanceof PresidioError) context.state.log.error = 'invalid_field';
      else {
        logError(logger, context, error, thrown);
        context.set(error.headers);
      }
      context.status = error.status;
      context.body = { error: error.message };
    }
  };
}
