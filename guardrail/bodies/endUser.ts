import { isObject } from '../messages/messages.ts';
import type { RequestBody } from './contract.ts';
import { JsonError, memberOf, parseDocument, stringOf } from './json/document.ts';
import type { Operation } from './operations.ts';
import { decodeUtf8 } from './text.ts';

/**
 * The end user that a request names: `user`, `metadata.user_id`, `litellm_metadata.user` or `safety_identifier`, in this
 * order, as gateways read it.
 * @returns undefined if the body names none, or is no JSON
 */
export function endUserOf(_operation: Operation, { bytes }: RequestBody): string | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  try {
    const root = parseDocument(text);
    if (!isObject(root.value)) return undefined;
    const found = [
      memberOf(root, 'user'),
      memberOf(memberOf(root, 'metadata'), 'user_id'),
      memberOf(memberOf(root, 'litellm_metadata'), 'user'),
      memberOf(root, 'safety_identifier'),
    ].map(stringOf);
    return found.find((user) => user !== undefined && user !== '');
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
