/** Finds the images and files of a request's body, by the rules of messages and in free-form members. */
import {
  type ImageMember,
  isAddress,
  isBinary,
  isData,
  isImageUrl,
  type Member,
  memberOf,
  type Node,
  type ObjectNode,
  readingOf,
  type StringNode,
} from '../../messages/messages.ts';
import { createStepCounter, type Steps } from '../../eventLoop.ts';
import { BodyError } from '../errors.ts';
import type { Edit } from '../json/edits.ts';
import { inOrder } from '../json/inOrder.ts';
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
export function* findingMedia({ root, members, inner = new Map(), opaqueObjects }: BodySource): Steps<Media> {
  const walk = new MediaWalk(inner, opaqueObjects);
  yield* (root.kind === 'object' ? walk.body(root, members) : walk.visit(root, 'free', false)) ?? [];
  return walk;
}

class MediaWalk implements Media {
  readonly images: ImagePlace[] = [];
  hasFiles = false;
  private readonly inner: InnerBodies;
  private readonly opaqueObjects: ReadonlySet<string> | undefined;
  private readonly isStep = createStepCounter();

  constructor(inner: InnerBodies, opaqueObjects: ReadonlySet<string> | undefined) {
    this.inner = inner;
    this.opaqueObjects = opaqueObjects;
  }

  body({ members }: ObjectNode, roles: ReadonlyMap<string, BodyRole>): Steps<void> {
    const visit = ({ name, node }: Member): Steps<void> | undefined => {
      const role = roles.get(name.value);
      if ((role === 'text' || role === 'plain') && isTokens(node)) this.hasFiles = true;
      if (node.kind !== 'string' || role !== undefined || !isBinary(node.value))
        return this.visit(node, roleOfValue(role ?? 'free', name.value, node, this.opaqueObjects), false);
      this.dataUrl(node);
      return undefined;
    };
    return inOrder(members, visit, this.isStep);
  }

  /** Visits a node, or begins to. @returns what is left */
  visit(node: Node, role: BodyRole, isMediaOnly: boolean): Steps<void> | undefined {
    switch (node.kind) {
      case 'string':
        this.string(node, role);
        return undefined;
      case 'scalar':
        return undefined;
      case 'array':
        return inOrder(node.items, (item) => this.visit(item, role, isMediaOnly), this.isStep);
      case 'object': {
        const inner = this.inner.get(node);
        return inner ? this.body(node, inner) : this.object(node, role, isMediaOnly);
      }
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

  private *object(node: ObjectNode, role: BodyRole, isInside: boolean): Steps<void> {
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
    if (reading.isFile()) this.hasFiles = true;
    let hasImage = false;
    const add = (image: ImageMember, nodeOf: (name: string) => Node | undefined): void => {
      hasImage = true;
      this.images.push(imagePlaceOf(image, nodeOf));
    };
    for (const image of reading.images()) add(image, (name) => memberOf(node, name));
    const visit = ({ name: { value: name }, node: member }: Member): Steps<void> | undefined => {
      if (reading.isFileIn(name, member.value)) this.hasFiles = true;
      const image = reading.imageIn(name, member.value);
      if (image) add(image, () => member);
      // A payload of a known part is in the reading of its object.
      const memberRole = isFree ? 'free' : roleOfValue(reading.roleOf(name), name, member, this.opaqueObjects);
      return member.kind !== 'string' || isFree ? this.visit(member, memberRole, isMediaOnly) : undefined;
    };
    yield* inOrder(node.members, visit, this.isStep);
    const unknown = hasImage ? undefined : reading.unknownImage();
    if (unknown) add(unknown, () => undefined);
  }
}

/** Whether a prompt consists of the numbers of tokens, which spell a text that cannot be read here. */
function isTokens(node: Node): boolean {
  return (
    node.kind === 'array' &&
    node.items.some((item) => (item.kind === 'scalar' && typeof item.value === 'number') || isTokens(item))
  );
}

/** @param nodeOf the member of the image's object with a name */
function imagePlaceOf({ source, put }: ImageMember, nodeOf: (name: string) => Node | undefined): ImagePlace {
  const changed = (url: string): [StringNode, string][] =>
    put(url).flatMap(({ path: [name, inner], text }): [StringNode, string][] => {
      const node = inner === undefined ? nodeOf(name) : memberOf(nodeOf(name), inner);
      return node?.kind === 'string' && node.value !== text ? [[node, text]] : [];
    });
  return {
    source,
    nodes: changed('data:image/x-none;base64,').flatMap(([node]) => (isText(node, source) ? [] : node)),
    put: (url) => changed(url).map(([node, text]) => editOf(node, text)),
  };
}

/** Whether the place of an image has another text. An image guard that reads images refuses it. */
function isText({ value }: StringNode, source: string): boolean {
  return value === source && !isAddress(value) && !isBinary(value);
}

function editOf({ start, end }: StringNode, text: string): Edit {
  return { start, end, text: JSON.stringify(text) };
}

/** Whether a string of a free-form member is a data URL. Prose can begin with "data:", but has no media type after it. */
export function isDataUrlOfType(text: string): boolean {
  return /^\s*data:\s*[a-z]+\/[a-z0-9.+-]+\s*[;,]/i.test(text.slice(0, 128));
}
