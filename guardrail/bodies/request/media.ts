/** Finds the images and files of a request's body, by the rules of messages and in free-form members. */
import {
  isAddress,
  isBinary,
  isData,
  isImageUrl,
  readingOf,
  type ImageMember,
  type Json,
  type JsonObject,
} from '../../messages/messages.ts';
import { BodyError } from '../errors.ts';
import type { Edit } from '../json/edits.ts';
import { memberOf, type Node, type ObjectNode, type StringNode } from '../json/document.ts';
import type { BodySource, InnerBodies } from '../source.ts';
import { DECIDING, messageRole, roleOfValue, type BodyRole } from '../roles.ts';

export interface ImagePlace {
  /** A data URL, an address, or an empty string for an image in an unknown form. */
  readonly source: string;
  /** The strings that contain the image or its type. */
  readonly nodes: readonly StringNode[];
  /** @returns the edits that replace the image. */
  readonly put: (dataUrl: string) => Edit[];
}

export interface Media {
  readonly images: readonly ImagePlace[];
  readonly hasFiles: boolean;
}

/** @throws BodyError if members contradict each other */
export function mediaIn({ root, members, inner = new Map(), opaqueObjects }: BodySource): Media {
  const walk = new MediaWalk(inner, opaqueObjects);
  if (root.kind === 'object') walk.body(root, members);
  else walk.visit(root, 'free', false);
  return walk;
}

class MediaWalk implements Media {
  readonly images: ImagePlace[] = [];
  hasFiles = false;
  private readonly inner: InnerBodies;
  private readonly opaqueObjects: ReadonlySet<string> | undefined;

  constructor(inner: InnerBodies, opaqueObjects: ReadonlySet<string> | undefined) {
    this.inner = inner;
    this.opaqueObjects = opaqueObjects;
  }

  body({ members }: ObjectNode, roles: ReadonlyMap<string, BodyRole>): void {
    for (const { name, node } of members) {
      const role = roles.get(name.value);
      if ((role === 'text' || role === 'plain') && isTokens(node)) this.hasFiles = true;
      if (node.kind === 'string' && role === undefined && isBinary(node.value)) this.dataUrl(node);
      else this.visit(node, roleOfValue(role ?? 'free', name.value, node, this.opaqueObjects), false);
    }
  }

  visit(node: Node, role: BodyRole, isMediaOnly: boolean): void {
    if (node.kind === 'string') this.string(node, role);
    else if (node.kind === 'array') for (const item of node.items) this.visit(item, role, isMediaOnly);
    else if (node.kind === 'object') {
      const inner = this.inner.get(node);
      if (inner) this.body(node, inner);
      else this.object(node, role, isMediaOnly);
    }
  }

  private string(node: StringNode, role: BodyRole): void {
    const isOfAnyKind = role === 'free' || role === 'customer' || role === 'plain';
    if (isOfAnyKind ? isDataUrlOfType(node.value) : role === 'payload' && isBinary(node.value)) this.dataUrl(node);
  }

  private dataUrl(node: StringNode): void {
    if (!isImageUrl(node.value)) {
      this.hasFiles = true;
      return;
    }
    const put = (url: string): Edit[] => [editOf(node, url)];
    this.images.push({ source: node.value, nodes: [node], put });
  }

  private object(node: ObjectNode, role: BodyRole, isInside: boolean): void {
    const { value } = node;
    const isFree = role === 'free' || role === 'customer';
    const isMediaOnly =
      isInside ||
      isFree ||
      role === 'opaque' ||
      role === 'kept' ||
      role === 'endUser' ||
      isData(messageRole(role), value);
    const repeated = [...(node.repeated ?? [])];
    if (!isFree && repeated.some((name) => DECIDING.has(name))) throw new BodyError('duplicate_name');
    const reading = readingOf(value, isMediaOnly ? 'text' : messageRole(role), isMediaOnly);
    if (reading.hasFile()) this.hasFiles = true;
    for (const image of reading.images()) this.images.push(imagePlaceOf(node, image));
    for (const { name, node: member } of node.members) {
      // A payload of a known part is in the reading of its object.
      const memberRole = isFree
        ? 'free'
        : roleOfValue(reading.roleOf(name.value), name.value, member, this.opaqueObjects);
      if (member.kind !== 'string' || isFree) this.visit(member, memberRole, isMediaOnly);
    }
  }
}

/** Whether a prompt consists of the numbers of tokens, which spell a text that cannot be read here. */
function isTokens(node: Node): boolean {
  return (
    node.kind === 'array' &&
    node.items.some((item) => (item.kind === 'scalar' && typeof item.value === 'number') || isTokens(item))
  );
}

function imagePlaceOf(object: ObjectNode, { source, put }: ImageMember): ImagePlace {
  const putAll = (url: string): [StringNode, string][] => changes(object, put(object.value, url));
  return {
    source,
    nodes: putAll('data:image/x-none;base64,').flatMap(([node]) => (isText(node, source) ? [] : node)),
    put: (url) => putAll(url).map(([node, text]) => editOf(node, text)),
  };
}

/** Whether the place of an image has another text. An image guard that reads images refuses it. */
function isText({ value }: StringNode, source: string): boolean {
  return value === source && !isAddress(value) && !isBinary(value);
}

/** The strings of an object that differ in a changed copy. */
function changes(node: ObjectNode, changed: JsonObject): [StringNode, string][] {
  return Object.entries(changed).flatMap(([name, value]): [StringNode, string][] => {
    const member = memberOf(node, name);
    if (member?.kind === 'string' && typeof value === 'string') return value === member.value ? [] : [[member, value]];
    return member?.kind === 'object' && isOther(value, member) ? changes(member, value) : [];
  });
}

function isOther(value: Json, member: ObjectNode): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value !== member.value;
}

function editOf({ start, end }: StringNode, text: string): Edit {
  return { start, end, text: JSON.stringify(text) };
}

/** Whether a string of a free-form member is a data URL. Prose can begin with "data:", but has no media type after it. */
export function isDataUrlOfType(text: string): boolean {
  return /^\s*data:\s*[a-z]+\/[a-z0-9.+-]+\s*[;,]/i.test(text.slice(0, 128));
}
