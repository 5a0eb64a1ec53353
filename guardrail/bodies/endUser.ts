/**
 * The end users that a request names. Which one counts is up to the gateway, and all count for who may call.
 * @see LiteLLM: get_end_user_id_from_request_body
 */
import { isObject } from '../messages/messages.ts';
import type { RequestBody } from './contract.ts';
import { BodyError } from './errors.ts';
import { JsonError, parseDocument, type Node } from './json/document.ts';
import { boundaryOf, readParts } from './request/multipart.ts';
import { decodeUtf8 } from './text.ts';

/** The members that name an end user, or any name that has an escaped letter. */
const NAMED_IN_JSON = /"(?:user|user_id|safety_identifier)\\*"\s*:|\\u00[4-7]/i;
/** Members of a form that name an end user, or contain JSON that does. */
const NAMED_IN_FORM = /user|safety_identifier|metadata/i;

/**
 * @returns the end users that a body names, in the order in which LiteLLM reads them: `user`, `litellm_metadata.user`,
 * `metadata.user_id`, `safety_identifier`. Empty if the body names none, or cannot be read.
 */
export function endUsersOf({ bytes, contentType = '' }: Pick<RequestBody, 'bytes' | 'contentType'>): string[] {
  if (/^\s*application\/x-www-form-urlencoded\b/i.test(contentType)) return ofForm(fieldsOf(bytes));
  const isMultipart = /^\s*multipart\//i.test(contentType);
  // A cheap test: most bodies name nobody, and need not be parsed for it.
  const mayName = (isMultipart ? NAMED_IN_FORM : NAMED_IN_JSON).test(bytes.toString('latin1'));
  if (!mayName) return [];
  return isMultipart ? ofForm(partsOf(bytes, contentType)) : ofJson(decodeUtf8(bytes));
}

function ofJson(text: string | undefined): string[] {
  const root = text === undefined ? undefined : rootOf(text);
  if (root === undefined) return [];
  const inMetadata = (metadata: string, member: string): Node[] =>
    membersOf(root, metadata).flatMap((node) => membersOf(objectIn(node), member));
  return [
    ...membersOf(root, 'user'),
    ...inMetadata('litellm_metadata', 'user'),
    ...inMetadata('metadata', 'user_id'),
    ...membersOf(root, 'safety_identifier'),
  ].flatMap(namesIn);
}

type Fields = readonly (readonly [name: string, value: string])[];

function ofForm(fields: Fields): string[] {
  const inField = (wanted: string): string[] => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
  const inJson = (field: string, member: string): string[] =>
    inField(field).flatMap((text) => membersOf(rootOf(text), member).flatMap(namesIn));
  return [
    ...inField('user').flatMap(usable),
    ...inJson('litellm_metadata', 'user'),
    ...inField('litellm_metadata[user]').flatMap(usable),
    ...inJson('metadata', 'user_id'),
    ...inField('metadata[user_id]').flatMap(usable),
    ...inField('safety_identifier').flatMap(usable),
  ];
}

/** All members of a name, the last one first: readers differ in which of several counts, and most read the last. */
function membersOf(node: Node | undefined, name: string): Node[] {
  if (node?.kind !== 'object') return [];
  return node.members.flatMap((member) => (member.name.value === name ? [member.node] : [])).reverse();
}

/** Metadata can be an object, or a string that contains one. */
function objectIn(node: Node): Node | undefined {
  return node.kind === 'string' ? rootOf(node.value) : node;
}

function rootOf(text: string): Node | undefined {
  try {
    const root = parseDocument(text);
    return isObject(root.value) ? root : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** A number names an end user, too. */
function namesIn(node: Node | undefined): string[] {
  if (node?.kind === 'string') return usable(node.value);
  return node?.kind === 'scalar' && typeof node.value === 'number' ? [String(node.value)] : [];
}

/** Gateways ignore white space around a name. */
function usable(name: string): string[] {
  const trimmed = name.trim();
  return trimmed === '' ? [] : [trimmed];
}

function fieldsOf(bytes: Buffer): Fields {
  return [...new URLSearchParams(bytes.toString('utf8'))];
}

/** @returns no fields if the form cannot be read, which its check refuses */
function partsOf(bytes: Buffer, contentType: string): Fields {
  try {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined) return [];
    const fields = readParts(bytes, boundary).filter(({ fileName }) => fileName === undefined);
    return fields.map(({ name, content }) => [name, content.toString('utf8')]);
  } catch (error) {
    if (error instanceof BodyError) return [];
    throw error;
  }
}
