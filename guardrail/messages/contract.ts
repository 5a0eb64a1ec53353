/** A JSON value as it was received. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type JsonObject = Record<string, Json>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * How a text of a message is read: `text` by the model, as it is; `arguments` is JSON and must stay JSON; `thought` was
 * written by the model, and its provider may have signed it; `address` is a URL that a client may load.
 *
 * A provider rejects a thought that does not match its signature. So the provider must receive the text that the model
 * wrote, byte for byte, and the model wrote pseudonyms. Where the gateway restored them for the client, the values become
 * the same pseudonyms again, because pseudonyms are deterministic. Where it did not, the pseudonyms stay: in a thought
 * they belong to the session, and no client typed them. A thought that contains personal data of the model's own, or a
 * pseudonym in another form, does not match, and the provider rejects the request.
 */
export type TextKind = 'text' | 'arguments' | 'thought' | 'address';

/** What a caller of {@link visitMessages} wants to see. A part of an unknown type yields texts, images and files too. */
export interface MessageVisitor {
  /** @returns the text that replaces it */
  readonly text?: (text: string, kind: TextKind) => string;
  /**
   * @param source a data URL, an address, or an empty string for an image in an unknown form
   * @returns the data URL that replaces it; undefined keeps the image
   */
  readonly image?: (source: string) => string | undefined;
  /** A file, a recording or a video, or a reference to one. */
  readonly file?: () => void;
}

/** The lists of a call, in the names of its gateway. */
export type MessageField = 'structured_messages' | 'tools' | 'tool_calls';

/** Objects and arrays inside each other. A deeper document could exhaust the stack. */
export const MAX_NESTING = 256;

/** The document is nested deeper than {@link MAX_NESTING}: 400 to the caller. */
export class DocumentTooDeepError extends Error {
  override readonly name = 'DocumentTooDeepError';

  constructor(field: MessageField) {
    super(`${field} must not be nested more than ${MAX_NESTING} levels deep.`);
  }
}
