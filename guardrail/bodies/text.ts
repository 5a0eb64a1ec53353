import { isUtf8 } from 'node:buffer';
import { BodyError } from './errors.ts';
import { JsonError, parseDocument, type Node } from './json/document.ts';

/** A JSON text and its nodes. */
export interface Document {
  readonly text: string;
  readonly root: Node;
}

/**
 * Reads a request's JSON.
 * @throws BodyError for what another reader could read in another way
 */
export function readRequestJson(bytes: Buffer): Document {
  const text = decodeUtf8(bytes);
  if (text === undefined || text.startsWith('\ufeff')) throw new BodyError('invalid_encoding');
  try {
    const root = parseDocument(text);
    if (hasLoneSurrogate(text, root)) throw new BodyError('lone_surrogate');
    return { text, root };
  } catch (error) {
    throw error instanceof JsonError ? new BodyError(error.problem) : error;
  }
}

/** @returns undefined if the bytes are not UTF-8. A byte order mark stays in the text. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Writes pseudonyms for members in which providers accept no angle brackets. */
export function inSquareBrackets(text: string): string {
  return text.replaceAll('<', '[').replaceAll('>', ']');
}

/** Only an escape can spell half of a pair, because the bytes are UTF-8. */
function hasLoneSurrogate(text: string, root: Node): boolean {
  return /\\u[dD][89a-fA-F]/.test(text) && someString(root, (value) => !value.isWellFormed());
}

function someString(node: Node, test: (value: string) => boolean): boolean {
  switch (node.kind) {
    case 'string':
      return test(node.value);
    case 'array':
      return node.items.some((item) => someString(item, test));
    case 'object':
      return node.members.some((member) => test(member.name.value) || someString(member.node, test));
    case 'scalar':
      return false;
  }
}
