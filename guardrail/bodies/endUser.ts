/**
 * The end users that a request names. Which one counts is up to the gateway, and all count for who may call.
 * @see LiteLLM: get_end_user_id_from_request_body
 */
import { atOnce, type Steps } from '../eventLoop.ts';
import { isObject } from '../messages/messages.ts';
import type { RequestBody } from './contract.ts';
import { BodyError } from './errors.ts';
import { JsonError, parseDocument, type Node } from './json/document.ts';
import { boundaryOf, readParts } from './request/multipart.ts';
import { decodeUtf8, readingJson, type JsonReading } from './text.ts';

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

/** Reads the body by its content type, as LiteLLM does: what is not a form is JSON. */
export function endUsersOf(body: Pick<RequestBody, 'bytes' | 'contentType' | 'json'>): EndUsers {
  const reader = new Reader();
  const names = namesIn(reader, body);
  return { names: names.flatMap(usable), isUnreadable: reader.isUnreadable };
}

function namesIn(reader: Reader, { bytes, contentType = '', json }: Parameters<typeof endUsersOf>[0]): string[] {
  if (URL_ENCODED.test(contentType)) return reader.form(fieldsOf(reader, bytes));
  const isMultipart = MULTIPART.test(contentType);
  // A cheap test: most bodies name nobody, and need not be parsed for it.
  const text = bytes.toString('latin1');
  if (isMultipart) return NAMED_IN_FORM.test(text) ? reader.form(partsOf(reader, bytes, contentType)) : [];
  return OBJECT.test(text) && NAMED_IN_JSON.test(text) ? reader.json(json ?? atOnce(readingJson(bytes))) : [];
}

type Fields = readonly (readonly [name: string, value: string])[];

/** Reads names, and notes what it cannot read. */
class Reader {
  isUnreadable = false;

  json({ document }: JsonReading): string[] {
    if (document === undefined) {
      this.isUnreadable = true;
      return [];
    }
    const { text, root } = document;
    const inMetadata = (metadata: string, member: string): string[] =>
      membersOf(root, metadata).flatMap((node) =>
        node.kind === 'string'
          ? this.#namesInJson(node.value, member)
          : membersOf(node, member).flatMap((name) => this.#valuesOf(name, text)),
      );
    return [
      ...membersOf(root, 'user').flatMap((node) => this.#valuesOf(node, text)),
      ...inMetadata('litellm_metadata', 'user'),
      ...inMetadata('metadata', 'user_id'),
      ...membersOf(root, 'safety_identifier').flatMap((node) => this.#valuesOf(node, text)),
    ];
  }

  form(fields: Fields): string[] {
    const inField = (wanted: string): string[] => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
    const inJson = (field: string, member: string): string[] =>
      inField(field).flatMap((text) => this.#namesInJson(text, member));
    return [
      ...inField('user'),
      ...inJson('litellm_metadata', 'user'),
      ...inField('litellm_metadata[user]'),
      ...inJson('metadata', 'user_id'),
      ...inField('metadata[user_id]'),
      ...inField('safety_identifier'),
    ];
  }

  /** Metadata can be a string that contains an object. */
  #namesInJson(text: string, member: string): string[] {
    return membersOf(this.#rootOf(text), member).flatMap((node) => this.#valuesOf(node, text));
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

  #rootOf(text: string): Node | undefined {
    // Whatever begins in another way is no object for any reader.
    if (!OBJECT.test(text)) return undefined;
    try {
      const root = parseDocument(text);
      return isObject(root.value) ? root : undefined;
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      this.isUnreadable = true;
      return undefined;
    }
  }
}

/** All members of a name, the last one first: readers differ in which of several counts, and most read the last. */
function membersOf(node: Node | undefined, name: string): Node[] {
  if (node?.kind !== 'object') return [];
  return node.members.flatMap((member) => (member.name.value === name ? [member.node] : [])).reverse();
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

function fieldsOf(reader: Reader, bytes: Buffer): Fields {
  const text = bytes.toString('latin1');
  // Readers differ in the encoding of letters without percent signs.
  if (/[^\0-\x7f]/.test(text)) reader.isUnreadable = true;
  return [...new URLSearchParams(text)];
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
