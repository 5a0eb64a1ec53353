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
export class ObjectReading {
  private readonly value: JsonObject;
  private readonly role: MemberRole;
  private readonly part: ContentPart | undefined;
  /** The object is data of a tool, or a definition of one: only parts in the table have images and files. */
  private readonly isData: boolean;
  private readonly isUnknown: boolean;

  constructor(value: JsonObject, role: MemberRole, isMediaOnly: boolean) {
    this.value = value;
    this.role = role;
    this.part = typeof value.type === 'string' ? contentPartOf(value.type) : undefined;
    this.isData = isMediaOnly || role === 'tools';
    this.isUnknown = typeof value.type === 'string' && !this.part && !isMediaOnly;
  }

  roleOf(key: string): MemberRole {
    const { role } = this;
    if (role === 'tools') return 'tools';
    // The address of an image or a file is handled with its part.
    if (key === 'url' && (role === 'image' || role === 'file')) return 'opaque';
    return this.part?.members.get(key) ?? (this.isUnknown ? unknownRole(key) : generalRole(key));
  }

  /** The images in members of known names. */
  images(): ImageMember[] {
    return namedImages(this.value);
  }

  /** The image in a member, by its role. */
  imageIn(key: string, member: Json): ImageMember | undefined {
    const role = this.part?.members.get(key) ?? (this.isData ? generalRole(key) : this.roleOf(key));
    return memberImage(this.value, key, member, role);
  }

  /** The image that the object is if no other was found in it. */
  unknownImage(): ImageMember | undefined {
    return isUnknownImage(this.value, this.part) ? UNKNOWN_IMAGE : undefined;
  }

  /** Whether the object is a file or a recording by its media type. */
  isFile(): boolean {
    return isMedia(this.value);
  }

  /** Whether a member is or refers to a file or a recording. */
  isFileIn(key: string, member: Json): boolean {
    const { value, part, isData } = this;
    const role = part?.members.get(key) ?? (isData ? 'text' : this.roleOf(key));
    return isMemberFile(value, part, { key, value: member, role, isData });
  }
}

/**
 * @param role the role of the object
 * @param isMediaOnly the object is in data of a tool or in an opaque member, whose texts are not visited one by one
 */
export function readingOf(value: JsonObject, role: MemberRole, isMediaOnly: boolean): ObjectReading {
  return new ObjectReading(value, role, isMediaOnly);
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
