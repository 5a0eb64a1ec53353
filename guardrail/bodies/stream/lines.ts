/** JSON lines: one JSON text a line. */
import type { Frame, Framer, NewEvent } from './frames.ts';
import { Pieces } from './pieces.ts';

const LF = 0x0a;

export class LineFramer implements Framer {
  private readonly pieces = new Pieces();

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.pieces.add(chunk.subarray(from, end + 1));
      frames.push(frameOf(this.pieces.take()));
      from = end + 1;
    }
    this.pieces.add(chunk.subarray(from));
    return frames;
  }

  end(): Frame[] {
    return this.pieces.isEmpty ? [] : [frameOf(this.pieces.take())];
  }

  insert(events: readonly NewEvent[], frame: string): string {
    return events.map(({ data }) => `${data}\n`).join('') + frame;
  }
}

function frameOf(raw: string): Frame {
  const data = raw.trim();
  const start = raw.indexOf(data);
  return {
    raw,
    data: data === '' ? undefined : data,
    withData: (changed) => raw.slice(0, start) + changed + raw.slice(start + data.length),
  };
}
