import type { Json } from './pseudonymization.ts';
import { MEDIA_ADDRESS_KEYS, MEDIA_TYPE_KEYS } from './media.ts';

/**
 * `text` is read by the model as it is; `arguments` is JSON that must stay JSON; `thought` is what the model wrote itself
 * and its provider may have signed.
 *
 * A provider refuses a thought that does not match its signature, so what reaches it must be what the model once wrote,
 * byte for byte. The model wrote pseudonyms. Where the gateway restored them for the client, the values become the same
 * pseudonyms again, since those are deterministic. Where it did not, they are still there and stay: a pseudonym in a
 * thought is the session's own, not text that a client typed. A thought in which the model itself came up with personal
 * data, or wrote a pseudonym in another form, does not match: the provider refuses the request rather than be sent it.
 */
export type StringKind = 'text' | 'arguments' | 'thought';
export type Rewrite = (text: string, kind: StringKind) => string;

/** A document nested deeper than any real one, which would exhaust the stack: 400 to the caller. */
export class DocumentTooDeepError extends Error {
  override readonly name = 'DocumentTooDeepError';
  /** @param field as the gateway calls it */
  constructor(field: string) {
    super(`${field} must not be nested more than ${MAX_NESTING} levels deep.`);
  }
}

/** The lists of a call, as its gateway names them. */
type Field = 'structured_messages' | 'tools' | 'tool_calls';
/** Thrown where the depth is noticed, which is not where the field is known. */
class TooDeep extends Error {}

const MAX_NESTING = 256;

/** Keys of a provider's signatures; the text beside one is signed. */
const SIGNATURES = [
  'signature',
  'thought_signature',
  'thought_signatures',
  'thoughtSignature',
  'response_thought_signature',
] as const;

/**
 * The strings in messages that are never touched, whatever they hold, since the provider reads them and not the model,
 * and would refuse the request or do another thing:
 *
 * | keys | why |
 * |---|---|
 * | role, type, status, model, object, phase, format, detail, media_type, mime_type, mimeType, finish_reason, stop_reason | words of the protocol |
 * | id, every key that ends in _id | identifiers that tie a tool's result to its call |
 * | name | names of functions; a participant's name may hold letters, digits, _ and - only |
 * | file_data, file_uri, fileUri, url; data except in a source of type text; blob beside a media type; all in image_url, input_audio | images, sound and files: not text |
 * | signature, thought_signature(s), thoughtSignature, response_thought_signature, encrypted_content | signatures, and what the provider encrypted |
 * | all in cache_control | words of the protocol |
 *
 * Every other string is text, under unknown keys too. What a tool is given or has given back as an object ({@link DATA})
 * is data: there every string, number and key counts.
 */
const UNTOUCHED = new Set<string>([
  ...['role', 'type', 'status', 'model', 'object', 'phase', 'format', 'detail', ...MEDIA_TYPE_KEYS],
  ...['finish_reason', 'stop_reason', 'id', 'name', 'file_data', ...MEDIA_ADDRESS_KEYS, 'url'],
  'encrypted_content',
  ...SIGNATURES,
]);
const UNTOUCHED_TREES = new Set(['image_url', 'input_audio', 'cache_control']);
const DATA = new Set(['arguments', 'input', 'args', 'output', 'response', 'json']);

/** In a tool's definition names and JSON Schema's own words stay; descriptions, titles, examples and enums are text. */
const UNTOUCHED_IN_TOOLS = new Set([
  ...['name', 'type', 'required', 'format', 'pattern', 'strict', 'cache_control', 'id', 'server_url', 'authorization'],
  ...['$ref', '$id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor'],
]);

/** Messages, or tool calls, with every string that reaches the model rewritten. What is not changed is the same object. */
export function rewriteMessages(messages: readonly Json[], rewrite: Rewrite, field: Field): Json[] {
  return naming(field, () => messages.map((message) => rewriteMessage(message, undefined, undefined, rewrite, 0)));
}

export function rewriteTools(tools: readonly Json[], rewrite: Rewrite): Json[] {
  return naming('tools', () => tools.map((tool) => rewriteTool(tool, undefined, rewrite, 0)));
}

function naming<T>(field: Field, walk: () => T): T {
  try {
    return walk();
  } catch (error) {
    throw error instanceof TooDeep ? new DocumentTooDeepError(field) : error;
  }
}

type JsonObject = Record<string, Json>;

function rewriteMessage(
  value: Json,
  key: string | undefined,
  parent: JsonObject | undefined,
  rewrite: Rewrite,
  nesting: number,
): Json {
  if (typeof value === 'string') {
    if (key !== undefined && isUntouched(key, parent)) return value;
    return rewrite(value, key === 'arguments' ? 'arguments' : isThought(key, parent) ? 'thought' : 'text');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (key !== undefined && UNTOUCHED_TREES.has(key)) return value;
  if (!Array.isArray(value) && isData(key, value)) return rewriteData(value, rewrite);
  return rewriteChildren(value, nesting, (child, childKey) =>
    rewriteMessage(child, childKey ?? key, Array.isArray(value) ? parent : value, rewrite, nesting + 1),
  );
}

function isUntouched(key: string, parent: JsonObject | undefined): boolean {
  if (UNTOUCHED.has(key) || UNTOUCHED_TREES.has(key) || key.endsWith('_id')) return true;
  if (key === 'data') return parent?.type !== 'text';
  return key === 'blob' && MEDIA_TYPE_KEYS.some((name) => typeof parent?.[name] === 'string');
}

function isThought(key: string | undefined, parent: JsonObject | undefined): boolean {
  return key === 'thinking' || (key === 'text' && SIGNATURES.some((name) => typeof parent?.[name] === 'string'));
}

/** A tool's result can also be an object for content: one that is no content part. */
function isData(key: string | undefined, value: JsonObject): boolean {
  return key !== undefined && (DATA.has(key) || (key === 'content' && typeof value.type !== 'string'));
}

function rewriteTool(value: Json, key: string | undefined, rewrite: Rewrite, nesting: number): Json {
  if (typeof value === 'string')
    return key !== undefined && UNTOUCHED_IN_TOOLS.has(key) ? value : rewrite(value, 'text');
  if (typeof value !== 'object' || value === null) return value;
  return rewriteChildren(value, nesting, (child, childKey) =>
    rewriteTool(child, childKey ?? key, rewrite, nesting + 1),
  );
}

/** A tree of the client's or the model's own data goes the way of the same data written as JSON text. */
function rewriteData(value: Json, rewrite: Rewrite): Json {
  assertNesting(value);
  const text = JSON.stringify(value);
  const rewritten = rewrite(text, 'arguments');
  return rewritten === text ? value : (JSON.parse(rewritten) as Json);
}

function rewriteChildren(
  value: Json[] | JsonObject,
  nesting: number,
  rewriteChild: (child: Json, key: string | undefined) => Json,
): Json {
  if (nesting >= MAX_NESTING) throw new TooDeep();
  if (Array.isArray(value)) {
    const rewritten = value.map((child) => rewriteChild(child, undefined));
    return rewritten.some((child, at) => child !== value[at]) ? rewritten : value;
  }
  const entries = Object.entries(value);
  const rewritten = entries.map(([key, child]): [string, Json] => [key, rewriteChild(child, key)]);
  // fromEntries defines its properties, so that a key `__proto__` is one like any other.
  return rewritten.some(([, child], at) => child !== entries[at]?.[1]) ? Object.fromEntries(rewritten) : value;
}

/** Without recursion, since it guards those who recurse. */
function assertNesting(root: Json): void {
  let level: Json[] = [root];
  for (let nesting = 0; level.length > 0; nesting++) {
    if (nesting > MAX_NESTING) throw new TooDeep();
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}
