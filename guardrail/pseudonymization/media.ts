/**
 * How data that is no text stands in a message, as Gemini and MCP give it: beside its media type, in base64 or by an
 * address. One list for all who look for it: what one takes for an image and another for nothing would pass unseen.
 */
export const MEDIA_TYPE_KEYS = ['media_type', 'mime_type', 'mimeType'] as const;
export const MEDIA_BASE64_KEYS = ['data', 'blob'] as const;
export const MEDIA_ADDRESS_KEYS = ['file_uri', 'fileUri'] as const;

export function isImageType(type: string): boolean {
  return /^\s*image\//i.test(type);
}
