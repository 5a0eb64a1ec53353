/** Finds every string of a body that can carry text. */
import type { Steps } from '../eventLoop.ts';
import { TreeWalk } from '../treeWalk.ts';
import {
  type ArrayNode,
  isAddress,
  isBinary,
  isData,
  isObject,
  mayBeValue,
  type Member,
  type MemberPosition,
  type Node,
  numberKindAt,
  type ObjectNode,
  readingOf,
  type ScalarNode,
  SCHEMA_MAPS,
  SIGNATURE_KEYS,
  type StringNode,
  type TextKind,
  textKindAt,
} from '../messages/messages.ts';
import { mayBeginAddress, mayHavePseudonyms } from '../pseudonymization/pseudonymization.ts';
import { hasNodeWithin } from './json/within.ts';
import { findingMedia, isDataUrlOfType, type ImagePlace, type Media } from './request/media.ts';
import type { BodySource, InnerBodies } from './source.ts';
import {
  BINARY,
  END_USER_IDS,
  KEPT_IN_TOOLS,
  LOGPROBS,
  messageRole,
  roleOfValue,
  rolesOf,
  STRUCTURE,
  VALUES_IN_TOOLS,
  type BodyRole,
} from './roles.ts';

/** A text of a body, and where it stands. */
export interface Place {
  readonly text: string;
  readonly kind: TextKind;
  readonly start: number;
  readonly end: number;
  /**
   * How the text is written: the value of a `string`; `json` as it stands; a `member` as it stands, in an object of its
   * own; a `name` of a participant, in which providers accept no angle brackets.
   */
  readonly form: 'string' | 'json' | 'member' | 'name';
}

/** The tokens of a text in an answer. */
export interface LogprobsPlace {
  readonly node: Node;
  /** The object whose texts the tokens belong to. */
  readonly scope: ObjectNode;
}

export interface BodyContent extends Media {
  readonly places: readonly Place[];
  readonly logprobs: readonly LogprobsPlace[];
}

/**
 * Finds the texts of a request in steps. Members of the root without a role have the role `free`.
 * @throws BodyError if members contradict each other
 */
export function* readingRequest(source: BodySource): Steps<BodyContent> {
  const { images, hasFiles } = yield* findingMedia(source);
  const walk = new TextWalk(source, true, images);
  yield* walk.tree.run(() => {
    walk.root(source);
  });
  return { images, hasFiles, places: walk.places, logprobs: [] };
}

/**
 * Finds the texts of an answer in steps. Every string is a text, and nothing is an image or a file.
 * @param isKnown members of the root without a role are read as in messages; otherwise they have the role `free`
 */
export function* readingAnswer(source: BodySource, isKnown: boolean): Steps<BodyContent> {
  const walk = new TextWalk(source, false, []);
  const { root, members } = source;
  yield* walk.tree.run(() => {
    if (isKnown && root.kind === 'object') walk.answer(root, members);
    else walk.root(source);
  });
  return { images: [], hasFiles: false, places: walk.places, logprobs: walk.logprobs };
}

/** JSON of tools, and other JSON: see {@link TextKind}. */
type JsonKind = 'arguments' | 'fields';

interface Position extends Omit<MemberPosition, 'role'> {
  readonly role: BodyRole;
  /** The names of the members are the client's: the object is a map of JSON Schema. */
  readonly isSchemaMap: boolean;
  readonly isInList?: boolean;
}

/** Members of an answer with another meaning than in a message. */
const IN_ANSWERS = rolesOf({ text: 'output input response body data', free: 'metadata' });
/** Members with a whole answer: in events of OpenAI's responses, and in lines of a batch. */
const ENVELOPES: ReadonlySet<string> = new Set(['response', 'body']);

class TextWalk {
  readonly tree = new TreeWalk();
  readonly places: Place[] = [];
  readonly logprobs: LogprobsPlace[] = [];
  private readonly text: string;
  private readonly isAnswer: boolean;
  private readonly inner: InnerBodies;
  private readonly structure: ReadonlySet<string>;
  private readonly opaqueObjects: ReadonlySet<string> | undefined;
  private readonly hidesEndUser: boolean;
  /** Sorted. */
  private readonly imageNodes: readonly StringNode[];

  constructor(
    { text, inner = new Map(), structure = new Set(), opaqueObjects, hidesEndUser = false }: BodySource,
    isRequest: boolean,
    images: readonly ImagePlace[],
  ) {
    this.text = text;
    this.inner = inner;
    this.structure = structure;
    this.opaqueObjects = opaqueObjects;
    this.hidesEndUser = hidesEndUser;
    this.isAnswer = !isRequest;
    this.imageNodes = images.length === 0 ? [] : images.flatMap(({ nodes }) => nodes).sort((a, b) => a.start - b.start);
  }

  root({ root, members }: BodySource): number {
    return root.kind === 'object'
      ? this.body(root, members)
      : this.visit(root, { key: undefined, parent: undefined, role: 'free', isSchemaMap: false });
  }

  /** An answer, or the one in an event or in a line of a batch. It can repeat members of the request. */
  answer(node: ObjectNode, members: ReadonlyMap<string, BodyRole>): number {
    const reading = readingOf(node.value, 'text', false);
    const roleOf = (key: string): BodyRole => IN_ANSWERS.get(key) ?? members.get(key) ?? reading.roleOf(key);
    const visit = this.memberVisit(node, roleOf, false);
    const isEnvelope = ({ name }: Member): boolean => ENVELOPES.has(name.value);
    return this.tree.each(node.members, (member) =>
      member.node.kind === 'object' && isEnvelope(member) ? this.answer(member.node, members) : visit(member),
    );
  }

  private body(node: ObjectNode, members: ReadonlyMap<string, BodyRole>): number {
    return this.tree.each(node.members, (one) => {
      const { name, node: member } = one;
      const key = name.value;
      const known = members.get(key);
      const role = known && roleOfValue(known, key, member, this.opaqueObjects);
      if (role === undefined) return this.member(node, one);
      return this.visit(member, { key, parent: node.value, role, isSchemaMap: false });
    });
  }

  /** @returns the length of a text */
  private visit(node: Node, position: Position): number {
    switch (node.kind) {
      case 'string':
        this.string(node, position);
        return node.value.length;
      case 'scalar':
        this.number(node, position);
        return 0;
      case 'array': {
        if (position.role === 'free' && !this.hasImage(node)) {
          this.raw(node);
          return 0;
        }
        const inList = { ...position, isInList: true };
        return this.tree.each(node.items, (item) => this.visit(item, inList));
      }
      case 'object':
        return this.object(node, position);
    }
  }

  private string(node: StringNode, position: Position): void {
    const { value: text, start, end } = node;
    const kind = this.kindOf(text, position);
    if (kind === undefined || text === '' || this.hasImage(node)) return;
    this.add({
      text,
      kind,
      start,
      end,
      form: kind === 'identifier' || isParticipantName(position) ? 'name' : 'string',
    });
  }

  /** A number in place of a text. It becomes a string if it is replaced. */
  private number({ value, start, end }: ScalarNode, position: Position): void {
    if (this.isAnswer || typeof value !== 'number') return;
    const text = this.text.slice(start, end);
    const kind = numberKindAt(text, { ...position, role: messageRole(position.role) }, position.isInList === true);
    if (kind !== undefined) this.add({ text, kind, start, end, form: 'string' });
  }

  private kindOf(text: string, position: Position): TextKind | undefined {
    const { key, role } = position;
    if (this.isAnswer) {
      if (key !== undefined && BINARY.has(key)) return undefined;
      // A client may load an address that the model wrote.
      if (role === 'opaque' || role === 'kept' || role === 'endUser') return isAddress(text) ? undefined : 'text';
    }
    if (role === 'free' || role === 'customer' || role === 'plain') return isDataUrlOfType(text) ? undefined : 'text';
    if (role === 'kept') return undefined;
    if (role === 'endUser') return this.hidesEndUser ? 'identifier' : undefined;
    if (isParticipantName(position) || (this.isAnswer && role === 'tools')) return 'text';
    const kind = textKindAt(text, { ...position, role });
    return kind === undefined && (role === 'opaque' || role === 'tools') && isProse(text, key) ? 'text' : kind;
  }

  private object(node: ObjectNode, position: Position): number {
    const { role, key } = position;
    const inner = this.inner.get(node);
    if (inner) return this.body(node, inner);
    if (role === 'opaque' || role === 'kept' || role === 'endUser')
      return this.isAnswer ? this.raw(node) : this.members(node, () => role, false);
    if (role === 'customer' && !this.isAnswer) return this.split(node, 'fields', END_USER_IDS);
    const isOfTool = isData(messageRole(role), node.value);
    if (role === 'free' || role === 'customer' || isOfTool || this.isForeign(node, position)) {
      const kind = isOfTool && role !== 'free' && role !== 'customer' ? 'arguments' : 'fields';
      return this.hasImage(node) ? this.split(node, kind) : this.raw(node, kind);
    }
    const reading = readingOf(node.value, messageRole(role), false);
    const isMap = role === 'tools' && key !== undefined && SCHEMA_MAPS.has(key) && !position.isSchemaMap;
    const isSchema = role === 'tools' && !isMap;
    const kept = this.opaqueObjects ? 'data' : 'kept';
    const inTools = (name: string): BodyRole | undefined =>
      KEPT_IN_TOOLS.has(name) ? kept : VALUES_IN_TOOLS.has(name) ? 'data' : undefined;
    return this.members(node, (name) => (isSchema ? inTools(name) : undefined) ?? reading.roleOf(name), isMap);
  }

  /** Whether an object in a request is no part of the API's messages, so that its names are no names of the API. */
  private isForeign(node: ObjectNode, { role, key }: Position): boolean {
    return (
      !this.isAnswer &&
      (role === 'text' || role === 'plain') &&
      typeof node.value.type !== 'string' &&
      !STRUCTURE.has(key ?? '') &&
      !this.structure.has(key ?? '')
    );
  }

  private members(node: ObjectNode, roleOf: (key: string) => BodyRole, isSchemaMap: boolean): number {
    return this.tree.each(node.members, this.memberVisit(node, roleOf, isSchemaMap));
  }

  private memberVisit(
    node: ObjectNode,
    roleOf: (key: string) => BodyRole,
    isSchemaMap: boolean,
  ): (member: Member) => number {
    return ({ name, node: member }) => {
      const key = name.value;
      if (this.isAnswer && LOGPROBS.has(key)) {
        this.logprobs.push({ node: member, scope: node });
        return 0;
      }
      if (this.isAnswer) this.name(name);
      else if (isSchemaMap && mayBeValue(key)) this.key(name);
      const role = roleOfValue(roleOf(key), key, member, this.opaqueObjects);
      return this.visit(member, { key, parent: node.value, role, isSchemaMap });
    };
  }

  /** Gives the members of free-form data one by one. */
  private split(node: ObjectNode, kind: JsonKind, endUserIds?: ReadonlySet<string>): number {
    return this.tree.each(node.members, (member) => {
      const { name, node: value } = member;
      if (value.kind !== 'string' || endUserIds?.has(name.value) !== true) return this.member(node, member, kind);
      this.string(value, { key: name.value, parent: node.value, role: 'endUser', isSchemaMap: false });
      return value.value.length;
    });
  }

  /** Gives a free-form member: as one JSON text, or the texts around an image. */
  private member(parent: ObjectNode, { name, node }: Member, kind: JsonKind = 'fields'): number {
    if (this.hasImage(node)) {
      this.name(name);
      return this.visit(node, { key: name.value, parent: parent.value, role: 'free', isSchemaMap: false });
    }
    const text = `{${this.text.slice(name.start, node.end)}}`;
    this.add({ text, kind: this.isAnswer ? 'arguments' : kind, start: name.start, end: node.end, form: 'member' });
    return 0;
  }

  private key({ value: text, start, end }: StringNode): void {
    this.add({ text, kind: 'key', start, end, form: 'string' });
  }

  private name({ value: text, start, end }: StringNode): void {
    this.add({ text, kind: 'text', start, end, form: 'string' });
  }

  /** Gives an object or an array as one JSON text, so that names and numbers are checked too. */
  private raw(node: ObjectNode | ArrayNode, kind: JsonKind = 'fields'): number {
    const { start, end } = node;
    const isEmpty = node.kind === 'object' ? node.members.length === 0 : node.items.length === 0;
    if (isEmpty) return 0;
    this.add({ text: this.text.slice(start, end), kind: this.isAnswer ? 'arguments' : kind, start, end, form: 'json' });
    return 0;
  }

  private add(place: Place): void {
    const { text, kind } = place;
    if (!this.isAnswer || mayHavePseudonyms(text) || (kind === 'text' && mayBeginAddress(text)))
      this.places.push(place);
  }

  private hasImage(node: Node): boolean {
    return hasNodeWithin(this.imageNodes, node);
  }
}

/**
 * Whether a string stands where the API has a keyword, an id or a name, and can be none of them. Signatures and encrypted
 * data stay, and so do addresses of files.
 */
function isProse(text: string, key: string | undefined): boolean {
  if (!/[\s@]/.test(text) || (isAddress(text) && !/\s/.test(text.trim())) || isBinary(text)) return false;
  return key === undefined || !(key.startsWith('encrypted_') || SIGNATURE_KEYS.some((name) => name === key));
}

/** Whether a member is the name of a participant of a chat: the name of a function has a role of its own. */
function isParticipantName({ key, parent, role }: Position): boolean {
  const author = key === 'name' && role === 'opaque' && isObject(parent) ? parent.role : undefined;
  return typeof author === 'string' && author !== 'function' && author !== 'tool';
}
