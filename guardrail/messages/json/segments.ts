import { atOnce, createStepCounter, STEP_UNITS, type Steps } from '../../eventLoop.ts';
import { unitAt } from '../../unitAt.ts';
import { ESCAPES, JsonReader, State } from './jsonReader.ts';
import { MAX_DEPTH } from './jsonStrings.ts';

/** Offsets in a text, ascending. */
export type Offsets = Readonly<Uint32Array>;

/** A part of a text without JSON structure: prose, the content of a JSON string, or a JSON number. */
export interface Segment {
  /** Offsets in the whole text, with escapes. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'text' | 'number';
  /** Number of JSON strings that contain the segment. */
  readonly depth: number;
  /** The segment is in the name of a property of JSON that is not in a string. */
  readonly isKey?: boolean;
  /** The content, with escapes decoded. */
  readonly text: string;
  /** The start of each code unit of `text` in the whole text, and the end of the last one. Absent if contiguous. */
  readonly offsets?: Offsets;
}

/** The content of a JSON string with escapes decoded. */
export interface Decoded {
  readonly text: string;
  /** The start of each code unit in the whole text, and the end of the last one. */
  readonly offsets: Offsets;
}

/** A text split at the structure of the JSON in it. */
export interface ParsedJson {
  /** All text except structure, in order, without overlaps. */
  readonly segments: Segment[];
  /** The strings with escapes, outer strings before inner ones. */
  readonly decoded: Decoded[];
}

export function parseJsonIn(text: string): ParsedJson {
  return atOnce(parsingJsonIn(text));
}

/** As {@link parseJsonIn}, in steps. */
export function* parsingJsonIn(text: string): Steps<ParsedJson> {
  const parsed: ParsedJson = { segments: [], decoded: [] };
  yield* collectSegments({ text }, 0, parsed);
  return parsed;
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: 'string' | 'number';
  readonly isKey?: boolean;
}

/** A text, or the content of a string in it. */
interface Content {
  readonly text: string;
  readonly offsets?: Offsets;
  readonly isKey?: boolean;
}

function* collectSegments(
  { text, offsets, isKey: isInKey = false }: Content,
  depth: number,
  into: ParsedJson,
): Steps<void> {
  const place = (at: number): number => offsets?.[at] ?? at;
  const add = (kind: Segment['kind'], start: number, end: number, level = depth, isKey = isInKey): void => {
    if (start === end) return;
    into.segments.push({
      start: place(start),
      end: place(end),
      kind,
      depth: level,
      text: text.slice(start, end),
      ...(isKey && { isKey }),
      ...(offsets && { offsets: offsets.subarray(start, end + 1) }),
    });
  };
  let proseFrom = 0;
  const isStep = createStepCounter();
  for (const island of yield* jsonIslands(text)) {
    add('text', proseFrom, island.start);
    for (const token of island.tokens) {
      if (isStep(token.end - token.start)) yield;
      // A name in a string is text of that string.
      const isKey = isInKey || (depth === 0 && token.isKey === true);
      const escaped = token.kind === 'string' && text.slice(token.start, token.end).includes('\\');
      if (token.kind === 'number') add('number', token.start, token.end);
      else if (!escaped) add('text', token.start, token.end, depth + 1, isKey);
      else {
        const content = yield* readString(text, token, place);
        into.decoded.push(content);
        if (depth + 1 < MAX_DEPTH) yield* collectSegments({ ...content, isKey }, depth + 1, into);
        else {
          const segment = { start: place(token.start), end: place(token.end), depth: depth + 1, isKey, ...content };
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

/** The objects and arrays in a text that are complete JSON and contain a string. */
function* jsonIslands(text: string): Steps<readonly Island[]> {
  if (!text.includes('"')) return [];
  const reader = new IslandReader(text);
  for (let at = 0; at < text.length; at += STEP_UNITS) {
    if (at > 0) yield;
    reader.read(at, Math.min(at + STEP_UNITS, text.length));
  }
  return reader.islands;
}

class IslandReader {
  readonly islands: Island[] = [];
  private readonly text: string;
  private readonly reader = new JsonReader();
  private start = 0;
  private tokens: Token[] = [];
  private tokenFrom = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Reads the text between two places. It was read up to the first one. */
  read(from: number, to: number): void {
    const { text, reader } = this;
    for (let at = from; at < to; at++) {
      const { state, opened, closed, inString } = reader;
      reader.feed(unitAt(text, at));
      if (reader.state === state) continue;
      if (reader.opened > opened) {
        this.start = at;
        this.tokens = [];
      } else if (inString && !reader.inString) {
        this.tokens.push({ start: this.tokenFrom, end: at, kind: 'string', isKey: reader.state === State.colon });
      } else if (state === State.number) this.tokens.push({ start: this.tokenFrom, end: at, kind: 'number' });
      if (!inString && reader.inString) this.tokenFrom = at + 1;
      if (reader.state === State.number) this.tokenFrom = at;
      if (reader.closed > closed && this.tokens.some((token) => token.kind === 'string')) {
        this.islands.push({ start: this.start, end: at + 1, tokens: this.tokens });
      }
    }
  }
}

function* readString(text: string, token: Token, place: (at: number) => number): Steps<Decoded> {
  const reader = new StringReader(text, token, place);
  for (let at = token.start; at < token.end;) {
    if (at > token.start) yield;
    at = reader.read(at, Math.min(at + STEP_UNITS, token.end));
  }
  return reader.end();
}

const BACKSLASH = 0x5c;
/** The number of arguments of a call is limited. */
const MAX_UNITS = 8192;

class StringReader {
  private readonly text: string;
  private readonly place: (at: number) => number;
  private readonly token: Token;
  /** An array of numbers would take twice the memory, and be copied as it grows. */
  private readonly offsets: Uint32Array;
  /** What is decoded but not yet a part of `decoded`. */
  private readonly units: Uint16Array;
  private pending = 0;
  private decoded = '';
  private length = 0;

  constructor(text: string, token: Token, place: (at: number) => number) {
    this.text = text;
    this.token = token;
    this.place = place;
    this.offsets = new Uint32Array(token.end - token.start + 1);
    this.units = new Uint16Array(Math.min(token.end - token.start, MAX_UNITS));
  }

  /** Reads from a place to another one, or to the end of the escape there. @returns where the next call continues */
  read(from: number, to: number): number {
    const { text, place, offsets, units } = this;
    let at = from;
    while (at < to) {
      if (this.pending === units.length) this.convert();
      offsets[this.length++] = place(at);
      const unit = unitAt(text, at);
      if (unit === BACKSLASH) {
        const escape = text.charAt(at + 1);
        const isHex = escape === 'u';
        units[this.pending++] = isHex
          ? parseInt(text.slice(at + 2, at + 6), 16)
          : (ESCAPES[escape] ?? escape).charCodeAt(0);
        at += isHex ? 6 : 2;
      } else {
        units[this.pending++] = unit;
        at++;
      }
    }
    return at;
  }

  /** Long flat parts: joining many short ones would block the event loop when the text is first read. */
  private convert(): void {
    this.decoded += String.fromCharCode(...this.units.subarray(0, this.pending));
    this.pending = 0;
  }

  end(): Decoded {
    this.convert();
    const { decoded, offsets } = this;
    offsets[this.length] = this.place(this.token.end);
    return { text: decoded, offsets: offsets.subarray(0, this.length + 1) };
  }
}
