/**
 * The end users that a request names. Which one counts is up to the gateway, and all count for who may call.
 * @see LiteLLM: get_end_user_id_from_request_body
 */
import { createStepCounter, type Steps } from '../eventLoop.ts';
import { isObject, JsonError, type Node, parsing } from '../messages/messages.ts';
import type { RequestBody } from './contract.ts';
import { BodyError } from './errors.ts';
import { boundaryOf, readParts } from './request/multipart.ts';
import { decodeUtf8, readingJson, type Document } from './text.ts';

/** The end users that a body names. */
export interface EndUsers {
  /**
   * In the order in which LiteLLM reads them: `user`, `litellm_metadata.user`, `metadata.user_id`, `safety_identifier`.
   * Empty if the body names none.
   */
  readonly names: readonly string[];
  /** Another reader could find more names: a part that may contain one is not valid JSON, form or UTF-8. */
  readonly isUnreadable: boolean;
}

/** A member that names an end user, also within a string; or a letter or a sign that is spelled as an escape. */
const NAMED_IN_JSON = /"(?:user|user_id|safety_identifier)\\*"(?:\s|\\[nrt])*:|\\u00[0-7]|\0/i;
/** Members of a form that name an end user, or contain JSON that does. */
const NAMED_IN_FORM = /user|safety_identifier|metadata/i;
const INTEGER = /^(?:0|-?[1-9]\d{0,17})$/;
/** The beginning of a JSON object in any encoding that Python reads. */
const OBJECT = /^[\s\0\xef\xbb\xbf\xfe\xff]*\{/;

const URL_ENCODED = /^\s*application\/x-www-form-urlencoded\b/i;
const MULTIPART = /^\s*multipart\//i;

/** The body with its JSON, which is read in steps. What is not a form may be JSON. */
export function* withJson(body: RequestBody): Steps<RequestBody> {
  const { bytes, contentType = '' } = body;
  if (bytes.length === 0 || URL_ENCODED.test(contentType) || MULTIPART.test(contentType)) return body;
  return { ...body, json: yield* readingJson(bytes) };
}

/** Reads the body by its content type, as LiteLLM does, in steps: what is not a form is JSON. */
export function* readingEndUsers(body: Pick<RequestBody, 'bytes' | 'contentType' | 'json'>): Steps<EndUsers> {
  const reader = new Reader();
  const names = yield* readingNames(reader, body);
  return { names: names.flatMap(usable), isUnreadable: reader.isUnreadable };
}

function* readingNames(
  reader: Reader,
  { bytes, contentType = '', json }: Parameters<typeof readingEndUsers>[0],
): Steps<string[]> {
  if (URL_ENCODED.test(contentType)) return yield* reader.form(yield* readingFields(reader, bytes));
  if (MULTIPART.test(contentType)) {
    // A cheap test: most forms name nobody.
    const isNamed = NAMED_IN_FORM.test(bytes.toString('latin1'));
    return isNamed ? yield* reader.form(partsOf(reader, bytes, contentType)) : [];
  }
  const { document } = json ?? (yield* readingJson(bytes));
  if (document) return yield* reader.json(document);
  const text = bytes.toString('latin1');
  if (OBJECT.test(text) && NAMED_IN_JSON.test(text)) reader.isUnreadable = true;
  return [];
}

type Fields = readonly (readonly [name: string, value: string])[];

/** Reads names, and notes what it cannot read. */
class Reader {
  isUnreadable = false;

  *json({ text, root }: Document): Steps<string[]> {
    const names = [
      ...this.#membersIn(root, 'user', text),
      ...(yield* this.#inMetadata(root, text, ['litellm_metadata', 'user'])),
      ...(yield* this.#inMetadata(root, text, ['metadata', 'user_id'])),
    ];
    return [...names, ...this.#membersIn(root, 'safety_identifier', text)];
  }

  *#inMetadata(root: Node, text: string, [metadata, member]: readonly [string, string]): Steps<string[]> {
    const names: string[] = [];
    for (const node of membersOf(root, metadata)) {
      names.push(
        ...(node.kind === 'string'
          ? yield* this.#namesInJson(node.value, member)
          : this.#membersIn(node, member, text)),
      );
    }
    return names;
  }

  *form(fields: Fields): Steps<string[]> {
    const inField = (wanted: string): string[] => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
    const names = inField('user');
    for (const text of inField('litellm_metadata')) names.push(...(yield* this.#namesInJson(text, 'user')));
    names.push(...inField('litellm_metadata[user]'));
    for (const text of inField('metadata')) names.push(...(yield* this.#namesInJson(text, 'user_id')));
    return [...names, ...inField('metadata[user_id]'), ...inField('safety_identifier')];
  }

  /** Metadata can be a string that contains an object. */
  *#namesInJson(text: string, member: string): Steps<string[]> {
    return this.#membersIn(yield* this.#readingRoot(text), member, text);
  }

  #membersIn(root: Node | undefined, name: string, text: string): string[] {
    return membersOf(root, name).flatMap((node) => this.#valuesOf(node, text));
  }

  /** A number names an end user, too, but only an integer of 64 bits is spelled alike by all readers. */
  #valuesOf(node: Node, text: string): string[] {
    if (node.kind === 'string') return [node.value];
    if (node.kind !== 'scalar' || typeof node.value !== 'number') return [];
    const spelled = text.slice(node.start, node.end);
    if (INTEGER.test(spelled)) return [spelled];
    this.isUnreadable = true;
    return [];
  }

  *#readingRoot(text: string): Steps<Node | undefined> {
    // Whatever begins in another way is no object for any reader.
    if (!OBJECT.test(text)) return undefined;
    try {
      const { root } = yield* parsing(text);
      return isObject(root.value) ? root : undefined;
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (NAMED_IN_JSON.test(text)) this.isUnreadable = true;
      return undefined;
    }
  }
}

/** All members of a name, the last one first: readers differ in which of several counts, and most read the last. */
function membersOf(node: Node | undefined, name: string): Node[] {
  if (node?.kind !== 'object') return [];
  const found = node.members.filter((member) => member.name.value === name);
  return found.map((member) => member.node).reverse();
}

function usable(name: string): string[] {
  const stripped = strip(name);
  return stripped === '' ? [] : [stripped];
}

/** White space as Python knows it, which differs from that of JavaScript. */
const SPACE = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+`;
const SURROUNDING = new RegExp(`^${SPACE}|${SPACE}$`, 'g');

/** The name without the white space around it, which LiteLLM removes by `str.strip`. */
export function strip(name: string): string {
  return name.replaceAll(SURROUNDING, '');
}

/** The members of a form that can name an end user. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['user', 'safety_identifier', 'metadata', 'metadata[user_id]', 'litellm_metadata', 'litellm_metadata[user]'],
]);

function* readingFields(reader: Reader, bytes: Buffer): Steps<Fields> {
  const text = bytes.toString('latin1');
  // Readers differ in the encoding of letters without percent signs.
  if (/[^\0-\x7f]/.test(text)) reader.isUnreadable = true;
  const fields: [string, string][] = [];
  const isStep = createStepCounter();
  for (let at = 0; at <= text.length;) {
    const end = text.indexOf('&', at);
    const pair = text.slice(at, end < 0 ? undefined : end);
    const name = pair.split('=', 1)[0] ?? '';
    // Most names are of other members, and spelled without signs that stand for others.
    if (/[%+?]/.test(name) || FIELDS.has(name))
      for (const field of new URLSearchParams(pair)) if (FIELDS.has(field[0])) fields.push(field);
    if (end < 0) break;
    at = end + 1;
    if (isStep(pair.length)) yield;
  }
  return fields;
}

function partsOf(reader: Reader, bytes: Buffer, contentType: string): Fields {
  try {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined) return [];
    const fields = readParts(bytes, boundary).filter(({ fileName }) => fileName === undefined);
    return fields.map(({ name, content }) => {
      const text = decodeUtf8(content);
      if (text === undefined) reader.isUnreadable = true;
      return [name, text ?? ''];
    });
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    reader.isUnreadable = true;
    return [];
  }
}
