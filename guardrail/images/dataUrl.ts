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

/** More than this of a data URL before its comma is no media type (RFC 2397 has none; a real one is 25 characters). */
const MAX_HEAD = 200;

/**
 * Whether an image is given by where it is instead of what it is. Providers also fetch from their clouds' own schemes.
 */
export function isRemote(source: string): boolean {
  return /^\s*(?!data:)[a-z][a-z0-9+.-]*:/i.test(source.slice(0, 64));
}

/**
 * Reads the data URL of an image: base64, base64url too, white space anywhere, upper-case types.
 * @throws UnreadableImageError where it is no image that can be looked into; pixels have not been looked at yet.
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
  const picture = inspect(bytes);
  // What opens the file goes by its beginning, what decides about it upstream may go by its type: they must agree.
  if (TYPES[type.slice('data:'.length).trim()] !== picture.format) throw new UnreadableImageError('type');
  return picture;
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
  // Node leaves out what is no base64, other decoders end there: they would see another file.
  if (!isWhole(plain.length - padding) && !isWhole(digitsIn(plain))) throw new UnreadableImageError('syntax');
  return bytes;
}

/** Without white space and padding; most data URLs have none within, and are not counted through. */
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
