import { createStepCounter, STEP_UNITS, type Steps } from '../eventLoop.ts';
import {
  defineMember,
  DocumentTooDeepError,
  isObject,
  MAX_NESTING,
  type Json,
  type JsonObject,
  type MessageField,
  type MessageVisitor,
} from './contract.ts';
import { SCHEMA_MAPS } from './contentParts.ts';
import { parsing } from './json/document.ts';
import { keepNames, namesOf } from './json/names.ts';
import { TooDeepError, writingText } from './json/writer.ts';
import type { ImageMember } from './media.ts';
import {
  isData,
  mayBeValue,
  numberKindAt,
  readingOf,
  textKindAt,
  type MemberPosition,
  type ObjectReading,
} from './roles.ts';

/**
 * Visits every text, image and file in messages or tool calls, at any depth, in steps.
 * @returns the messages with the replacements of the visitor. Unchanged messages are the same objects.
 * @throws DocumentTooDeepError
 */
export function visitingMessages(
  messages: readonly Json[],
  visitor: MessageVisitor,
  field: Exclude<MessageField, 'tools'>,
): Steps<Json[]> {
  return visiting(messages, visitor, field, ROOT);
}

/** Visits the texts of tool definitions, in steps. */
export function visitingTools(tools: readonly Json[], visitor: MessageVisitor): Steps<Json[]> {
  return visiting(tools, visitor, 'tools', { ...ROOT, role: 'tools' });
}

function* visiting(
  values: readonly Json[],
  visitor: MessageVisitor,
  field: MessageField,
  position: Position,
): Steps<Json[]> {
  try {
    return yield* new MessageWalk(visitor).list(values, position);
  } catch (error) {
    throw error instanceof TooDeepError ? new DocumentTooDeepError(field) : error;
  }
}

/** The position of a value in a message. */
interface Position extends MemberPosition {
  readonly nesting: number;
  /** The value is in data of a tool or in an opaque member. Its texts are not visited one by one. */
  readonly isMediaOnly: boolean;
  readonly isInList: boolean;
  /** The names of the members are the client's: the object is a map of JSON Schema. */
  readonly isSchemaMap: boolean;
}

const ROOT: Position = {
  ...{ key: undefined, parent: undefined, role: 'text', nesting: 0 },
  ...{ isMediaOnly: false, isInList: false, isSchemaMap: false },
};

/** Walks over values in steps. A string, a number or a keyword is visited at once. */
class MessageWalk {
  private readonly visitor: MessageVisitor;
  private readonly wantsMedia: boolean;
  private readonly isStep = createStepCounter();

  constructor(visitor: MessageVisitor) {
    this.visitor = visitor;
    this.wantsMedia = visitor.image !== undefined || visitor.file !== undefined;
  }

  /** Visits the elements of a list, each at the same position. */
  *list(values: readonly Json[], position: Position): Steps<Json[]> {
    const visited: Json[] = [];
    for (const value of values) {
      visited.push(isLeaf(value) ? this.leaf(value, position) : yield* this.container(value, position));
      if (this.isStep(unitsOf(value))) yield;
    }
    return visited;
  }

  private leaf(value: Leaf, position: Position): Json {
    if (typeof value === 'string') return this.visitText(value, position);
    return typeof value === 'number' ? this.visitNumber(value, position) : value;
  }

  private *container(value: Container, position: Position): Steps<Json> {
    const { role, nesting, isMediaOnly } = position;
    if (nesting >= MAX_NESTING) throw new TooDeepError();
    if (Array.isArray(value)) {
      const visited = yield* this.list(value, { ...position, nesting: nesting + 1, isInList: true });
      return visited.some((element, at) => element !== value[at]) ? visited : value;
    }
    if (role === 'opaque') return yield* this.media(value, position);
    if (isData(role, value) && !isMediaOnly) return yield* this.data(value, position);
    return yield* this.object(value, position);
  }

  private visitText(text: string, position: Position): string {
    const { text: rewrite } = this.visitor;
    if (!rewrite || position.isMediaOnly) return text;
    const kind = textKindAt(text, position);
    return kind === undefined ? text : rewrite(text, kind);
  }

  /** A number that stands in place of a text: it becomes a string if it is replaced. */
  private visitNumber(value: number, position: Position): Json {
    const { text: rewrite } = this.visitor;
    if (!rewrite || position.isMediaOnly) return value;
    const text = String(value);
    const kind = numberKindAt(text, position, position.isInList);
    if (kind === undefined) return value;
    const rewritten = rewrite(text, kind);
    return rewritten === text ? value : rewritten;
  }

  private *object(value: JsonObject, position: Position): Steps<JsonObject> {
    const { role, isMediaOnly } = position;
    const reading = readingOf(value, role, isMediaOnly);
    const media = this.wantsMedia ? new ObjectMedia(value, reading, this.visitor) : undefined;
    const isSchemaMap =
      role === 'tools' && position.key !== undefined && SCHEMA_MAPS.has(position.key) && !position.isSchemaMap;
    const names: string[] = [];
    const visited: Json[] = [];
    let isChanged = false;
    for (const key of namesOf(value)) {
      const member = media?.member(key) ?? value[key] ?? null;
      const at = {
        ...{ key, parent: value, role: reading.roleOf(key), nesting: position.nesting + 1 },
        ...{ isMediaOnly, isInList: false, isSchemaMap },
      };
      const result = isLeaf(member) ? this.leaf(member, at) : yield* this.container(member, at);
      const name = isSchemaMap ? this.name(key) : key;
      isChanged ||= result !== value[key] || name !== key;
      names.push(name);
      visited.push(result);
      if (this.isStep(unitsOf(member))) yield;
    }
    media?.end();
    // An object with many members is visited several times in a call, and seldom changed.
    return isChanged ? yield* this.objectOf(names, visited) : value;
  }

  private *objectOf(names: readonly string[], values: readonly Json[]): Steps<JsonObject> {
    const object: JsonObject = {};
    for (const [at, name] of names.entries()) {
      defineMember(object, name, values[at] ?? null);
      if (this.isStep(0)) yield;
    }
    keepNames(object, names);
    return object;
  }

  /** Visits the name of a property. */
  private name(name: string): string {
    const { text } = this.visitor;
    return text && mayBeValue(name) ? text(name, 'key') : name;
  }

  /** Visits images and files only. An opaque member has no text for the model, but may contain an image or a file. */
  private *media(value: JsonObject, position: Position): Steps<JsonObject> {
    return this.wantsMedia ? yield* this.object(value, { ...position, role: 'text', isMediaOnly: true }) : value;
  }

  /** Visits data of the client, the model or a tool as JSON text. */
  private *data(value: JsonObject, position: Position): Steps<Json> {
    const visited = yield* this.media(value, position);
    const { text: rewrite } = this.visitor;
    if (!rewrite) return visited;
    const text = yield* writingText(visited, this.isStep);
    const rewritten = rewrite(text, 'arguments');
    return rewritten === text ? visited : yield* this.read(rewritten);
  }

  private *read(text: string): Steps<Json> {
    return text.length < STEP_UNITS ? (JSON.parse(text) as Json) : (yield* parsing(text)).root.value;
  }
}

type Container = Json[] | JsonObject;
type Leaf = Exclude<Json, Container>;

function isLeaf(value: Json): value is Leaf {
  return typeof value !== 'object' || value === null;
}

/** The length of what is read of a value without its descendants. */
const unitsOf = (value: Json): number => (typeof value === 'string' ? value.length : 0);

/** The images and the file in one object, without its descendants. */
class ObjectMedia {
  private readonly object: JsonObject;
  private readonly reading: ObjectReading;
  private readonly visitor: MessageVisitor;
  /** The members in which an image is replaced. */
  private readonly replaced = new Map<string, Json>();
  private hasFile: boolean;
  private hasImage = false;

  constructor(object: JsonObject, reading: ObjectReading, visitor: MessageVisitor) {
    this.object = object;
    this.reading = reading;
    this.visitor = visitor;
    this.hasFile = reading.isFile();
    for (const image of visitor.image ? reading.images() : []) this.visit(image);
  }

  /** Visits a member. @returns the member, with its images replaced */
  member(key: string): Json {
    const { reading, visitor } = this;
    const value = this.valueOf(key);
    this.hasFile ||= visitor.file !== undefined && reading.isFileIn(key, value);
    const image = visitor.image && reading.imageIn(key, value);
    if (image) this.visit(image);
    return image ? this.valueOf(key) : value;
  }

  /** After the last member. */
  end(): void {
    if (this.hasFile) this.visitor.file?.();
    const image = this.hasImage || !this.visitor.image ? undefined : this.reading.unknownImage();
    if (image) this.visit(image);
  }

  private visit({ source, put }: ImageMember): void {
    this.hasImage = true;
    const url = this.visitor.image?.(source);
    if (url === undefined) return;
    for (const { path, text } of put(url)) {
      const [name, inner] = path;
      const old = this.valueOf(name);
      this.replaced.set(name, inner !== undefined && isObject(old) ? { ...old, [inner]: text } : text);
    }
  }

  private valueOf(name: string): Json {
    return this.replaced.get(name) ?? this.object[name] ?? null;
  }
}
