/** Finds images and files in the members of an object in a message. */
import {
  isImageType,
  MEDIA_ADDRESS_KEYS,
  MEDIA_BASE64_KEYS,
  MEDIA_TYPE_KEYS,
  type ContentPart,
  type MemberRole,
} from './contentParts.ts';
import { isObject, type Json, type JsonObject } from './contract.ts';

/** A string of an object that is replaced. */
export interface Change {
  /** The name of a member; or the names of one that is an object, and of a member of that. */
  readonly path: readonly [name: string, inner?: string];
  readonly text: string;
}

export interface ImageMember {
  /** A data URL, an address, or an empty string for an image in an unknown form. */
  readonly source: string;
  /** @returns what replaces the image in its object */
  readonly put: (dataUrl: string) => readonly Change[];
}

/**
 * The images that an object has by members of known names. With those of its members by their roles, {@link memberImage}, they are
 * the images of the object without those of its descendants.
 *
 * | where | form |
 * |---|---|
 * | `image_url` | a string, or `{url}` |
 * | `data` or `blob` with an image type in `media_type`, `mime_type` or `mimeType` | base64 |
 * | `file_uri` or `fileUri` with an image type in these, or with none of them | an address |
 * | a payload or an address: see {@link MemberRole} | a data URL of an image |
 * | `source` of a part that is an image | `{type: url, url}`, `{type: file, file_id}` |
 * | other members with the role `image` | a data URL, base64, an address, or an id at the provider |
 */
export function namedImages(object: JsonObject): ImageMember[] {
  return [...urlImages(object), ...base64Images(object), ...addressImages(object)];
}

/** Whether a part in which no image was found is an image in an unknown form. */
export function isUnknownImage(object: JsonObject, part: ContentPart | undefined): boolean {
  // A source with a media type is an object that has the image itself.
  return part?.isImage === true && !(isObject(object.source) && base64Images(object.source).length > 0);
}

export const UNKNOWN_IMAGE: ImageMember = { source: '', put: () => [] };

/** The image in a member, by its role. */
export function memberImage(object: JsonObject, key: string, value: Json, role: MemberRole): ImageMember | undefined {
  if (isMediaOfItsType(object, key)) return undefined;
  if (typeof value === 'string') return textImage(key, value, role);
  if (role !== 'image' || key === 'image_url' || !isObject(value) || base64Images(value).length > 0) return undefined;
  const address = value.url ?? value.file_id;
  return {
    source: typeof address === 'string' ? addressOf(address) : '',
    put: (url) => [{ path: [key, 'url'], text: url }],
  };
}

function textImage(key: string, value: string, role: MemberRole): ImageMember | undefined {
  const isPayload = role === 'payload' || role === 'address' || role === 'file';
  // Most members are texts.
  if (!isPayload && role !== 'image') return undefined;
  const put = (url: string): Change[] => [{ path: [key], text: url }];
  if (isPayload) return isImageUrl(value) ? { source: value, put } : undefined;
  if (key === 'image_url' || key === 'source') return undefined;
  const type = base64ImageType(value);
  if (type === undefined) return { source: isDataUrl(value) ? value : addressOf(value), put };
  return { source: `data:${type};base64,${value}`, put: (url) => put(url.slice(url.indexOf(',') + 1)) };
}

function urlImages({ image_url: image }: JsonObject): ImageMember[] {
  if (typeof image === 'string') return [{ source: image, put: (text) => [{ path: ['image_url'], text }] }];
  if (!isObject(image) || typeof image.url !== 'string') return [];
  return [{ source: image.url, put: (text) => [{ path: ['image_url', 'url'], text }] }];
}

function base64Images(object: JsonObject): ImageMember[] {
  const type = firstString(object, MEDIA_TYPE_KEYS, isImageType);
  const base64 = firstString(object, MEDIA_BASE64_KEYS);
  if (!type || !base64) return [];
  return [
    {
      source: `data:${type.value};base64,${base64.value}`,
      put: (url) => {
        const comma = url.indexOf(',');
        const newType = url.slice('data:'.length, comma).replace(/;base64$/, '');
        return [
          { path: [type.key], text: newType },
          { path: [base64.key], text: url.slice(comma + 1) },
        ];
      },
    },
  ];
}

function addressImages(object: JsonObject): ImageMember[] {
  const address = firstString(object, MEDIA_ADDRESS_KEYS);
  const isOther = firstString(object, MEDIA_TYPE_KEYS) && !firstString(object, MEDIA_TYPE_KEYS, isImageType);
  if (!address || isOther) return [];
  return [{ source: addressOf(address.value), put: (text) => [{ path: [address.key], text }] }];
}

/**
 * Whether a member, without its descendants, is or refers to a file or a recording, which reaches the model and cannot be checked.
 * For the object as a whole, see {@link isMedia}.
 * @param role of the member. In data of a tool, which is read as text, only parts in the table count
 */
export function isMemberFile(
  object: JsonObject,
  part: ContentPart | undefined,
  { key, value, role, isData }: MemberOfPart,
): boolean {
  if (role === 'file') return part?.members.has(key) === true ? isFileOfPart(key, value) : isFile(key, value);
  const isPayload = role === 'payload' || role === 'address';
  if (!isPayload || isData || typeof value !== 'string' || isMediaOfItsType(object, key)) return false;
  return !isImageUrl(value) && (isDataUrl(value) || (role === 'payload' && looksEncoded(value)));
}

interface MemberOfPart {
  readonly key: string;
  readonly value: Json;
  readonly role: MemberRole;
  readonly isData: boolean;
}

/** Whether an object is media by its media type, as in Gemini and MCP, and not an image. Text at an address also counts. */
export function isMedia(object: JsonObject): boolean {
  let hasType = false;
  for (const key of MEDIA_TYPE_KEYS) {
    const type = object[key];
    if (typeof type !== 'string') continue;
    if (isImageType(type)) return false;
    hasType = true;
  }
  if (!hasType) return false;
  return (
    hasMember(object, ...MEDIA_ADDRESS_KEYS) || (hasMember(object, ...MEDIA_BASE64_KEYS) && object.type !== 'text')
  );
}

/** Whether a member of a known part has a file. `{"type":"file"}` in data of a tool can mean something else. */
function isFileOfPart(key: string, value: Json | undefined): boolean {
  if (value === null || value === undefined) return false;
  if (key === 'file') return hasMember(value, 'file_data', 'file_id', 'file_url');
  // A document can also be text or content parts, which are checked as such.
  if (key === 'source') return isObject(value) && value.type !== 'text' && value.type !== 'content';
  return true;
}

/** Whether a member of an unknown part, or of an object without a type, is a file. With a media type: see isMedia. */
function isFile(key: string, value: Json): boolean {
  if (typeof value === 'string') return !isImageUrl(value);
  return isObject(value) && key !== 'file_data' && MEDIA_TYPE_KEYS.every((name) => typeof value[name] !== 'string');
}

/** Whether a string is a file or an image instead of text. */
export function isBinary(text: string): boolean {
  return isDataUrl(text) || looksEncoded(text);
}

/** Whether a member is base64 because its object has a media type. */
export function isMediaOfItsType(object: JsonObject, key: string): boolean {
  const isBase64 = MEDIA_BASE64_KEYS.some((name) => name === key);
  return isBase64 && MEDIA_TYPE_KEYS.some((name) => typeof object[name] === 'string');
}

export function isImageUrl(text: string): boolean {
  return /^\s*data:\s*image\//i.test(text.slice(0, 64));
}

export function isDataUrl(text: string): boolean {
  return /^\s*data:/i.test(text.slice(0, 64));
}

/** Minimum length of encoded data. Identifiers and digests are shorter; files are longer. */
const MIN_ENCODED = 256;

function looksEncoded(text: string): boolean {
  return text.length >= MIN_ENCODED && /^[A-Za-z0-9+/_\r\n-]+=*\s*$/.test(text);
}

/** The media type by the first bytes of a file. OpenAI returns generated images as base64 without a media type. */
function base64ImageType(text: string): string | undefined {
  if (text.startsWith('iVBORw0KGgo')) return 'image/png';
  if (text.startsWith('/9j/')) return 'image/jpeg';
  return text.startsWith('UklGR') ? 'image/webp' : undefined;
}

/** The address of a URL or a file id. Neither can be checked. */
function addressOf(name: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(name) ? name : `file:${name}`;
}

interface Member {
  readonly key: string;
  readonly value: string;
}

function firstString(object: JsonObject, keys: readonly string[], accepts = (_: string) => true): Member | undefined {
  for (const key of keys) {
    const value = object[key];
    if (typeof value === 'string' && accepts(value)) return { key, value };
  }
  return undefined;
}

function hasMember(value: Json | undefined, ...names: string[]): boolean {
  return isObject(value) && names.some((name) => value[name] !== undefined && value[name] !== null);
}
