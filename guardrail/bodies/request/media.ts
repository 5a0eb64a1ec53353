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
import type { Steps } from '../../eventLoop.ts';
import { TreeWalk } from '../../treeWalk.ts';
import { BodyError } from '../errors.ts';
import type { Edit } from '../json/edits.ts';
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
  yield* walk.tree.run(() => {
    if (root.kind === 'object') walk.body(root, members);
    else walk.visit(root, 'free', false);
  });
  return walk;
}

class MediaWalk implements Media {
  readonly tree = new TreeWalk();
  readonly images: ImagePlace[] = [];
  hasFiles = false;
  private readonly inner: InnerBodies;
  private readonly opaqueObjects: ReadonlySet<string> | undefined;

  constructor(inner: InnerBodies, opaqueObjects: ReadonlySet<string> | undefined) {
    this.inner = inner;
    this.opaqueObjects = opaqueObjects;
  }

  body({ members }: ObjectNode, roles: ReadonlyMap<string, BodyRole>): number {
    const visit = ({ name, node }: Member): number => {
      const role = roles.get(name.value);
      if ((role === 'text' || role === 'plain') && isTokens(node)) this.hasFiles = true;
      if (node.kind !== 'string' || role !== undefined || !isBinary(node.value))
        return this.visit(node, roleOfValue(role ?? 'free', name.value, node, this.opaqueObjects), false);
      this.dataUrl(node);
      return 0;
    };
    return this.tree.each(members, visit);
  }

  /** @returns the length of a text */
  visit(node: Node, role: BodyRole, isMediaOnly: boolean): number {
    switch (node.kind) {
      case 'string':
        this.string(node, role);
        return node.value.length;
      case 'scalar':
        return 0;
      case 'array':
        return this.tree.each(node.items, (item) => this.visit(item, role, isMediaOnly));
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

  private object(node: ObjectNode, role: BodyRole, isInside: boolean): number {
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
    const visit = ({ name: { value: name }, node: member }: Member): number => {
      if (reading.isFileIn(name, member.value)) this.hasFiles = true;
      const image = reading.imageIn(name, member.value);
      if (image) add(image, () => member);
      // A payload of a known part is in the reading of its object.
      const memberRole = isFree ? 'free' : roleOfValue(reading.roleOf(name), name, member, this.opaqueObjects);
      return member.kind !== 'string' || isFree ? this.visit(member, memberRole, isMediaOnly) : member.value.length;
    };
    return this.tree.each(node.members, visit, () => {
      const unknown = hasImage ? undefined : reading.unknownImage();
      if (unknown) add(unknown, () => undefined);
    });
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
