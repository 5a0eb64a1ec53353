/**
 * Images within messages, in the forms of OpenAI's chat and responses, of Anthropic, of Gemini and of MCP's tool results.
 * Pure.
 *
 * | where | form |
 * |---|---|
 * | `image_url` | a string, or `{url}` |
 * | `data` or `blob` beside a `media_type`, `mime_type` or `mimeType` of an image | base64 |
 * | `file_uri` or `fileUri` beside the same, or beside none | an address |
 * | `file_data` | a data URL of an image |
 * | `source` of an `image` | `{type: url, url}`, `{type: file, file_id}` |
 * | `file_id` of an `input_image` | an address at the provider |
 */
import {
  isImageType,
  MEDIA_ADDRESS_KEYS,
  MEDIA_BASE64_KEYS,
  MEDIA_TYPE_KEYS,
  type Json,
} from '../pseudonymization/pseudonymization.ts';

type JsonObject = Record<string, Json>;

/** What content parts that show an image are called. */
const IMAGE_PARTS = new Set(['image_url', 'input_image', 'image']);

/**
 * Every image of the messages: a data URL, an address, or what else stands where one belongs. One that stands in several
 * places is listed in each.
 */
export function imagesIn(messages: readonly Json[]): string[] {
  const images: string[] = [];
  const open: Json[] = [...messages];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) images.push(...placesIn(value).map(({ source }) => source));
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return images;
}

/**
 * The messages with other images in the same places and forms. What is not changed is the same object.
 * @param messages not nested deeper than the core takes them.
 * @param replacementOf a data URL, or undefined to leave the image as it is.
 */
export function withImages(
  messages: readonly Json[],
  replacementOf: (source: string) => string | undefined,
): readonly Json[] {
  const replace = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map(replace);
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    let result = value;
    for (const { source, put } of placesIn(value)) {
      const replacement = replacementOf(source);
      if (replacement !== undefined) result = put(result, replacement);
    }
    const entries = Object.entries(result);
    const replaced = entries.map(([key, member]): [string, Json] => [key, replace(member)]);
    // fromEntries defines its properties, so that a key `__proto__` is one like any other.
    return replaced.some(([, member], at) => member !== entries[at]?.[1]) ? Object.fromEntries(replaced) : result;
  };
  return messages.map(replace);
}

interface Place {
  readonly source: string;
  /** @returns a copy with another image in this place. */
  readonly put: (object: JsonObject, dataUrl: string) => JsonObject;
}

/** The images that are members of this very object. */
function placesIn(object: JsonObject): Place[] {
  const places = [...urlPlaces(object), ...base64Places(object), ...addressPlaces(object), ...filePlaces(object)];
  if (places.length > 0 || typeof object.type !== 'string' || !IMAGE_PARTS.has(object.type)) return places;
  return hiddenPlaces(object);
}

function urlPlaces({ image_url: image }: JsonObject): Place[] {
  if (typeof image === 'string') {
    return [{ source: image, put: (object, url) => ({ ...object, image_url: url }) }];
  }
  if (!isObject(image) || typeof image.url !== 'string') return [];
  return [{ source: image.url, put: (object, url) => ({ ...object, image_url: { ...image, url } }) }];
}

function base64Places(object: JsonObject): Place[] {
  const type = firstString(object, MEDIA_TYPE_KEYS, isImageType);
  const base64 = firstString(object, MEDIA_BASE64_KEYS);
  if (!type || !base64) return [];
  return [
    {
      source: `data:${type.value};base64,${base64.value}`,
      put: (old, url) => {
        const comma = url.indexOf(',');
        const newType = url.slice('data:'.length, comma).replace(/;base64$/, '');
        return { ...old, [type.key]: newType, [base64.key]: url.slice(comma + 1) };
      },
    },
  ];
}

function addressPlaces(object: JsonObject): Place[] {
  const address = firstString(object, MEDIA_ADDRESS_KEYS);
  const isOther = firstString(object, MEDIA_TYPE_KEYS) && !firstString(object, MEDIA_TYPE_KEYS, isImageType);
  if (!address || isOther) return [];
  return [{ source: addressOf(address.value), put: (old) => old }];
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

function filePlaces({ file_data: file }: JsonObject): Place[] {
  if (typeof file !== 'string' || !/^\s*data:\s*image\//i.test(file.slice(0, 64))) return [];
  return [{ source: file, put: (object, url) => ({ ...object, file_data: url }) }];
}

/** A part for an image that is not in it: at the provider, or in a form that is not known. */
function hiddenPlaces(object: JsonObject): Place[] {
  const { source, file_id: file } = object;
  if (isObject(source)) {
    // What has a media type is looked at as an object of its own.
    if (base64Places(source).length > 0) return [];
    const address = source.url ?? source.file_id;
    return [{ source: typeof address === 'string' ? addressOf(address) : '', put: (old) => old }];
  }
  if (typeof file === 'string') return [{ source: addressOf(file), put: (old) => old }];
  return [{ source: '', put: (old) => old }];
}

/** An id of a file is the address of something that cannot be looked into, like a URL. */
function addressOf(name: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(name) ? name : `file:${name}`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
