/**
 * JSON inside text: pasted data, tool results, tool-call arguments, structured answers, and JSON inside the strings of
 * JSON. A value that stands inside a JSON string is written with JSON's escapes there, and has to be read and written
 * so, once for every string that it is nested in (its depth).
 */

const State = {
  prose: 0,
  objectStart: 1,
  key: 2,
  colon: 3,
  value: 4,
  arrayStart: 5,
  afterValue: 6,
  string: 7,
  escape: 8,
  hex: 9,
  number: 10,
  literal: 11,
  bareTag: 12,
} as const;
type State = (typeof State)[keyof typeof State];

const LITERALS: Partial<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };
const ESCAPES: Partial<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads text one UTF-16 code unit at a time and tells where it is in JSON. Text around JSON is prose; where what looked
 * like JSON turns out not to be, it is prose again from there. What it says of a place depends on nothing behind that
 * place, so it says the same of a text that is still growing.
 */
class JsonReader {
  state: State = State.prose;
  /** How many JSON objects and arrays have begun, and how many of them have been closed, outermost ones only. */
  opened = 0;
  closed = 0;
  /** The code unit of string content that the last unit completed, or -1. */
  content = -1;
  private readonly inObject: boolean[] = [];
  private isKey = false;
  private literal = '';
  private hexDigits = '';

  get inString(): boolean {
    return this.state >= State.string && this.state <= State.hex;
  }

  feed(unit: number): void {
    this.content = -1;
    if (this.state === State.prose) {
      if (unit === 0x7b || unit === 0x5b) this.open(unit);
    } else if (this.state === State.string) {
      if (unit === 0x22) this.state = this.isKey ? State.colon : State.afterValue;
      else if (unit === 0x5c) this.state = State.escape;
      else if (unit < 0x20) this.fail(unit);
      else this.content = unit;
    } else this.feedRare(unit);
  }

  private feedRare(unit: number): void {
    const char = String.fromCharCode(unit);
    if (this.state === State.escape || this.state === State.hex) this.feedEscape(unit, char);
    else if (this.state === State.literal) this.feedLiteral(unit, char);
    else if (this.state === State.bareTag) {
      if (char === '>') this.state = State.afterValue;
      else if (!/[A-Za-z0-9_]/.test(char)) this.fail(unit);
    } else if (this.state === State.number && /[0-9.eE+-]/.test(char)) return;
    else {
      if (this.state === State.number) this.state = State.afterValue;
      if (!/[ \t\n\r]/.test(char)) this.feedStructure(unit, char);
    }
  }

  private feedEscape(unit: number, char: string): void {
    const escaped = ESCAPES[char];
    if (this.state === State.hex) {
      this.hexDigits += char;
      if (!/[0-9a-fA-F]/.test(char)) this.fail(unit);
      else if (this.hexDigits.length === 4) this.completeEscape(parseInt(this.hexDigits, 16));
    } else if (char === 'u') {
      this.state = State.hex;
      this.hexDigits = '';
    } else if (escaped === undefined) this.fail(unit);
    else this.completeEscape(escaped.charCodeAt(0));
  }

  private feedLiteral(unit: number, char: string): void {
    if (!this.literal.startsWith(char)) this.fail(unit);
    else {
      this.literal = this.literal.slice(1);
      if (this.literal === '') this.state = State.afterValue;
    }
  }

  private feedStructure(unit: number, char: string): void {
    const { state } = this;
    if ((state === State.objectStart || state === State.key) && char === '"') this.startString(true);
    else if (state === State.objectStart && char === '}') this.close();
    else if (state === State.colon && char === ':') this.state = State.value;
    else if (state === State.arrayStart && char === ']') this.close();
    else if (state === State.value || state === State.arrayStart) this.startValue(unit, char);
    else if (state === State.afterValue && char === ',') this.state = this.inObject.at(-1) ? State.key : State.value;
    else if (state === State.afterValue && char === (this.inObject.at(-1) ? '}' : ']')) this.close();
    else this.fail(unit);
  }

  private startValue(unit: number, char: string): void {
    const literal = LITERALS[char];
    if (char === '"') this.startString(false);
    else if (char === '{' || char === '[') this.open(unit);
    else if (/[0-9-]/.test(char)) this.state = State.number;
    else if (literal !== undefined) {
      this.state = State.literal;
      this.literal = literal;
    }
    // A pseudonym that stands for a number, as it goes to the model outside of tool calls.
    else if (char === '<') this.state = State.bareTag;
    else this.fail(unit);
  }

  private startString(isKey: boolean): void {
    this.isKey = isKey;
    this.state = State.string;
  }

  private completeEscape(unit: number): void {
    this.content = unit;
    this.state = State.string;
  }

  private open(unit: number): void {
    if (this.inObject.length === 0) this.opened++;
    this.inObject.push(unit === 0x7b);
    this.state = unit === 0x7b ? State.objectStart : State.arrayStart;
  }

  private close(): void {
    this.inObject.pop();
    this.state = State.afterValue;
    if (this.inObject.length > 0) return;
    this.closed++;
    this.state = State.prose;
  }

  private fail(unit: number): void {
    this.inObject.length = 0;
    this.state = State.prose;
    this.feed(unit);
  }
}

/** Deeper nesting of JSON in the strings of JSON is read as plain text. */
const MAX_DEPTH = 4;

/**
 * For each of the given places (ascending), how many JSON strings, one inside the other, it stands in.
 * Depends for each place on the text before it only.
 */
export function jsonDepths(text: string, places: readonly number[]): number[] {
  const readers = [new JsonReader()];
  const depths: number[] = [];
  let at = 0;
  for (const place of places) {
    for (; at < place; at++) feedNested(readers, text.charCodeAt(at));
    depths.push(openStrings(readers));
  }
  return depths;
}

/** Told what the strings of JSON say, escapes read, as the text goes on. */
interface StringSink {
  /** A string has begun; it stands in `depth - 1` others. */
  begin(depth: number): void;
  content(depth: number, unit: number): void;
}

/** Each reader reads the string content that the reader before it yields; there is one more than there are open strings. */
function feedNested(readers: JsonReader[], first: number, sink?: StringSink): void {
  let unit = first;
  for (let level = 0; level < readers.length; level++) {
    const reader = readers[level];
    if (!reader) return;
    const wasInString = reader.inString;
    reader.feed(unit);
    if (!reader.inString) {
      readers.length = level + 1;
      return;
    }
    if (!wasInString) {
      sink?.begin(level + 1);
      if (level + 1 < MAX_DEPTH) readers.push(new JsonReader());
    }
    if (reader.content < 0) return;
    unit = reader.content;
    sink?.content(level + 1, unit);
  }
}

/** Reads the strings of JSON, and those inside them, one code unit of the text at a time. */
export class JsonStrings {
  private readonly readers = [new JsonReader()];
  private readonly sink: StringSink;

  constructor(sink: StringSink) {
    this.sink = sink;
  }

  feed(unit: number): void {
    feedNested(this.readers, unit, this.sink);
  }

  /** In how many strings the next character stands. */
  get depth(): number {
    return openStrings(this.readers);
  }
}

function openStrings(readers: readonly JsonReader[]): number {
  const depth = readers.findIndex((reader) => !reader.inString);
  return depth < 0 ? MAX_DEPTH : depth;
}

/** A run of text that holds no JSON structure: a stretch of prose, the content of a JSON string, or a JSON number. */
export interface Segment {
  /** Place in the whole text, escapes and all. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'text' | 'number';
  /** How many JSON strings it stands in. */
  readonly depth: number;
  /** What it says, escapes read. */
  readonly text: string;
  /** Where each code unit of `text` starts in the whole text, and where the last one ends; none: side by side. */
  readonly offsets?: readonly number[];
}

/** The content of a JSON string with its escapes read. */
export interface Decoded {
  readonly text: string;
  /** Where each of its code units starts in the whole text, and where the last one ends. */
  readonly offsets: readonly number[];
}

/** A text cut at the structure of the JSON that it holds. */
export interface Parsed {
  /** All that is not structure: in order, never overlapping. */
  readonly segments: Segment[];
  /** The strings that have escapes, outer ones before those inside them. */
  readonly decoded: Decoded[];
}

export function parseJsonIn(text: string): Parsed {
  const parsed: Parsed = { segments: [], decoded: [] };
  collectSegments(text, undefined, 0, parsed);
  return parsed;
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: 'string' | 'number';
}

function collectSegments(text: string, offsets: readonly number[] | undefined, depth: number, into: Parsed): void {
  const place = (at: number): number => offsets?.[at] ?? at;
  const add = (kind: Segment['kind'], start: number, end: number, level = depth): void => {
    if (start === end) return;
    into.segments.push({
      start: place(start),
      end: place(end),
      kind,
      depth: level,
      text: text.slice(start, end),
      ...(offsets && { offsets: offsets.slice(start, end + 1) }),
    });
  };
  let proseFrom = 0;
  for (const island of jsonIslands(text)) {
    add('text', proseFrom, island.start);
    for (const token of island.tokens) {
      const escaped = token.kind === 'string' && text.slice(token.start, token.end).includes('\\');
      if (token.kind === 'number') add('number', token.start, token.end);
      else if (!escaped) add('text', token.start, token.end, depth + 1);
      else {
        const content = readString(text, token, place);
        into.decoded.push(content);
        if (depth + 1 < MAX_DEPTH) collectSegments(content.text, content.offsets, depth + 1, into);
        else {
          const segment = { start: place(token.start), end: place(token.end), depth: depth + 1, ...content };
          into.segments.push({ kind: 'text', ...segment });
        }
      }
    }
    proseFrom = island.end;
  }
  add('text', proseFrom, text.length);
}

interface Island {
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly Token[];
}

/** The objects and arrays in a text that are JSON from their first to their last bracket and hold any string. */
function jsonIslands(text: string): Island[] {
  if (!text.includes('"')) return [];
  const islands: Island[] = [];
  const reader = new JsonReader();
  let start = 0;
  let tokens: Token[] = [];
  let tokenFrom = 0;
  for (let at = 0; at < text.length; at++) {
    const { state, opened, closed, inString } = reader;
    reader.feed(text.charCodeAt(at));
    if (reader.state === state) continue;
    if (reader.opened > opened) {
      start = at;
      tokens = [];
    } else if (inString && !reader.inString) tokens.push({ start: tokenFrom, end: at, kind: 'string' });
    else if (state === State.number) tokens.push({ start: tokenFrom, end: at, kind: 'number' });
    if (!inString && reader.inString) tokenFrom = at + 1;
    if (reader.state === State.number) tokenFrom = at;
    if (reader.closed > closed && tokens.some((token) => token.kind === 'string')) {
      islands.push({ start, end: at + 1, tokens });
    }
  }
  return islands;
}

function readString(text: string, token: Token, place: (at: number) => number): Decoded {
  const units: number[] = [];
  const offsets: number[] = [];
  for (let at = token.start; at < token.end;) {
    offsets.push(place(at));
    const escape = text.charAt(at) === '\\' ? text.charAt(at + 1) : undefined;
    if (escape === undefined) units.push(text.charCodeAt(at));
    else if (escape === 'u') units.push(parseInt(text.slice(at + 2, at + 6), 16));
    else units.push((ESCAPES[escape] ?? escape).charCodeAt(0));
    at += escape === undefined ? 1 : escape === 'u' ? 6 : 2;
  }
  offsets.push(place(token.end));
  return { text: fromUnits(units), offsets };
}

/** In pieces, since a call takes only so many arguments. */
function fromUnits(units: readonly number[]): string {
  let text = '';
  for (let at = 0; at < units.length; at += 8192) text += String.fromCharCode(...units.slice(at, at + 8192));
  return text;
}

/** As JSON writes a value inside a string, at a depth. With `ascii` everything outside ASCII is escaped too. */
export function escapeJson(value: string, depth: number, ascii = false): string {
  let text = value;
  for (let level = 0; level < depth; level++) {
    text = JSON.stringify(text).slice(1, -1);
    if (ascii)
      text = text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  }
  return text;
}

/** What a raw piece of JSON string content at a depth says; undefined where it is none. */
export function unescapeJson(raw: string, depth: number): string | undefined {
  let text = raw;
  for (let level = 0; level < depth; level++) {
    try {
      text = JSON.parse(`"${text}"`) as string;
    } catch {
      return undefined;
    }
  }
  return text;
}
