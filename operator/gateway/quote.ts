/** Quotes what a gateway says in an answer, in a form that is fit for conditions, events and logs. */
import { customerRow } from './schemas.ts';

/** A condition is for people: what is longer is cut, in characters. */
const longestQuote = 200;
/** No more of an answer than this is looked at, in characters: the words that matter stand at its beginning. */
const longestLookedAt = 2_000;
const withheldMark = '…';

/**
 * The first line of what a gateway says: printable characters only, without markup, at most 200 characters. Keys and
 * tokens are left out, and so are e-mail addresses and the values that the call itself named.
 * @param text the body of the answer
 * @param masterKey the key of the call
 * @param personal values of the customer, such as its id and its alias
 * @returns an empty string where the gateway says nothing
 */
export function quoteGateway(text: string, masterKey: string, personal: readonly string[] = []): string {
  const line = firstLine(withoutMarkup(messageOf(text)));
  return shorten(withoutPersonal(withoutSecrets(line, masterKey), personal));
}

/** Values that must not be quoted, as they occur in the body of a request: ids, the alias, keys and values of metadata. */
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

function messageOf(text: string): string {
  const json = parse(text.trim());
  if (json === undefined) return text.slice(0, longestLookedAt);
  const said = messageIn(json) ?? '';
  // LiteLLM prints some errors as a dictionary of Python.
  const dictionary = /^\{'error': (['"])(?<said>.*)\1\}$/s.exec(said)?.groups?.said;
  return (dictionary ?? said).slice(0, longestLookedAt);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where gateways put the message of an error, the most specific first. */
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

/** One complaint of a validation: the field, as far as it is a name and not a value, and the message. */
function entryText(entry: unknown, depth: number): string | undefined {
  const message = messageIn(entry, depth + 1);
  const loc = (entry as { loc?: unknown } | null)?.loc;
  if (message === undefined || !Array.isArray(loc)) return message;
  const field = loc.filter((part): part is string => schemaWords.has(String(part))).join('.');
  return field === '' ? message : `${field}: ${message}`;
}

/** Names that may occur as a part of `loc`: whatever else stands there may have been sent by us as a key of metadata. */
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

/** A page is told by its title, or by its first words where it has none. */
function withoutMarkup(text: string): string {
  if (!/<[a-z!/][^<>]*>/i.test(text)) return text;
  const title = /<title[^<>]*>(?<said>[^<]*)<\/title/i.exec(text)?.groups?.said?.trim() ?? '';
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

/** Whatever may be a key: LiteLLM repeats the key that it refuses, and its hash. */
const secretForms: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[^\s"',;]+/gi,
  /\b(?:sk|pk|rk|gk|ghp|gho|glpat|xox[a-z]|AKIA|AIza)[-_][^\s"',;)]+/gi,
  /\beyJ[\w-]+(?:\.[\w-]+)*/g,
  /(?<=\/\/)[^\s/@]+@/g,
  /(?<=\b(?:api[-_ ]?key|access[-_ ]?key|token|secret|password|passwd|credential)s?["')\]]*\s*[=:]\s*["']?)[^\s"',;)]+/gi,
  // A name such as gpt-4o-mini-2024-07-18 is shorter, and one without a digit is a word.
  /(?=[\w+/=~-]*\d)(?=[\w+/=~-]*[a-z])[\w+/=~-]{24,}/gi,
];

function withoutSecrets(line: string, masterKey: string): string {
  const keys = masterKey === '' ? [] : [masterKey, encodeURIComponent(masterKey)];
  const bare = keys.reduce((text, key) => text.replaceAll(key, withheldMark), line);
  return secretForms.reduce((text, form) => text.replace(form, withheldMark), bare);
}

function withoutPersonal(line: string, personal: readonly string[]): string {
  const forms = personal.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return longestFirst
    .reduce((text, value) => text.replace(asToken(value), withheldMark), line)
    .replace(/[^\s"'<>()=,;:]+@[^\s"'<>()=,;:]+/g, withheldMark);
}

/** An id such as "a" is left out where it stands alone, not inside of words. */
function asToken(value: string): RegExp {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'giu');
}

function shorten(line: string): string {
  const quotable = line.replaceAll('"', "'").replace(/\s+/g, ' ').trim();
  const characters = Array.from(quotable);
  if (characters.length <= longestQuote) return quotable;
  // A value that the cut goes through is left out as a whole.
  const cut = characters.slice(0, longestQuote - 1).join('');
  return `${cut.replace(/\s\S*$/, '')}…`;
}
