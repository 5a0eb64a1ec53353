/**
 * Reads JSON (RFC 8259) into nodes that know their places in the text, so that single strings can be replaced and every
 * other character stays as it was: order, white space, numbers as they are spelled, duplicate names.
 */
import { MAX_NESTING, type Json, type JsonObject } from '../../messages/messages.ts';
import { unitAt } from '../../unitAt.ts';

export interface StringNode {
  readonly kind: 'string';
  /** The place of the token, with its quotation marks, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly start: number;
  readonly end: number;
  readonly value: number | boolean | null;
}

export interface ArrayNode {
  readonly kind: 'array';
  readonly start: number;
  readonly end: number;
  readonly value: Json[];
  readonly items: readonly Node[];
}

export interface Member {
  readonly name: StringNode;
  readonly node: Node;
}

export interface ObjectNode {
  readonly kind: 'object';
  readonly start: number;
  readonly end: number;
  /** Of members with the same name, the last. */
  readonly value: JsonObject;
  /** All members in order. */
  readonly members: readonly Member[];
  /** Names that occur more than once; undefined if there are none. */
  readonly repeated: ReadonlySet<string> | undefined;
}

export type Node = StringNode | ScalarNode | ArrayNode | ObjectNode;

export type JsonProblem = 'invalid_json' | 'too_deep' | 'too_many_values' | 'lone_surrogate';

/** A text is not JSON within the limits. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly problem: JsonProblem;

  constructor(problem: JsonProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Members of objects and elements of arrays. Each can be sent in two bytes, and takes far more memory. */
export const MAX_VALUES = 500_000;

/** @throws JsonError */
export function parseDocument(text: string): Node {
  return new DocumentParser(text).document();
}

const PLAIN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
const LITERALS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

class DocumentParser {
  private readonly text: string;
  private at = 0;
  private values = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(): Node {
    this.space();
    const node = this.value(0);
    this.space();
    if (this.at < this.text.length) throw new JsonError('invalid_json');
    return node;
  }

  private value(nesting: number): Node {
    this.values++;
    if (this.values > MAX_VALUES) throw new JsonError('too_many_values');
    switch (unitAt(this.text, this.at)) {
      case 0x22:
        return this.string();
      case 0x7b:
        return this.object(nesting + 1);
      case 0x5b:
        return this.array(nesting + 1);
      default:
        return this.scalar();
    }
  }

  private object(nesting: number): ObjectNode {
    if (nesting > MAX_NESTING) throw new JsonError('too_deep');
    const start = this.at++;
    const members: Member[] = [];
    const value: JsonObject = {};
    let repeated: Set<string> | undefined;
    this.space();
    for (let isFirst = true; !this.takes(0x7d); isFirst = false) {
      if (!isFirst) this.expect(0x2c);
      this.space();
      const name = this.string();
      this.space();
      this.expect(0x3a);
      this.space();
      const node = this.value(nesting);
      this.space();
      if (hasMember(members, value, name.value)) (repeated ??= new Set()).add(name.value);
      members.push({ name, node });
      define(value, name.value, node.value);
    }
    return { kind: 'object', start, end: this.at, value, members, repeated };
  }

  private array(nesting: number): ArrayNode {
    if (nesting > MAX_NESTING) throw new JsonError('too_deep');
    const start = this.at++;
    const items: Node[] = [];
    this.space();
    for (let isFirst = true; !this.takes(0x5d); isFirst = false) {
      if (!isFirst) this.expect(0x2c);
      this.space();
      items.push(this.value(nesting));
      this.space();
    }
    return { kind: 'array', start, end: this.at, value: items.map((item) => item.value), items };
  }

  private string(): StringNode {
    const { text } = this;
    const start = this.at;
    this.expect(0x22);
    let isPlain = true;
    for (;;) {
      PLAIN.lastIndex = this.at;
      PLAIN.test(text);
      this.at = PLAIN.lastIndex;
      const unit = unitAt(text, this.at);
      if (unit === 0x22) break;
      if (unit !== 0x5c) throw new JsonError('invalid_json');
      isPlain = false;
      this.at += 2;
      if (this.at > text.length) throw new JsonError('invalid_json');
    }
    const end = ++this.at;
    return { kind: 'string', start, end, value: isPlain ? text.slice(start + 1, end - 1) : decoded(text, start, end) };
  }

  private scalar(): ScalarNode {
    const start = this.at;
    for (const [name, value] of LITERALS) {
      if (!this.text.startsWith(name, start)) continue;
      this.at += name.length;
      return { kind: 'scalar', start, end: this.at, value };
    }
    NUMBER.lastIndex = start;
    if (!NUMBER.test(this.text)) throw new JsonError('invalid_json');
    this.at = NUMBER.lastIndex;
    return { kind: 'scalar', start, end: this.at, value: Number(this.text.slice(start, this.at)) };
  }

  private space(): void {
    if (unitAt(this.text, this.at) > 0x20) return;
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  private takes(unit: number): boolean {
    if (unitAt(this.text, this.at) !== unit) return false;
    this.at++;
    return true;
  }

  private expect(unit: number): void {
    if (!this.takes(unit)) throw new JsonError('invalid_json');
  }
}

function decoded(text: string, start: number, end: number): string {
  try {
    return JSON.parse(text.slice(start, end)) as string;
  } catch {
    throw new JsonError('invalid_json');
  }
}

/** Up to this number of members, comparing their names takes less time than looking one up in an object. */
const FEW_MEMBERS = 8;

/** @param value has the members */
function hasMember(members: readonly Member[], value: JsonObject, name: string): boolean {
  if (members.length > FEW_MEMBERS) return Object.hasOwn(value, name);
  for (const member of members) if (member.name.value === name) return true;
  return false;
}

/** Defines an own member, also with the name `__proto__`. */
function define(object: JsonObject, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** @returns the member with this name; of several, the last. */
export function memberOf(node: Node | undefined, name: string): Node | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.name.value === name)?.node : undefined;
}

/**
 * The value of a member of a JSON object, as it stands in the text; undefined if there is none.
 * @throws JsonError
 */
export function memberText(text: string, name: string): string | undefined {
  const node = memberOf(parseDocument(text), name);
  return node && text.slice(node.start, node.end);
}

/** @returns the elements of an array; none for another node. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.kind === 'array' ? node.items : [];
}

/** The value of a string. */
export function stringOf(node: Node | undefined): string | undefined {
  return node?.kind === 'string' ? node.value : undefined;
}
