import { isUtf8 } from 'node:buffer';
import type { Steps } from '../eventLoop.ts';
import { BodyError, type BodyProblem } from './errors.ts';
import { JsonError, parsing, type Node } from './json/document.ts';

/** A JSON text and its nodes. */
export interface Document {
  readonly text: string;
  readonly root: Node;
}

/** The JSON of a request's body: its nodes, or why it cannot be checked. */
export type JsonReading =
  | { readonly document: Document; /** Another reader could read it in another way. */ readonly problem?: BodyProblem }
  | { readonly document?: undefined; readonly problem: BodyProblem };

/** Reads a request's JSON in steps. */
export function* readingJson(bytes: Buffer): Steps<JsonReading> {
  const text = decodeUtf8(bytes);
  yield;
  if (text === undefined || text.startsWith('\ufeff')) return { problem: 'invalid_encoding' };
  try {
    const { root } = yield* parsing(text);
    const document = { text, root };
    return hasLoneSurrogate(text, root) ? { document, problem: 'lone_surrogate' } : { document };
  } catch (error) {
    if (error instanceof JsonError) return { problem: error.problem };
    throw error;
  }
}

/** @throws BodyError for what another reader could read in another way */
export function documentIn({ document, problem }: JsonReading): Document {
  if (problem !== undefined) throw new BodyError(problem);
  return document;
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
