import type { Steps } from '../../eventLoop.ts';
import type { Passage } from '../../pseudonymization/pseudonymization.ts';
import { inSquareBrackets } from '../text.ts';

/** A part of a request that is checked, and how to write it back. */
export interface Checkable {
  readonly passages: readonly Passage[];
  /** Data URLs and addresses of images. */
  readonly images: readonly string[];
  /** The number of the message of each image. Default: the part is no list of messages. */
  readonly imageMessages?: readonly number[];
  /** Whether the part contains or refers to a file or a recording. */
  readonly hasFiles: boolean;
  /**
   * @param texts of the passages, in order
   * @param images data URLs or addresses, in order; empty: the images stay
   * @returns the part to send; in steps, if it has many texts
   */
  readonly write: (texts: readonly string[], images: readonly string[]) => Buffer | Steps<Buffer>;
}

/** A part that is one text. */
export function textPart(text: string, write: (text: string) => Buffer): Checkable {
  return {
    passages: [{ text, kind: 'text' }],
    images: [],
    hasFiles: false,
    write: ([changed = text]) => write(changed),
  };
}

/** A part that is the id of an end user. */
export function identifierPart(text: string, write: (text: string) => Buffer): Checkable {
  const part = textPart(text, (changed) => write(inSquareBrackets(changed)));
  return { ...part, passages: [{ text, kind: 'identifier' }] };
}

/** A part that cannot be read. */
export function filePart(bytes: Buffer): Checkable {
  return { passages: [], images: [], hasFiles: true, write: () => bytes };
}
