import { JsonError, type Node, parsing } from '../messages/messages.ts';
import { isUtf8 } from 'node:buffer';
import type { Steps } from '../eventLoop.ts';
import { BodyError, type BodyProblem } from './errors.ts';

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
    const { root, hasLoneSurrogates } = yield* parsing(text);
    const document = { text, root };
    return hasLoneSurrogates ? { document, problem: 'lone_surrogate' } : { document };
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
