/** The elements of one JSON array, as Gemini streams without server-sent events. */
import { UnreadableAnswerError } from '../errors.ts';
import type { Frame, Framer, NewEvent } from './frames.ts';
import { Pieces } from './pieces.ts';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A frame is an element with the separators before it, and the end of the array. */
export class ElementFramer implements Framer {
  private readonly pieces = new Pieces();
  private nesting = 0;
  /** The nesting after an element: 0 if the root is no array. */
  private base = 0;
  private inString = false;
  private isEscaped = false;

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (!this.endsElement(chunk[at] ?? 0)) continue;
      this.pieces.add(chunk.subarray(from, at + 1));
      frames.push(frameOf(this.pieces.take()));
      from = at + 1;
    }
    this.pieces.add(chunk.subarray(from));
    return frames;
  }

  end(): Frame[] {
    if (this.nesting > 0) throw new UnreadableAnswerError('ends in the middle of its JSON');
    return this.pieces.isEmpty ? [] : [frameOf(this.pieces.take())];
  }

  insert(events: readonly NewEvent[], frame: string): string {
    const elements = events.map(({ data }) => data);
    if (elements.length === 0) return frame;
    const [separators = ''] = /^[\s,[]*/.exec(frame) ?? [];
    const isLast = separators.length === frame.length || frame.charAt(separators.length) === ']';
    return isLast
      ? `,${elements.join(',')}${frame}`
      : `${separators}${elements.join(',')},${frame.slice(separators.length)}`;
  }

  /** Reads a byte. @returns whether it ends an element: an object in the array, or a root that is no array. */
  private endsElement(byte: number): boolean {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.inString = false;
      return false;
    }
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      if (this.nesting === 0) this.base = byte === OPEN_BRACKET ? 1 : 0;
      this.nesting++;
    }
    if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      this.nesting--;
      return byte === CLOSE_BRACE && this.nesting === this.base;
    }
    return false;
  }
}

function frameOf(raw: string): Frame {
  const [separators = ''] = /^[\s,[\]]*/.exec(raw) ?? [];
  const data = raw.slice(separators.length);
  return { raw, data: data === '' ? undefined : data, withData: (changed) => separators + changed };
}
