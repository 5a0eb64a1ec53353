import type { Format, Picture } from './contract.ts';
import { UnreadableImageError } from './contract.ts';
import { inspect } from './inspect.ts';

const TYPES: Readonly<Record<string, Format>> = {
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
export function pictureOf(source: string): Picture {
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

export function dataUrlOf(format: Format, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return `data:image/${format};base64,${base64}`;
}

function decodeBase64(text: string): Buffer {
  const plain = /[\s%]/.test(text) ? unescaped(text).replace(/\s+/g, '') : text;
  const digits = plain.replace(/={1,2}$/, '');
  const bytes = Buffer.from(digits, 'base64');
  // Node leaves out what is no base64, other decoders end there: they would see another file.
  if (bytes.length !== Math.floor((digits.length * 3) / 4) || digits.length % 4 === 1) {
    throw new UnreadableImageError('syntax');
  }
  return bytes;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UnreadableImageError('syntax');
  }
}
