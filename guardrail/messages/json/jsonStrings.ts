import { JsonReader } from './jsonReader.ts';

/** Deeper nesting of JSON in the strings of JSON is read as plain text. */
export const MAX_DEPTH = 4;

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
