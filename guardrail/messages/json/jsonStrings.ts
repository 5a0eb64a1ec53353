import { JsonReader } from './jsonReader.ts';

/** Maximum nesting of JSON in JSON strings. Deeper JSON is read as plain text. */
export const MAX_DEPTH = 4;

/** Receives the content of JSON strings, with escapes decoded. */
export interface StringSink {
  /** A string begins inside `depth - 1` others. */
  begin(depth: number): void;
  content(depth: number, unit: number): void;
}

/** Feeds a chain of readers: each reads the string content of the previous one. There is one more than open strings. */
function feedNested(readers: JsonReader[], first: number, sink?: StringSink): void {
  let unit = first;
  for (let level = 0; level < readers.length; level++) {
    const reader = readers[level];
    if (!reader) return;
    const wasInString = reader.inString;
    reader.feed(unit);
    if (!reader.inString) {
      // Setting the length is slow, also to the same one.
      if (readers.length > level + 1) readers.length = level + 1;
      return;
    }
    if (!wasInString) {
      sink?.begin(level + 1);
      if (level + 1 < MAX_DEPTH) readers.push(new JsonReader());
      for (const char of reader.takeBeginning()) {
        const before = char.charCodeAt(0);
        sink?.content(level + 1, before);
        readers[level + 1]?.feed(before);
      }
    }
    if (reader.content < 0) return;
    unit = reader.content;
    sink?.content(level + 1, unit);
  }
}

/** The state of {@link JsonStrings}. */
export interface SavedStrings {
  readonly readers: readonly object[];
}

/** Reads JSON strings, and the JSON strings in them, one code unit of the text at a time. */
export class JsonStrings {
  private readonly readers: JsonReader[];
  private readonly sink: StringSink | undefined;

  /** @param saved the state from which to continue, as JSON */
  constructor(sink?: StringSink, saved?: SavedStrings) {
    this.sink = sink;
    this.readers = saved?.readers.map((reader) => JsonReader.of(reader)) ?? [new JsonReader()];
  }

  /** @returns the state, which can be written as JSON */
  save(): SavedStrings {
    return { readers: this.readers };
  }

  feed(unit: number): void {
    feedNested(this.readers, unit, this.sink);
  }

  feedAll(text: string): void {
    for (let at = 0; at < text.length; at++) this.feed(text.charCodeAt(at));
  }

  /** The number of strings that contain the next character. */
  get depth(): number {
    return openStrings(this.readers);
  }
}

function openStrings(readers: readonly JsonReader[]): number {
  const depth = readers.findIndex((reader) => !reader.inString);
  return depth < 0 ? MAX_DEPTH : depth;
}
