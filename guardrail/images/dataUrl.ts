import type { ImageFormat, ImageFile } from './contract.ts';
import { UnreadableImageError } from './contract.ts';
import { inspect } from './inspect.ts';

const TYPES: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/pjpeg': 'jpeg',
  'image/webp': 'webp',
};

/** The maximum length before the comma of a data URL. RFC 2397 sets no limit; a real media type has about 25 characters. */
const MAX_HEAD = 200;

/** Returns whether a source is a URL instead of image data. Providers also accept the schemes of their own clouds. */
export function isRemote(source: string): boolean {
  return /^\s*(?!data:)[a-z][a-z0-9+.-]*:/i.test(source.slice(0, 64));
}

/**
 * Parses the data URL of an image. Accepts base64 and base64url, white space anywhere and upper-case types.
 * @throws UnreadableImageError if the data is not a valid image file. Pixels are not decoded yet.
 */
export function parseImageDataUrl(source: string): ImageFile {
  const comma = source.slice(0, MAX_HEAD).indexOf(',');
  const [type = '', ...parameters] = source
    .slice(0, Math.max(0, comma))
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!type.startsWith('data:') || parameters.at(-1) !== 'base64') throw new UnreadableImageError('syntax');
  const bytes = decodeBase64(source.slice(comma + 1));
  if (bytes.length === 0) throw new UnreadableImageError('empty');
  const file = inspect(bytes);
  // Decoders use the first bytes, and providers may use the media type: both must name the same format.
  if (TYPES[type.slice('data:'.length).trim()] !== file.format) throw new UnreadableImageError('type');
  return file;
}

export function dataUrlOf(format: ImageFormat, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return `data:image/${format};base64,${base64}`;
}

function decodeBase64(text: string): Buffer {
  const plain = text.includes('%') ? unescaped(text) : text;
  const bytes = Buffer.from(plain, 'base64');
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0;
  const isWhole = (digits: number): boolean => bytes.length === Math.floor((digits * 3) / 4) && digits % 4 !== 1;
  // Node skips invalid base64 characters and other decoders stop at them, so they would see different files.
  if (!isWhole(plain.length - padding) && !isWhole(digitsIn(plain))) throw new UnreadableImageError('syntax');
  return bytes;
}

/**
 * Counts characters without white space and padding. Most data URLs have no white space, so the caller tries the length first.
 */
function digitsIn(text: string): number {
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && (code < 0x09 || code > 0x0d) && code !== 0x3d) digits += 1;
  }
  return digits;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UnreadableImageError('syntax');
  }
}
