import type { Json } from '../core/core.ts';

/** What content parts that show an image are called: by OpenAI's chat and responses, and by Anthropic. */
const IMAGE_PARTS = new Set(['image_url', 'input_image', 'image']);

/** Whether there is an image part anywhere in the messages. */
export function holdsImages(messages: readonly Json[]): boolean {
  const open: Json[] = [...messages];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && typeof value.type === 'string' && IMAGE_PARTS.has(value.type)) return true;
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return false;
}
