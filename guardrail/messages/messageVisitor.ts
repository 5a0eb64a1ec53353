import {
  DocumentTooDeepError,
  MAX_NESTING,
  type Json,
  type JsonObject,
  type MessageField,
  type MessageVisitor,
} from './contract.ts';
import { SCHEMA_MAPS } from './contentParts.ts';
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
 * Visits every text, image and file in messages or tool calls, at any depth.
 * @returns the messages with the replacements of the visitor. Unchanged messages are the same objects.
 * @throws DocumentTooDeepError
 */
export function visitMessages(messages: readonly Json[], visitor: MessageVisitor, field: MessageField): Json[] {
  const walk = new MessageWalk(visitor);
  return withFieldName(field, () => messages.map((message) => walk.visit(message, ROOT)));
}

/** Visits the texts of tool definitions. */
export function visitTools(tools: readonly Json[], visitor: MessageVisitor): Json[] {
  const walk = new MessageWalk(visitor);
  return withFieldName('tools', () => tools.map((tool) => walk.visit(tool, { ...ROOT, role: 'tools' })));
}

/** Thrown where the depth is exceeded. The field is added by {@link withFieldName}. */
class TooDeep extends Error {}

function withFieldName<T>(field: MessageField, walk: () => T): T {
  try {
    return walk();
  } catch (error) {
    throw error instanceof TooDeep ? new DocumentTooDeepError(field) : error;
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

class MessageWalk {
  private readonly visitor: MessageVisitor;
  private readonly wantsMedia: boolean;

  constructor(visitor: MessageVisitor) {
    this.visitor = visitor;
    this.wantsMedia = visitor.image !== undefined || visitor.file !== undefined;
  }

  visit(value: Json, position: Position): Json {
    if (typeof value === 'string') return this.visitText(value, position);
    if (typeof value === 'number') return this.visitNumber(value, position);
    if (typeof value !== 'object' || value === null) return value;
    if (position.nesting >= MAX_NESTING) throw new TooDeep();
    if (Array.isArray(value)) return this.visitArray(value, position);
    const { role } = position;
    if (role === 'opaque') return this.visitMedia(value, position);
    if (isData(role, value) && !position.isMediaOnly) return this.visitData(value, position);
    return this.visitObject(value, position);
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

  private visitArray(value: Json[], position: Position): Json {
    const inList = { ...position, nesting: position.nesting + 1, isInList: true };
    const visited = value.map((element) => this.visit(element, inList));
    return visited.some((element, at) => element !== value[at]) ? visited : value;
  }

  private visitObject(value: JsonObject, position: Position): JsonObject {
    const { role, isMediaOnly } = position;
    const reading = readingOf(value, role, isMediaOnly);
    let object = value;
    if (this.wantsMedia) {
      if (this.visitor.file && reading.hasFile()) this.visitor.file();
      object = this.visitImages(value, reading);
    }
    const isSchemaMap =
      role === 'tools' && position.key !== undefined && SCHEMA_MAPS.has(position.key) && !position.isSchemaMap;
    const visited = mapMembers(object, (member, key) =>
      this.visit(member, {
        ...{ key, parent: value, role: reading.roleOf(key), nesting: position.nesting + 1 },
        ...{ isMediaOnly, isInList: false, isSchemaMap },
      }),
    );
    return isSchemaMap ? this.visitNames(visited) : visited;
  }

  /** Visits the names of properties. */
  private visitNames(value: JsonObject): JsonObject {
    const { text } = this.visitor;
    if (!text || !Object.keys(value).some(mayBeValue)) return value;
    const renamed = Object.entries(value).map(([name, member]): [string, Json] => [
      mayBeValue(name) ? text(name, 'key') : name,
      member,
    ]);
    return renamed.some(([name]) => !Object.hasOwn(value, name)) ? Object.fromEntries(renamed) : value;
  }

  private visitImages(value: JsonObject, reading: ObjectReading): JsonObject {
    const { image } = this.visitor;
    let object = value;
    for (const { source, put } of image ? reading.images() : []) {
      const replacement = image?.(source);
      if (replacement !== undefined) object = put(object, replacement);
    }
    return object;
  }

  /** Visits images and files only. An opaque member has no text for the model, but may contain an image or a file. */
  private visitMedia(value: JsonObject, position: Position): Json {
    return this.wantsMedia ? this.visitObject(value, { ...position, role: 'text', isMediaOnly: true }) : value;
  }

  /** Visits data of the client, the model or a tool as JSON text. */
  private visitData(value: JsonObject, position: Position): Json {
    assertNesting(value);
    const visited = this.visitMedia(value, position);
    if (!this.visitor.text) return visited;
    const text = JSON.stringify(visited);
    const rewritten = this.visitor.text(text, 'arguments');
    return rewritten === text ? visited : (JSON.parse(rewritten) as Json);
  }
}

/** Copies the object only if a member changes: an object with many members is visited several times in a call. */
function mapMembers(value: JsonObject, visit: (member: Json, key: string) => Json): JsonObject {
  const keys = Object.keys(value);
  const visited: Json[] = [];
  let isChanged = false;
  for (const key of keys) {
    const member = value[key] ?? null;
    const result = visit(member, key);
    isChanged ||= result !== member;
    visited.push(result);
  }
  // fromEntries defines own properties, also for the key `__proto__`.
  return isChanged ? Object.fromEntries(keys.map((key, at) => [key, visited[at] ?? null])) : value;
}

/** Checks the nesting without recursion, before JSON.stringify recurses. */
function assertNesting(root: Json): void {
  let level: Json[] = [root];
  for (let nesting = 0; level.length > 0; nesting++) {
    if (nesting > MAX_NESTING) throw new TooDeep();
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}
