import type { Json } from './contract.ts';
import { visitMessages } from './messageVisitor.ts';

/**
 * The images of messages: data URLs, addresses, and an empty string for each image in an unknown form. An image is listed
 * once for each place.
 * @throws DocumentTooDeepError
 */
export function imagesIn(messages: readonly Json[]): string[] {
  const images: string[] = [];
  const image = (source: string): undefined => {
    images.push(source);
  };
  visitMessages(messages, { image }, 'structured_messages');
  return images;
}

/**
 * Replaces images of messages in place, in the same form. Unchanged messages are the same objects.
 * @param replacementOf returns a data URL, or undefined to keep the image
 * @throws DocumentTooDeepError
 */
export function withImages(
  messages: readonly Json[],
  replacementOf: (source: string) => string | undefined,
): readonly Json[] {
  return visitMessages(messages, { image: replacementOf }, 'structured_messages');
}
