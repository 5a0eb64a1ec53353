import { ESCAPES, JsonReader, State } from './jsonReader.ts';
import { MAX_DEPTH } from './jsonStrings.ts';

/** A part of a text without JSON structure: prose, the content of a JSON string, or a JSON number. */
export interface Segment {
  /** Offsets in the whole text, with escapes. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'text' | 'number';
  /** Number of JSON strings that contain the segment. */
  readonly depth: number;
  /** The content, with escapes decoded. */
  readonly text: string;
  /** The start of each code unit of `text` in the whole text, and the end of the last one. Absent if contiguous. */
  readonly offsets?: readonly number[];
}

/** The content of a JSON string with escapes decoded. */
export interface Decoded {
  readonly text: string;
  /** The start of each code unit in the whole text, and the end of the last one. */
  readonly offsets: readonly number[];
}

/** A text split at the structure of the JSON in it. */
export interface ParsedJson {
  /** All text except structure, in order, without overlaps. */
  readonly segments: Segment[];
  /** The strings with escapes, outer strings before inner ones. */
  readonly decoded: Decoded[];
}

export function parseJsonIn(text: string): ParsedJson {
  const parsed: ParsedJson = { segments: [], decoded: [] };
  collectSegments(text, undefined, 0, parsed);
  return parsed;
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: 'string' | 'number';
}

function collectSegments(text: string, offsets: readonly number[] | undefined, depth: number, into: ParsedJson): void {
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

/** The objects and arrays in a text that are complete JSON and contain a string. */
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

/** Converts in chunks, because the number of arguments of a call is limited. */
function fromUnits(units: readonly number[]): string {
  let text = '';
  for (let at = 0; at < units.length; at += 8192) text += String.fromCharCode(...units.slice(at, at + 8192));
  return text;
}
