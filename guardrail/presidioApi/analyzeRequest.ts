/** The requests of Presidio's analyzer. */
import * as z from 'zod';
import { isObject, MAX_TEXTS, parseFields } from '../gateways/gateways.ts';
import {
  adHocRecognizerSchema,
  longestOf,
  lowerCased,
  recognizerOf,
  type AdHocRecognizer,
} from './adHocRecognizers.ts';
import { allowListOf, type AllowList } from './allowList.ts';
import { PresidioError } from './errors.ts';
import { DEFAULT_FLAGS } from './flags.ts';

const NAME = 100;
const WORD = 200;

/** The most patterns of a request. Each is compiled, which takes up to some milliseconds. */
export const MAX_PATTERNS = 100;
/** The most values in the deny lists of a request. Compiling them takes about a fifth of a second, in steps. */
export const MAX_DENIED = 100_000;
/** The most pairs of a context word of the request and one of its recognizers. Comparing them takes about a tenth of a second. */
export const MAX_CONTEXT_PAIRS = 100_000;
/** The most steps that the patterns and words of a request may take, which is about half a second of the processor. */
export const MAX_STEPS = 25_000_000;

export const analyzeSchema = z.object({
  text: z
    .union([z.string(), z.array(z.string()).max(MAX_TEXTS)])
    .describe('A text, or several: the answer then has a list of results for each.'),
  language: z.string().describe('A language of GUARDRAIL_LANGUAGES.'),
  entities: z
    .array(z.string().max(NAME))
    .max(500)
    .nullish()
    .describe('The types to report. Default: those that the policy does not ignore.'),
  correlation_id: z.unknown().optional().describe('Has no effect: the header x-request-id names a call.'),
  score_threshold: z.number().nullish().describe('The lowest score of a result.'),
  return_decision_process: z.boolean().nullish().describe('Whether analysis_explanation says why each result is one.'),
  ad_hoc_recognizers: z
    .array(adHocRecognizerSchema)
    .max(200)
    .nullish()
    .describe('Recognizers for this call, with patterns in RE2 syntax.'),
  context: z
    .array(z.string().max(WORD))
    .max(1000)
    .nullish()
    .describe('Context words for the recognizers of this call.'),
  allow_list: z.array(z.string().max(1000)).max(10_000).nullish().describe('Values that are not reported.'),
  allow_list_match: z.enum(['exact', 'regex']).nullish().describe('Default: exact.'),
  regex_flags: z.int().nullish().describe('The flags of Python for allow_list. Default: 26, which ignores case.'),
});

export interface AnalyzeRequest {
  readonly texts: readonly string[];
  /** Whether the answer is a list for each text. */
  readonly isBatch: boolean;
  /** The types to report; undefined: those that the policy does not ignore. */
  readonly entities: ReadonlySet<string> | undefined;
  readonly scoreThreshold: number;
  /** Whether each result is explained. */
  readonly isExplained: boolean;
  readonly recognizers: readonly AdHocRecognizer[];
  readonly allowList: AllowList;
}

export interface KnownValues {
  /** The languages of the service. */
  readonly languages: readonly string[];
  /** The types that the service finds, by our names and Presidio's. */
  readonly types: ReadonlySet<string>;
}

const NOBODY = 'No matching recognizers were found to serve the request.';

/** Reads a request. @throws PresidioError | FieldError */
export function readAnalyzeRequest(body: unknown, known: KnownValues): AnalyzeRequest {
  // Presidio's answers, and their order.
  if (isObject(body) && isMissing(body.text)) throw new PresidioError(400, 'No text provided');
  if (isObject(body) && isMissing(body.language)) throw new PresidioError(400, 'No language provided');
  if (isObject(body) && !isText(body.text)) {
    throw new PresidioError(400, 'text must be a string or an array of strings.');
  }
  const fields = parseFields(analyzeSchema, body);
  if (!known.languages.includes(fields.language)) throw new PresidioError(400, NOBODY);
  requireFewPatterns(fields);
  requireFewDenied(fields);
  requireFewContextWords(fields);
  const context = lowerCased(fields.context ?? []);
  const recognizers = (fields.ad_hoc_recognizers ?? [])
    .map((recognizer, index) => recognizerOf(recognizer, context, `ad_hoc_recognizers[${index}]`))
    .filter(({ language }) => language === fields.language);
  const entities = fields.entities?.length ? new Set(fields.entities) : undefined;
  const isFound = (type: string): boolean => known.types.has(type) || recognizers.some((own) => own.type === type);
  if (entities && ![...entities].some(isFound)) throw new PresidioError(400, NOBODY);
  const { allow_list: allowed, allow_list_match: match, regex_flags: flags } = fields;
  const request: AnalyzeRequest = {
    texts: typeof fields.text === 'string' ? [fields.text] : fields.text,
    isBatch: typeof fields.text !== 'string',
    entities,
    scoreThreshold: fields.score_threshold ?? 0,
    isExplained: fields.return_decision_process ?? false,
    recognizers,
    allowList: allowListOf(allowed ?? [], match ?? 'exact', flags ?? DEFAULT_FLAGS),
  };
  requireFewSteps(request);
  return request;
}

function requireFewPatterns(fields: z.output<typeof analyzeSchema>): void {
  const own = (fields.ad_hoc_recognizers ?? []).reduce((sum, { patterns }) => sum + (patterns?.length ?? 0), 0);
  const allowed = fields.allow_list_match === 'regex' ? (fields.allow_list?.length ?? 0) : 0;
  if (own + allowed > MAX_PATTERNS) {
    throw new PresidioError(400, `ad_hoc_recognizers and allow_list have more than ${MAX_PATTERNS} patterns.`);
  }
}

function requireFewDenied({ ad_hoc_recognizers: recognizers }: z.output<typeof analyzeSchema>): void {
  const denied = (recognizers ?? []).reduce((sum, { deny_list: values }) => sum + (values?.length ?? 0), 0);
  if (denied > MAX_DENIED)
    throw new PresidioError(400, `ad_hoc_recognizers have more than ${MAX_DENIED} denied values.`);
}

function requireFewContextWords({ ad_hoc_recognizers, context }: z.output<typeof analyzeSchema>): void {
  const words = (ad_hoc_recognizers ?? []).reduce((sum, recognizer) => sum + (recognizer.context?.length ?? 0), 0);
  if (words * (context?.length ?? 0) > MAX_CONTEXT_PAIRS) {
    throw new PresidioError(
      400,
      `context and the context of ad_hoc_recognizers have more than ${MAX_CONTEXT_PAIRS} pairs of words.`,
    );
  }
}

function requireFewSteps({ texts, recognizers, allowList }: AnalyzeRequest): void {
  // All deny lists are one search.
  const denied = longestOf(recognizers.flatMap(({ deny }) => deny.map(({ value }) => value)));
  const size = recognizers.reduce((sum, recognizer) => sum + recognizer.size, allowList.size + denied);
  if (size * texts.reduce((sum, text) => sum + text.length, 0) > MAX_STEPS) {
    throw new PresidioError(
      400,
      'The patterns and words of the request are too large for texts of this length. Split the texts.',
    );
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
}

/** What Python counts as false. */
function isMissing(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}
