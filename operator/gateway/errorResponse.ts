/** Turns unsuccessful responses of the gateway into errors, and quotes them as it is safe for conditions, events and logs. Pure. */
import { z } from 'zod';
import { GatewayError, type GatewayErrorKind, type GatewayOperation } from './errors.ts';
import { explain, reportsDuplicate, reportsMissingCustomer, reportsMissingPath } from './litellmQuirks.ts';
import { customerRow, type ErrorBody, errorBody } from './schemas.ts';

/** The response to a call. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The call that received the response. */
export interface CallContext {
  readonly operation: GatewayOperation;
  /** The path of a call about a customer, with its query. */
  readonly path?: string;
  /** The customer that the call names, if any. */
  readonly customerId?: string | undefined;
  readonly masterKey: string;
  /** Values that must not be quoted. */
  readonly personal: readonly string[];
  /** Whether the gateway is known to be LiteLLM, whose 404 for a missing customer has a known message. */
  readonly isLiteLlm: boolean;
}

/** The remedy for a response that does not come from a gateway's admin API. */
export const wrongEndpointRemedy = "Check that spec.endpoint of the instance is the URL of the gateway's admin API.";

/** Completes a sentence with the gateway's message in quotation marks, if the response has one in its own format. */
export function withQuote(
  { masterKey, personal }: Pick<CallContext, 'masterKey' | 'personal'>,
  sentence: string,
  text: string,
): string {
  const quote = quoteGateway(text, masterKey, personal);
  return quote === '' ? `${sentence}.` : `${sentence}: "${quote}".`;
}

/** The delay that the gateway requests, in milliseconds; undefined if it requests none. */
export function retryAfterOf({ headers }: GatewayResponse): number | undefined {
  const header = headers['retry-after'];
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return undefined;
  const wait = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(wait, 0) : undefined;
}

/** Whether the gateway requests a pause. The client passes it to the rate limiter. */
export function isRateLimited(response: GatewayResponse): boolean {
  return response.status === 429 || (response.status === 503 && retryAfterOf(response) !== undefined);
}

/** The error for an unsuccessful response. Rate-limited responses (see {@link isRateLimited}) are handled elsewhere. */
export function errorOf(context: CallContext, response: GatewayResponse): GatewayError {
  const { operation } = context;
  const { status, text } = response;
  const body = errorBodyOf(text);
  const returned = `The gateway returned ${status} for ${operation}`;
  const fail = (kind: GatewayErrorKind, message: string): GatewayError =>
    new GatewayError(kind, operation, message, { status });

  if (status < 200 || (status >= 300 && status < 400)) {
    return fail(
      'terminal',
      `${returned}, a redirect that the operator does not follow. Set spec.endpoint of the instance to the gateway's own URL.`,
    );
  }
  if (reportsDuplicate(operation, status, body)) {
    return fail('alreadyExists', 'The gateway already has a customer with this id.');
  }
  if (status === 401 || status === 403) return forbidden(context, response, body);
  if (status === 404 || status === 405) return notFound(context, response, body);
  if (status >= 500 || status === 408 || status === 425) {
    return fail('transient', withQuote(context, returned, text) + explanation(text));
  }
  return fail('terminal', withQuote(context, returned, text) + explanation(text));
}

/**
 * The error for a success response whose body contains an error or another record; undefined if it contains neither.
 * @param id the record that the call is about
 */
export function contradictionOf(
  context: CallContext,
  response: GatewayResponse,
  id: { readonly field: 'user_id' | 'budget_id'; readonly value: string },
): GatewayError | undefined {
  const { operation } = context;
  const { status, text } = response;
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, detail, [id.field]: named } = body as Record<string, unknown>;
  if ((error ?? detail ?? null) !== null) {
    return new GatewayError(
      'terminal',
      operation,
      withQuote(context, `The gateway returned ${status} with an error for ${operation}`, text) + explanation(text),
      { status },
    );
  }
  if (typeof named !== 'string' || named === id.value) return undefined;
  const record = id.field === 'user_id' ? 'customer' : 'budget';
  return new GatewayError('transient', operation, `The gateway returned another ${record} for ${operation}.`, {
    status,
  });
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorBodyOf(text: string): ErrorBody | undefined {
  const parsed = errorBody.safeParse(parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

function explanation(text: string): string {
  const known = explain(text);
  return known === undefined ? '' : ` ${known}`;
}

/** A 403 that gives a reason other than the key, such as a forbidden address, does not mean that the key is wrong. */
function forbidden(context: CallContext, { status, text }: GatewayResponse, body: ErrorBody | undefined): GatewayError {
  const { operation } = context;
  const type = typeof body?.error === 'object' ? (body.error?.type ?? '') : '';
  if (status === 401 || anyMessage(text).trim() === '' || /auth|key|token/.test(type)) {
    return new GatewayError(
      'unauthorized',
      operation,
      `${withQuote(context, `The gateway rejects the master key (${status} for ${operation})`, text)} Store a key with admin rights in the Secret of spec.masterKeySecretRef of the instance.`,
      { status },
    );
  }
  const remedy =
    explain(text) ??
    'Allow the operator to call the admin API, with the key of spec.masterKeySecretRef of the instance and from its address.';
  return new GatewayError(
    'terminal',
    operation,
    `${withQuote(context, `The gateway forbids ${operation} (${status})`, text)} ${remedy}`,
    { status },
  );
}

function notFound(context: CallContext, { status, text }: GatewayResponse, body: ErrorBody | undefined): GatewayError {
  const { operation, customerId, isLiteLlm } = context;
  const mayBeCustomer = status === 404 && customerId !== undefined && operation !== 'POST /customer/new';
  if (mayBeCustomer && reportsMissingCustomer(customerId, body)) {
    return new GatewayError('notFound', operation, 'The gateway has no customer with this id.', { status });
  }
  const message = withQuote(context, `The gateway returned ${status} for ${operation}`, text);
  if (mayBeCustomer && !isLiteLlm && !reportsMissingPath(text, body)) {
    return new GatewayError('unconfirmed', operation, message, { status, answer: answerOf(context, text) });
  }
  return new GatewayError('terminal', operation, `${message} ${wrongEndpointRemedy}`, { status });
}

/** The gateway's message without the path of the call, so that the responses for two paths can be equal. */
function answerOf({ path = '' }: CallContext, text: string): string {
  const [withoutQuery = ''] = path.split('?');
  const paths = [path, withoutQuery].filter((each) => each !== '');
  return paths.reduce((message, each) => message.replaceAll(each, '…'), anyMessage(text));
}

/** The maximum length of a quote, in characters. */
const maxQuoteLength = 200;
/** How many characters of a response are read. The message is at the beginning. */
const maxReadLength = 2_000;
const mask = '…';

/**
 * The first line of the gateway's message: printable characters only, without markup, at most 200 characters. Keys, tokens,
 * e-mail addresses and the personal values of the call are masked. Only the message of LiteLLM's own error format is quoted:
 * whoever may write an instance can name any HTTP server as its gateway, also one that only the operator can reach.
 * @param text the body of the response
 * @param masterKey the key of the call
 * @param personal values of the customer, such as its id and its alias
 * @returns an empty string if the response contains no such message
 */
export function quoteGateway(text: string, masterKey: string, personal: readonly string[] = []): string {
  const line = firstLine(withoutMarkup(ownMessage(text)));
  return shorten(maskPersonal(maskSecrets(line, masterKey), personal));
}

/** The values of a request body that must not be quoted: ids, the alias, keys and values of metadata. */
export function personalValues(body: object | undefined): string[] {
  const { user_id, user_ids, alias, metadata } = (body ?? {}) as Record<string, unknown>;
  const strings = (value: unknown): string[] => {
    if (typeof value === 'string') return value === '' ? [] : [value];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => [
      ...(Array.isArray(value) ? [] : [name]),
      ...strings(inner),
    ]);
  };
  return [user_id, user_ids, alias, metadata].flatMap(strings);
}

/**
 * What a response says, as it is: the message of any server, to compare it with another one, or to see whether there is one.
 * It must not be shown. At most 2,000 characters.
 */
export function anyMessage(text: string): string {
  const json = parse(text.trim());
  return (json === undefined ? text : (messageIn(json) ?? '')).slice(0, maxReadLength);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields in which servers put an error message, the most specific first. */
const messageFields = ['error', 'detail', 'message', 'msg', 'error_description', 'title', 'reason', 'errors'] as const;

function messageIn(json: unknown, depth = 0): string | undefined {
  if (typeof json === 'string') return json.trim() === '' ? undefined : json;
  if (typeof json !== 'object' || json === null || depth > 4) return undefined;
  const values = Array.isArray(json) ? json : messageFields.map((field) => (json as Record<string, unknown>)[field]);
  for (const value of values) {
    const found = messageIn(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** LiteLLM's three error formats: of the customer API, of the budget API, and of the validation of a request. */
const ownFormat = z.union([
  z
    .object({
      error: z.object({
        message: z.string(),
        type: z.unknown(),
        param: z.unknown(),
        code: z.union([z.string(), z.number()]),
      }),
    })
    .refine(({ error }) => 'type' in error && 'param' in error)
    .transform(({ error }) => error.message),
  z.object({ detail: z.object({ error: z.string() }) }).transform(({ detail }) => detail.error),
  z
    .object({ detail: z.array(z.object({ type: z.string(), loc: z.array(z.unknown()), msg: z.string() })).min(1) })
    .transform(({ detail }) => detail.slice(0, 5).map(validationText).join('; ')),
]);

/** The message of LiteLLM's own error format; an empty string for any other response. */
function ownMessage(text: string): string {
  const parsed = ownFormat.safeParse(parse(text.trim()));
  if (!parsed.success) return '';
  // LiteLLM prints some errors as a Python dictionary.
  const dictionary = /^\{'error': (['"])(?<message>.*)\1\}$/s.exec(parsed.data)?.groups?.message;
  return (dictionary ?? parsed.data).slice(0, maxReadLength);
}

/** The text of one validation error: the message, with the field if its name is in the schema. */
function validationText({ loc, msg }: { readonly loc: readonly unknown[]; readonly msg: string }): string {
  const field = loc.filter((part): part is string => schemaWords.has(String(part))).join('.');
  return field === '' ? msg : `${field}: ${msg}`;
}

/** The names that may be quoted from `loc`. Any other part may be a metadata key of the request. */
const schemaWords = new Set([
  'body',
  'query',
  'end_user_id',
  'user_ids',
  'budgets',
  'id',
  'object_permission',
  'mcp_servers',
  'mcp_access_groups',
  'vector_stores',
  'agents',
  ...Object.keys(customerRow.shape),
]);

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Reduces an HTML page to its title, or to its text if it has no title. */
function withoutMarkup(text: string): string {
  if (!/<[a-z!/][^<>]*>/i.test(text)) return text;
  const title = /<title[^<>]*>(?<title>[^<]*)<\/title/i.exec(text)?.groups?.title?.trim() ?? '';
  const bare = text.replace(/<(script|style)\b[^<>]*>[^<]*/gi, ' ').replace(/<[^<>]*>/g, ' ');
  return (title === '' ? bare : title).replace(
    /&(?:#(\d{1,6})|([a-z]{2,5}));/gi,
    (all, code?: string, name?: string) =>
      code === undefined ? (entities[name?.toLowerCase() ?? ''] ?? all) : characterOf(Number(code)),
  );
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}

function firstLine(text: string): string {
  const line = text.split(/[\r\n\u2028\u2029]/).find((each) => each.trim() !== '') ?? '';
  return line
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
}

/** Patterns of possible secrets. LiteLLM repeats a rejected key and its hash. */
const secretForms: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[^\s"',;]+/gi,
  /\b(?:sk|pk|rk|gk|ghp|gho|glpat|xox[a-z]|AKIA|AIza)[-_][^\s"',;)]+/gi,
  /\beyJ[\w-]+(?:\.[\w-]+)*/g,
  /(?<=\/\/)[^\s/@]+@/g,
  /(?<=\b(?:api[-_ ]?key|access[-_ ]?key|token|secret|password|passwd|credential)s?["')\]]*\s*[=:]\s*["']?)[^\s"',;)]+/gi,
  // A long token with a digit and a letter. Model names such as gpt-4o-mini-2024-07-18 are shorter; words have no digit.
  /(?=[\w+/=~-]*\d)(?=[\w+/=~-]*[a-z])[\w+/=~-]{24,}/gi,
];

function maskSecrets(line: string, masterKey: string): string {
  const keys = masterKey === '' ? [] : [masterKey, encodeURIComponent(masterKey)];
  const bare = keys.reduce((text, key) => text.replaceAll(key, mask), line);
  return secretForms.reduce((text, form) => text.replace(form, mask), bare);
}

function maskPersonal(line: string, personal: readonly string[]): string {
  const forms = personal.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return longestFirst
    .reduce((text, value) => text.replace(wholeWord(value), mask), line)
    .replace(/[^\s"'<>()=,;:]+@[^\s"'<>()=,;:]+/g, mask);
}

/** Matches a value as a whole word only: an id such as "a" is not masked inside of words. */
function wholeWord(value: string): RegExp {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'giu');
}

function shorten(line: string): string {
  const quotable = line.replaceAll('"', "'").replace(/\s+/g, ' ').trim();
  const characters = Array.from(quotable);
  if (characters.length <= maxQuoteLength) return quotable;
  // Drops a value that the cut would split.
  const cut = characters.slice(0, maxQuoteLength - 1).join('');
  return `${cut.replace(/\s\S*$/, '')}…`;
}
