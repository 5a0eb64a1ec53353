/** A JSON value as it was received. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type JsonObject = Record<string, Json>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Defines an own member, also with the name `__proto__`. */
export function defineMember(object: JsonObject, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/**
 * The kind of a text in a message: `text` is read by the model as it is; `arguments` is JSON and must stay JSON; `fields`
 * is the same for JSON of which nothing is known, in whose names of properties every value is replaced; `thought`
 * was written by the model, and its provider may have signed it; `address` is a URL that a client may load; `identifier` is
 * one value as a whole, such as the id of an end user; `key` is the name of a property in a schema, which is replaced only if it is
 * a value of exact form as a whole; `either` is text or arguments of an answer, and the gateway does not
 * say which.
 *
 * A provider rejects a thought that does not match its signature. The provider must therefore receive the model's text
 * byte for byte, with its pseudonyms. If the gateway restored them for the client, the values get the same pseudonyms
 * again, because pseudonyms are deterministic. If it did not, the pseudonyms are kept: in a thought they belong to the
 * session, and no client typed them. A thought that contains personal data that the model added, or a pseudonym in another
 * form, does not match its signature, and the provider rejects the request.
 */
export type TextKind = 'text' | 'arguments' | 'fields' | 'thought' | 'address' | 'identifier' | 'key' | 'either';

/** Callbacks for {@link visitingMessages}. Parts of unknown types also yield texts, images and files. */
export interface MessageVisitor {
  /** @returns the replacement of the text */
  readonly text?: (text: string, kind: TextKind) => string;
  /**
   * @param source a data URL, an address, or an empty string for an image in an unknown form
   * @returns the data URL that replaces the image; undefined keeps it
   */
  readonly image?: (source: string) => string | undefined;
  /** A file, a recording or a video, or a reference to one. */
  readonly file?: () => void;
}

/** The lists of a call, by their names in the gateway's API. */
export type MessageField = 'structured_messages' | 'tools' | 'tool_calls';

/** Maximum nesting of objects and arrays. A deeper document could exhaust the stack. */
export const MAX_NESTING = 256;

/** The document is nested deeper than {@link MAX_NESTING}. The caller gets 400. */
export class DocumentTooDeepError extends Error {
  override readonly name = 'DocumentTooDeepError';

  constructor(field: MessageField) {
    super(`${field} must not be nested more than ${MAX_NESTING} levels deep.`);
  }
}
