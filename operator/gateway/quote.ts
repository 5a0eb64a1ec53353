/** Quotes the gateway's responses in a form that is safe for conditions, events and logs. */
import { z } from 'zod';
import { customerRow } from './schemas.ts';

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
