/** Quotes the gateway's responses in a form that is safe for conditions, events and logs. */
import { customerRow } from './schemas.ts';

/** The maximum length of a quote, in characters. */
const maxQuoteLength = 200;
/** How many characters of a response are read. The message is at the beginning. */
const maxReadLength = 2_000;
const mask = '…';

/**
 * The first line of the gateway's message: printable characters only, without markup, at most 200 characters. Keys, tokens,
 * e-mail addresses and the personal values of the call are masked.
 * @param text the body of the response
 * @param masterKey the key of the call
 * @param personal values of the customer, such as its id and its alias
 * @returns an empty string if the response contains no message
 */
export function quoteGateway(text: string, masterKey: string, personal: readonly string[] = []): string {
  const line = firstLine(withoutMarkup(gatewayMessage(text)));
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

/** The gateway's message as it is, to compare it with another one. It must not be shown. At most 2,000 characters. */
export function gatewayMessage(text: string): string {
  const json = parse(text.trim());
  if (json === undefined) return text.slice(0, maxReadLength);
  const message = messageIn(json) ?? '';
  // LiteLLM prints some errors as a Python dictionary.
  const dictionary = /^\{'error': (['"])(?<message>.*)\1\}$/s.exec(message)?.groups?.message;
  return (dictionary ?? message).slice(0, maxReadLength);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields in which gateways put an error message, the most specific first. */
const messageFields = ['error', 'detail', 'message', 'msg', 'error_description', 'title', 'reason', 'errors'] as const;

function messageIn(json: unknown, depth = 0): string | undefined {
  if (typeof json === 'string') return json.trim() === '' ? undefined : json;
  if (typeof json !== 'object' || json === null || depth > 4) return undefined;
  if (Array.isArray(json)) {
    const entries = json.slice(0, 5).flatMap((entry) => entryText(entry, depth) ?? []);
    return entries.length === 0 ? undefined : entries.join('; ');
  }
  const object = json as Record<string, unknown>;
  for (const field of messageFields) {
    const found = messageIn(object[field], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The text of one validation error: the message, with the field if its name is in the schema. */
function entryText(entry: unknown, depth: number): string | undefined {
  const message = messageIn(entry, depth + 1);
  const loc = (entry as { loc?: unknown } | null)?.loc;
  if (message === undefined || !Array.isArray(loc)) return message;
  const field = loc.filter((part): part is string => schemaWords.has(String(part))).join('.');
  return field === '' ? message : `${field}: ${message}`;
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
