/**
 * How the members of a whole body are read. Messages and content parts have the table of
 * {@link file://../messages/contentParts.ts}; this file adds what stands around them.
 */
import type { MemberRole, Node } from '../messages/messages.ts';

/** What a member of a body contains. */
export type BodyRole =
  | MemberRole
  /** Text, or a data URL of an image or a file. */
  | 'plain'
  /** Anything: strings, numbers and names of members are all checked, and so are data URLs. */
  | 'free'
  /** As `free`, but for the ids of the end user in it. */
  | 'customer'
  /** The id of the end user: the gateway books the call on it. */
  | 'endUser'
  /** What the provider needs as it is: addresses and credentials of servers. */
  | 'kept';

/** Names of members, separated by spaces, by role. */
export type BodyRoles = Partial<Record<BodyRole, string>>;

/** @returns the role of each name. */
export function rolesOf(roles: BodyRoles): ReadonlyMap<string, BodyRole> {
  return new Map(
    Object.entries(roles).flatMap(([role, names]) =>
      names.split(' ').map((name): [string, BodyRole] => [name, role as BodyRole]),
    ),
  );
}

/**
 * The role of a member with this value.
 * @param objects the opaque members in which the API has objects or lists: in all others, these are anything. undefined: the
 *   client has written the body for its provider, and may have them in each
 */
export function roleOfValue(
  role: BodyRole,
  name: string,
  { kind }: Pick<Node, 'kind'>,
  objects: ReadonlySet<string> | undefined,
): BodyRole {
  return role === 'opaque' && (kind === 'object' || kind === 'array') && objects?.has(name) === false ? 'free' : role;
}

/** The role in the table of messages. */
export function messageRole(role: BodyRole): MemberRole {
  switch (role) {
    case 'free':
    case 'customer':
      return 'data';
    case 'kept':
    case 'endUser':
      return 'opaque';
    case 'plain':
      return 'text';
    default:
      return role;
  }
}

/** Members of `customer` objects with the id of the end user. */
export const END_USER_IDS: ReadonlySet<string> = new Set(['user_id', 'user']);

/** Members of tool definitions with addresses and credentials of servers that the provider calls. */
export const KEPT_IN_TOOLS: ReadonlySet<string> = new Set(['server_url', 'authorization', 'headers']);

/** Members of tool definitions with values instead of schemas. A value can have members with the names of keywords. */
export const VALUES_IN_TOOLS: ReadonlySet<string> = new Set([
  ...['default', 'example', 'examples', 'const', 'enum', 'input_examples'],
]);

/** Members with objects without a type that are parts of messages. Others are the client's, and free-form. */
export const STRUCTURE: ReadonlySet<string> = new Set([
  ...['messages', 'message', 'content', 'parts', 'function', 'function_call', 'tool_calls', 'custom', 'audio'],
  ...['annotations', 'url_citation', 'file', 'image_url', 'input_audio', 'source', 'cache_control'],
  ...['thinking_blocks', 'reasoning_details', 'provider_specific_fields'],
  ...['input', 'items', 'requests', 'system', 'prediction'],
  ...['contents', 'systemInstruction', 'system_instruction', 'generateContentRequest', 'inlineData', 'inline_data'],
  ...['functionCall', 'functionResponse', 'function_response', 'fileData', 'file_data'],
  ...['executableCode', 'codeExecutionResult', 'videoMetadata'],
]);

/** Members of answers with base64 of images and numbers: they hold no text, and are long. */
export const BINARY: ReadonlySet<string> = new Set(['b64_json', 'partial_image_b64', 'embedding']);

/** Members with the tokens of a text: they contradict the text as soon as it changes. */
export const LOGPROBS: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult', 'logprobs_result']);

/** Members that decide how others of the same object are read. Two of the same name could hide data. */
export const DECIDING: ReadonlySet<string> = new Set([
  ...['type', 'role', 'source', 'image_url', 'media_type', 'mime_type', 'mimeType', 'data', 'blob', 'url', 'file'],
  ...['file_uri', 'fileUri', 'file_data', 'file_id', 'file_url', 'input_audio', 'inline_data', 'inlineData'],
  ...['body', 'params', 'stream'],
]);
