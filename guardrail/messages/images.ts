import type { Json } from './contract.ts';
import { visitMessages } from './messageVisitor.ts';

/**
 * The images of messages: data URLs, addresses, and an empty string for each image in an unknown form. An image that
 * stands in several places is listed for each of them.
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
 * The messages with other images in the same places and forms. What does not change is the same object.
 * @param replacementOf a data URL; undefined keeps the image
 * @throws DocumentTooDeepError
 */
export function withImages(
  messages: readonly Json[],
  replacementOf: (source: string) => string | undefined,
): readonly Json[] {
  return visitMessages(messages, { image: replacementOf }, 'structured_messages');
}
