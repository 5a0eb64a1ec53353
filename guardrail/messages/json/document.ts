/**
 * Reads JSON (RFC 8259) into nodes that know their places in the text, so that single strings can be replaced and every
 * other character stays as it was: order, white space, numbers as they are spelled, duplicate names.
 */
import { atOnce, createStepCounter, STEP_UNITS, type Steps } from '../../eventLoop.ts';
import { unitAt } from '../../unitAt.ts';
import { defineMember, MAX_NESTING, type Json, type JsonObject } from '../contract.ts';
import { keepNames, MANY_MEMBERS } from './names.ts';

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
  return atOnce(parsing(text)).root;
}

/** A text that was read. */
export interface Parsed {
  readonly root: Node;
  /** Whether an object has two members of the same name. */
  readonly hasRepeatedNames: boolean;
  /** Whether an escape spells half of a surrogate pair. */
  readonly hasLoneSurrogates: boolean;
}

/** {@link parseDocument} in steps. @throws JsonError */
export function parsing(text: string): Steps<Parsed> {
  return new DocumentParser(text).parsing();
}

const PLAIN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
const LITERALS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

const QUOTE = 0x22;
const CLOSE = { object: 0x7d, array: 0x5d } as const;

/** An object whose end has not been read yet. */
interface OpenObject {
  readonly kind: 'object';
  readonly start: number;
  readonly parent: Open | undefined;
  readonly members: Member[];
  readonly value: JsonObject;
  repeated: Set<string> | undefined;
  /** The name whose value comes next. */
  name: StringNode | undefined;
}

/** An array whose end has not been read yet. */
interface OpenArray {
  readonly kind: 'array';
  readonly start: number;
  readonly parent: Open | undefined;
  readonly items: Node[];
}

type Open = OpenObject | OpenArray;

class DocumentParser {
  private readonly text: string;
  private at = 0;
  private values = 0;
  private nesting = 0;
  private hasRepeatedNames = false;
  private hasLoneSurrogates = false;
  /** The innermost object or array that is not complete. */
  private open: Open | undefined;
  private root: Node | undefined;
  /** Where a string begins that takes more than one step. */
  private longString: number | undefined;

  constructor(text: string) {
    this.text = text;
  }

  *parsing(): Steps<Parsed> {
    const isDue = createStepCounter();
    this.space();
    while (this.root === undefined) {
      const before = this.at;
      this.token();
      if (this.longString !== undefined) this.placeString(yield* this.restOfString(this.longString));
      if (isDue(this.at - before)) yield;
    }
    if (this.at < this.text.length) throw new JsonError('invalid_json');
    const { root, hasRepeatedNames, hasLoneSurrogates } = this;
    return { root, hasRepeatedNames, hasLoneSurrogates };
  }

  /** Reads the next name, value, or end of an object or array, and what separates it from the one before. */
  private token(): void {
    const { open } = this;
    if (open !== undefined && (open.kind === 'array' || open.name === undefined)) {
      if (this.takes(CLOSE[open.kind])) {
        this.close(open);
        return;
      }
      if ((open.kind === 'array' ? open.items : open.members).length > 0) {
        this.expect(0x2c);
        this.space();
      }
      if (open.kind === 'object') {
        this.string();
        return;
      }
    }
    this.value();
  }

  private value(): void {
    this.values++;
    if (this.values > MAX_VALUES) throw new JsonError('too_many_values');
    switch (unitAt(this.text, this.at)) {
      case QUOTE:
        this.string();
        break;
      case 0x7b:
        this.begin({
          ...{ kind: 'object', start: this.at, parent: this.open, members: [], value: {} },
          ...{ repeated: undefined, name: undefined },
        });
        break;
      case 0x5b:
        this.begin({ kind: 'array', start: this.at, parent: this.open, items: [] });
        break;
      default:
        this.place(this.scalar());
    }
  }

  private begin(open: Open): void {
    this.nesting++;
    if (this.nesting > MAX_NESTING) throw new JsonError('too_deep');
    this.open = open;
    this.at++;
    this.space();
  }

  private close(open: Open): void {
    const { start, parent } = open;
    const end = this.at;
    this.nesting--;
    this.open = parent;
    if (open.kind === 'object') {
      const { members, value, repeated } = open;
      if (members.length >= MANY_MEMBERS && !repeated) {
        keepNames(
          value,
          members.map(({ name }) => name.value),
        );
      }
      this.place({ kind: 'object', start, end, value, members, repeated });
    } else {
      const { items } = open;
      this.place({ kind: 'array', start, end, value: items.map((item) => item.value), items });
    }
  }

  /** Puts a value into what contains it. */
  private place(node: Node): void {
    const { open } = this;
    this.space();
    if (open === undefined) this.root = node;
    else if (open.kind === 'array') open.items.push(node);
    else if (open.name !== undefined) {
      const { name, members, value } = open;
      if (hasMember(members, value, name.value)) {
        (open.repeated ??= new Set()).add(name.value);
        this.hasRepeatedNames = true;
      }
      members.push({ name, node });
      defineMember(value, name.value, node.value);
      open.name = undefined;
    }
  }

  private placeString(node: StringNode): void {
    const { open } = this;
    if (open?.kind !== 'object' || open.name !== undefined) {
      this.place(node);
      return;
    }
    open.name = node;
    this.space();
    this.expect(0x3a);
    this.space();
  }

  /** Reads a string, or the beginning of a long one. */
  private string(): void {
    const { text } = this;
    const start = this.at;
    this.expect(QUOTE);
    const isPlain = this.plain();
    if (!isPlain && !this.escaped(start + STEP_UNITS)) {
      this.longString = start;
      return;
    }
    const end = ++this.at;
    const value = isPlain ? text.slice(start + 1, end - 1) : this.escapedValue(decoded(text, start + 1, end - 1));
    this.placeString({ kind: 'string', start, end, value });
  }

  private *restOfString(start: number): Steps<StringNode> {
    this.longString = undefined;
    let [value, from, isComplete] = ['', start + 1, false];
    while (!isComplete) {
      value += decoded(this.text, from, this.at);
      yield;
      from = this.at;
      isComplete = this.escaped(from + STEP_UNITS);
    }
    value += decoded(this.text, from, this.at);
    return { kind: 'string', start, end: ++this.at, value: this.escapedValue(value) };
  }

  /** Notes half of a surrogate pair. Only an escape can spell it, because the bytes are UTF-8. */
  private escapedValue(value: string): string {
    this.hasLoneSurrogates ||= !value.isWellFormed();
    return value;
  }

  /** Passes over characters of a string. @returns whether it ends after them */
  private plain(): boolean {
    PLAIN.lastIndex = this.at;
    PLAIN.test(this.text);
    this.at = PLAIN.lastIndex;
    return unitAt(this.text, this.at) === QUOTE;
  }

  /** Passes over escapes and characters of a string, up to about a place. @returns whether it ends after them */
  private escaped(until: number): boolean {
    while (this.at < until) {
      if (unitAt(this.text, this.at) === 0x5c) this.at += 2;
      if (this.at > this.text.length) throw new JsonError('invalid_json');
      if (this.plain()) return true;
      if (unitAt(this.text, this.at) !== 0x5c) throw new JsonError('invalid_json');
    }
    return false;
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

/** The characters that a part of a string stands for. */
function decoded(text: string, start: number, end: number): string {
  try {
    return JSON.parse(`"${text.slice(start, end)}"`) as string;
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
