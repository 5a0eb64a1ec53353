/** Decides how an answer is relayed. Pure functions. */
import type { IncomingHttpHeaders } from 'node:http';
import { isStream, type Operation } from '../bodies/bodies.ts';

/**
 * `bare`: it has no body. `pass`: as it is, because it carries no text. `whole`: it is restored before the client gets any
 * of it. `stream`: it is restored while it arrives.
 */
export type AnswerMode = 'bare' | 'pass' | 'whole' | 'stream';

export interface AnswerTraits {
  /** The method of the request. */
  readonly method: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly operation: Operation;
  /** Whether pseudonyms in the answer are restored. */
  readonly isRestored: boolean;
}

/** Sound, pictures, archives, and bytes of any other kind. */
const BINARY = /^(?:(?:audio|image|video|font)\/|application\/(?:pdf|zip|gzip|x-tar|wasm)$)/;
const UNKNOWN_BYTES = 'application/octet-stream';

export function answerModeOf({ method, status, headers, operation, isRestored }: AnswerTraits): AnswerMode {
  if (method === 'HEAD' || status === 204 || status === 304) return 'bare';
  const contentType = headers['content-type'] ?? '';
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  // A file of JSON lines often comes without its type.
  const isBinary = BINARY.test(type) || (type === UNKNOWN_BYTES && operation.answersLines !== true);
  if (!isRestored || isBinary) return 'pass';
  // An error is not an array, even where an answer is one.
  const isError = status >= 400 && operation.answersArray === true;
  return isStream(operation, contentType) && !isError ? 'stream' : 'whole';
}
