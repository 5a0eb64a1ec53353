import { STEP_UNITS, type Steps } from '../eventLoop.ts';
import { TreeWalk } from '../treeWalk.ts';
import {
  defineMember,
  DocumentTooDeepError,
  isObject,
  MAX_NESTING,
  type Json,
  type JsonObject,
  type MessageField,
  type MessageVisitor,
  type TextKind,
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
    let visited: Json[] = [];
    const walk = new MessageWalk(visitor);
    yield* walk.tree.run(() => {
      walk.list(values, position, (all) => {
        visited = all;
      });
    });
    return visited;
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

/** Takes what became of a value. It is called after what was visited before, and before what comes after. */
type Put<T> = (visited: T) => unknown;

class MessageWalk {
  readonly tree = new TreeWalk();
  private readonly visitor: MessageVisitor;
  private readonly wantsMedia: boolean;

  constructor(visitor: MessageVisitor) {
    this.visitor = visitor;
    this.wantsMedia = visitor.image !== undefined || visitor.file !== undefined;
  }

  /** Visits the elements of a list, each at the same position. */
  list(values: readonly Json[], position: Position, put: Put<Json[]>): void {
    const visited: Json[] = [];
    const push = (result: Json): number => visited.push(result);
    this.tree.each(
      values,
      (value) => this.visit(value, position, push),
      () => put(visited),
    );
  }

  /** @returns the length of a text */
  private visit(value: Json, position: Position, put: Put<Json>): number {
    if (typeof value === 'string') {
      put(this.visitText(value, position));
      return value.length;
    }
    if (typeof value === 'number') put(this.visitNumber(value, position));
    else if (typeof value !== 'object' || value === null) put(value);
    else this.container(value, position, put);
    return 0;
  }

  private container(value: Json[] | JsonObject, position: Position, put: Put<Json>): void {
    const { role, nesting, isMediaOnly } = position;
    if (nesting >= MAX_NESTING) throw new TooDeepError();
    if (Array.isArray(value)) {
      const inList = { ...position, nesting: nesting + 1, isInList: true };
      this.list(value, inList, (visited) =>
        put(visited.some((element, at) => element !== value[at]) ? visited : value),
      );
    } else if (role === 'opaque') this.media(value, position, put);
    else if (isData(role, value) && !isMediaOnly) this.data(value, position, put);
    else this.object(value, position, put);
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

  private object(value: JsonObject, position: Position, done: Put<JsonObject>): void {
    const { role, isMediaOnly } = position;
    const reading = readingOf(value, role, isMediaOnly);
    const media = this.wantsMedia ? new ObjectMedia(value, reading, this.visitor) : undefined;
    const isSchemaMap =
      role === 'tools' && position.key !== undefined && SCHEMA_MAPS.has(position.key) && !position.isSchemaMap;
    const names: string[] = [];
    const visited: Json[] = [];
    let isChanged = false;
    let name = '';
    const put = (result: Json): void => {
      isChanged ||= result !== value[name];
      visited.push(result);
    };
    const visit = (key: string): number => {
      name = key;
      names.push(isSchemaMap ? this.name(key) : key);
      isChanged ||= names.at(-1) !== key;
      return this.visit(
        media?.member(key) ?? value[key] ?? null,
        {
          ...{ key, parent: value, role: reading.roleOf(key), nesting: position.nesting + 1 },
          ...{ isMediaOnly, isInList: false, isSchemaMap },
        },
        put,
      );
    };
    this.tree.each(namesOf(value), visit, () => {
      media?.end();
      // An object with many members is visited several times in a call, and seldom changed.
      if (isChanged) this.changed(names, visited, done);
      else done(value);
    });
  }

  private changed(names: readonly string[], values: readonly Json[], put: Put<JsonObject>): void {
    const object: JsonObject = {};
    let at = 0;
    const define = (name: string): number => {
      defineMember(object, name, values[at++] ?? null);
      return 0;
    };
    this.tree.each(names, define, () => {
      keepNames(object, names);
      put(object);
    });
  }

  /** Visits the name of a property. */
  private name(name: string): string {
    const { text } = this.visitor;
    return text && mayBeValue(name) ? text(name, 'key') : name;
  }

  /** Visits images and files only. An opaque member has no text for the model, but may contain an image or a file. */
  private media(value: JsonObject, position: Position, put: Put<JsonObject>): void {
    if (this.wantsMedia) this.object(value, { ...position, role: 'text', isMediaOnly: true }, put);
    else put(value);
  }

  /** Visits data of the client, the model or a tool as JSON text. */
  private data(value: JsonObject, position: Position, put: Put<Json>): void {
    const { text: rewrite } = this.visitor;
    this.media(value, position, (visited) => {
      if (rewrite) this.tree.work(rewriting(visited, rewrite), put);
      else put(visited);
    });
  }
}

function* rewriting(data: JsonObject, rewrite: (text: string, kind: TextKind) => string): Steps<Json> {
  const text = yield* writingText(data);
  const rewritten = rewrite(text, 'arguments');
  if (rewritten === text) return data;
  return rewritten.length < STEP_UNITS ? (JSON.parse(rewritten) as Json) : (yield* parsing(rewritten)).root.value;
}

/** The images and the file in one object, without its descendants. */
class ObjectMedia {
  private readonly object: JsonObject;
  private readonly reading: ObjectReading;
  private readonly visitor: MessageVisitor;
  /** The members in which an image is replaced. */
  private replaced: Map<string, Json> | undefined;
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
      this.replaced ??= new Map();
      this.replaced.set(name, inner !== undefined && isObject(old) ? { ...old, [inner]: text } : text);
    }
  }

  private valueOf(name: string): Json {
    return this.replaced?.get(name) ?? this.object[name] ?? null;
  }
}
