/** Finds every string of a body that can carry text. */
import {
  isAddress,
  isBinary,
  isData,
  isObject,
  mayBeValue,
  numberKindAt,
  readingOf,
  SCHEMA_MAPS,
  SIGNATURE_KEYS,
  textKindAt,
  type MemberPosition,
  type TextKind,
} from '../messages/messages.ts';
import { mayBeginAddress, mayHavePseudonyms } from '../pseudonymization/pseudonymization.ts';
import type { ArrayNode, Member, Node, ObjectNode, ScalarNode, StringNode } from './json/document.ts';
import { hasNodeWithin } from './json/within.ts';
import { isDataUrlOfType, mediaIn, type Media } from './request/media.ts';
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
 * Members of the root without a role have the role `free`.
 * @throws BodyError if members contradict each other
 */
export function contentOfRequest(source: BodySource): BodyContent {
  const media = mediaIn(source);
  const walk = new TextWalk(source, 'request', media);
  return { ...media, places: walk.places, logprobs: [] };
}

/**
 * In an answer every string is a text, and nothing is an image or a file.
 * @param isKnown members of the root without a role are read as in messages; otherwise they have the role `free`
 */
export function contentOfAnswer(source: BodySource, isKnown: boolean): BodyContent {
  const media = { images: [], hasFiles: false };
  const walk = new TextWalk(source, isKnown ? 'known answer' : 'answer', media);
  return { ...media, places: walk.places, logprobs: walk.logprobs };
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
    { root, text, members, inner = new Map(), structure = new Set(), opaqueObjects, hidesEndUser = false }: BodySource,
    phase: 'request' | 'answer' | 'known answer',
    { images }: Media,
  ) {
    this.text = text;
    this.inner = inner;
    this.structure = structure;
    this.opaqueObjects = opaqueObjects;
    this.hidesEndUser = hidesEndUser;
    this.isAnswer = phase !== 'request';
    this.imageNodes = images.length === 0 ? [] : images.flatMap(({ nodes }) => nodes).sort((a, b) => a.start - b.start);
    if (root.kind === 'object' && phase === 'known answer') this.answer(root, members);
    else if (root.kind === 'object') this.body(root, members);
    else this.visit(root, { key: undefined, parent: undefined, role: 'free', isSchemaMap: false });
  }

  private body(node: ObjectNode, members: ReadonlyMap<string, BodyRole>): void {
    for (const { name, node: member } of node.members) {
      const key = name.value;
      const known = members.get(key);
      const role = known && roleOfValue(known, key, member, this.opaqueObjects);
      if (role !== undefined) this.visit(member, { key, parent: node.value, role, isSchemaMap: false });
      else this.member(node, { name, node: member });
    }
  }

  /** An answer, or the one in an event or in a line of a batch. It can repeat members of the request. */
  private answer(node: ObjectNode, members: ReadonlyMap<string, BodyRole>): void {
    const { roleOf } = readingOf(node.value, 'text', false);
    const [inner, own] = partition(
      node.members,
      ({ name, node: { kind } }) => ENVELOPES.has(name.value) && kind === 'object',
    );
    for (const member of inner) if (member.node.kind === 'object') this.answer(member.node, members);
    this.members({ ...node, members: own }, (key) => IN_ANSWERS.get(key) ?? members.get(key) ?? roleOf(key), false);
  }

  private visit(node: Node, position: Position): void {
    const { role } = position;
    if (node.kind === 'string') this.string(node, position);
    else if (node.kind === 'scalar') this.number(node, position);
    else if (node.kind === 'array') {
      if (role === 'free' && !this.hasImage(node)) this.raw(node);
      else for (const item of node.items) this.visit(item, { ...position, isInList: true });
    } else this.object(node, position);
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

  private object(node: ObjectNode, position: Position): void {
    const { role, key } = position;
    const inner = this.inner.get(node);
    if (inner) this.body(node, inner);
    else if (role === 'opaque' || role === 'kept' || role === 'endUser') {
      if (this.isAnswer) this.raw(node);
      else this.members(node, () => role, false);
    } else if (role === 'customer' && !this.isAnswer) this.split(node, 'fields', END_USER_IDS);
    else if (
      role === 'free' ||
      role === 'customer' ||
      isData(messageRole(role), node.value) ||
      this.isForeign(node, position)
    ) {
      const isKnown = role !== 'free' && role !== 'customer' && isData(messageRole(role), node.value);
      const kind = isKnown ? 'arguments' : 'fields';
      if (this.hasImage(node)) this.split(node, kind);
      else this.raw(node, kind);
    } else {
      const { roleOf } = readingOf(node.value, messageRole(role), false);
      const isMap = role === 'tools' && key !== undefined && SCHEMA_MAPS.has(key) && !position.isSchemaMap;
      const isSchema = role === 'tools' && !isMap;
      const kept = this.opaqueObjects ? 'data' : 'kept';
      const inTools = (name: string): BodyRole | undefined =>
        KEPT_IN_TOOLS.has(name) ? kept : VALUES_IN_TOOLS.has(name) ? 'data' : undefined;
      this.members(node, (name) => (isSchema ? inTools(name) : undefined) ?? roleOf(name), isMap);
    }
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

  private members(node: ObjectNode, roleOf: (key: string) => BodyRole, isSchemaMap: boolean): void {
    for (const { name, node: member } of node.members) {
      const key = name.value;
      if (this.isAnswer && LOGPROBS.has(key)) this.logprobs.push({ node: member, scope: node });
      else {
        if (this.isAnswer) this.name(name);
        else if (isSchemaMap && mayBeValue(key)) this.key(name);
        const role = roleOfValue(roleOf(key), key, member, this.opaqueObjects);
        this.visit(member, { key, parent: node.value, role, isSchemaMap });
      }
    }
  }

  /** Gives the members of free-form data one by one. */
  private split(node: ObjectNode, kind: JsonKind, endUserIds?: ReadonlySet<string>): void {
    for (const member of node.members) {
      const { name, node: value } = member;
      const isEndUser = value.kind === 'string' && endUserIds?.has(name.value) === true;
      if (!isEndUser) this.member(node, member, kind);
      else this.string(value, { key: name.value, parent: node.value, role: 'endUser', isSchemaMap: false });
    }
  }

  /** Gives a free-form member: as one JSON text, or the texts around an image. */
  private member(parent: ObjectNode, { name, node }: Member, kind: JsonKind = 'fields'): void {
    if (this.hasImage(node)) {
      this.name(name);
      this.visit(node, { key: name.value, parent: parent.value, role: 'free', isSchemaMap: false });
    } else {
      const text = `{${this.text.slice(name.start, node.end)}}`;
      this.add({ text, kind: this.isAnswer ? 'arguments' : kind, start: name.start, end: node.end, form: 'member' });
    }
  }

  private key({ value: text, start, end }: StringNode): void {
    this.add({ text, kind: 'key', start, end, form: 'string' });
  }

  private name({ value: text, start, end }: StringNode): void {
    this.add({ text, kind: 'text', start, end, form: 'string' });
  }

  /** Gives an object or an array as one JSON text, so that names and numbers are checked too. */
  private raw(node: ObjectNode | ArrayNode, kind: JsonKind = 'fields'): void {
    const { start, end } = node;
    const isEmpty = node.kind === 'object' ? node.members.length === 0 : node.items.length === 0;
    if (isEmpty) return;
    this.add({ text: this.text.slice(start, end), kind: this.isAnswer ? 'arguments' : kind, start, end, form: 'json' });
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

function partition(members: readonly Member[], test: (member: Member) => boolean): [Member[], Member[]] {
  return [members.filter(test), members.filter((member) => !test(member))];
}
