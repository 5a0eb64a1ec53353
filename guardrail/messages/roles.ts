/** The rules that decide how a member of an object is read. Every walk over messages and bodies uses them. */
import {
  contentPartOf,
  generalRole,
  SIGNATURE_KEYS,
  unknownRole,
  UNCHANGED_IN_TOOLS,
  type ContentPart,
  type MemberRole,
} from './contentParts.ts';
import type { Json, JsonObject, TextKind } from './contract.ts';
import {
  isBinary,
  isMedia,
  isMediaOfItsType,
  isMemberFile,
  isUnknownImage,
  memberImage,
  namedImages,
  UNKNOWN_IMAGE,
  type ImageMember,
} from './media.ts';

/** The position of a value in its object. Elements of an array have the position of the array. */
export interface MemberPosition {
  readonly key: string | undefined;
  readonly parent: JsonObject | undefined;
  readonly role: MemberRole;
}

/** Whether the name of a property may be a value of exact form: an e-mail address, or a number of a card, account or phone. */
export const mayBeValue = (name: string): boolean => /@|^\+?\d|^[A-Za-z]{2}\d\d/.test(name);

/** @returns the kind of a string as a text; undefined if it is no text. */
export function textKindAt(text: string, position: MemberPosition): TextKind | undefined {
  const { key, parent, role } = position;
  switch (role) {
    case 'opaque':
      return undefined;
    case 'thought':
      return 'thought';
    case 'json':
      return 'arguments';
    case 'image':
      return isAddress(text) || isBinary(text) || key !== 'source' ? undefined : 'text';
    case 'file':
      if (isBinary(text) || key?.endsWith('_id')) return undefined;
      return isAddress(text) ? 'address' : 'text';
    case 'payload':
      if (isBinary(text) || (key !== undefined && parent && isMediaOfItsType(parent, key))) return undefined;
      return kindOf(position);
    case 'address':
      return isBinary(text) ? undefined : 'address';
    case 'tools':
      if (key === 'required') return mayBeValue(text) ? 'key' : undefined;
      return key !== undefined && UNCHANGED_IN_TOOLS.has(key) ? undefined : 'text';
    case 'text':
    case 'data':
    case 'content':
      return kindOf(position);
  }
}

/** Members whose number the model reads as a text: `content: 4111111111111111`. */
const NUMBER_KEYS: ReadonlySet<string> = new Set(['content', 'text', 'prompt', 'input', 'output', 'system']);
const NUMBER_ROLES: ReadonlySet<MemberRole> = new Set(['content', 'data']);
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** In lists, numbers with fewer digits are tokens. */
const LONGER_THAN_TOKENS = 7;

/**
 * The kind of a number as a text; undefined if it is no text. A number that is replaced becomes a string.
 * @param number as it is written
 * @param isInList the number is an element of an array
 */
export function numberKindAt(number: string, position: MemberPosition, isInList: boolean): TextKind | undefined {
  const { key, role } = position;
  const isContent = NUMBER_ROLES.has(role) || (role === 'text' && key !== undefined && NUMBER_KEYS.has(key));
  if (!isContent || !NUMBER.test(number) || (isInList && number.length < LONGER_THAN_TOKENS)) return undefined;
  return textKindAt(number, position);
}

/** How one object is read, without its descendants. Everything takes the same time, however many members the object has. */
export interface ObjectReading {
  readonly roleOf: (key: string) => MemberRole;
  /** The images in members of known names. */
  images(): ImageMember[];
  /** The image in a member, by its role. */
  imageIn(key: string, value: Json): ImageMember | undefined;
  /** The image that the object is if no other was found in it. */
  unknownImage(): ImageMember | undefined;
  /** Whether the object is a file or a recording by its media type. */
  isFile(): boolean;
  /** Whether a member is or refers to a file or a recording. */
  isFileIn(key: string, value: Json): boolean;
}

/**
 * @param role the role of the object
 * @param isMediaOnly the object is in data of a tool or in an opaque member, whose texts are not visited one by one
 */
export function readingOf(value: JsonObject, role: MemberRole, isMediaOnly: boolean): ObjectReading {
  const part: ContentPart | undefined = typeof value.type === 'string' ? contentPartOf(value.type) : undefined;
  const isUnknown = typeof value.type === 'string' && !part && !isMediaOnly;
  const roleOf = (key: string): MemberRole => {
    if (role === 'tools') return 'tools';
    // The address of an image or a file is handled with its part.
    if (key === 'url' && (role === 'image' || role === 'file')) return 'opaque';
    return part?.members.get(key) ?? (isUnknown ? unknownRole(key) : generalRole(key));
  };
  const isData = isMediaOnly || role === 'tools';
  const imageRole = isData ? generalRole : roleOf;
  return {
    roleOf,
    images: () => namedImages(value),
    imageIn: (key, member) => memberImage(value, key, member, part?.members.get(key) ?? imageRole(key)),
    unknownImage: () => (isUnknownImage(value, part) ? UNKNOWN_IMAGE : undefined),
    isFile: () => isMedia(value),
    isFileIn: (key, member) => {
      const fileRole = part?.members.get(key) ?? (isData ? 'text' : roleOf(key));
      return isMemberFile(value, part, { key, value: member, role: fileRole, isData });
    },
  };
}

/** Whether an object is data. The content of a tool result can be an object that is not a content part. */
export function isData(role: MemberRole, value: JsonObject): boolean {
  return role === 'data' || role === 'json' || (role === 'content' && typeof value.type !== 'string');
}

function kindOf({ key, parent }: MemberPosition): TextKind {
  const isSigned = key === 'text' && SIGNATURE_KEYS.some((name) => typeof parent?.[name] === 'string');
  return isSigned ? 'thought' : 'text';
}

/** Whether a string is an address: it begins with the scheme of a URL. */
export function isAddress(text: string): boolean {
  return /^\s*[a-z][a-z0-9+.-]*:/i.test(text.slice(0, 64));
}
