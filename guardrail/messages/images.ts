import type { Steps } from '../eventLoop.ts';
import type { Json } from './contract.ts';
import { visitingMessages } from './messageVisitor.ts';

/**
 * Finds the images of messages, in steps: data URLs, addresses, and an empty string for each image in an unknown form. An image is
 * listed once for each place.
 * @throws DocumentTooDeepError
 */
export function* findingImages(messages: readonly Json[]): Steps<string[]> {
  const images: string[] = [];
  const image = (source: string): undefined => {
    images.push(source);
  };
  yield* visitingMessages(messages, { image }, 'structured_messages');
  return images;
}

/**
 * Replaces images of messages in place, in the same form, in steps. Unchanged messages are the same objects.
 * @param replacementOf returns a data URL, or undefined to keep the image
 * @throws DocumentTooDeepError
 */
export function replacingImages(
  messages: readonly Json[],
  replacementOf: (source: string) => string | undefined,
): Steps<readonly Json[]> {
  return visitingMessages(messages, { image: replacementOf }, 'structured_messages');
}
