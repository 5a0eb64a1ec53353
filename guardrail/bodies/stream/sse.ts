/**
 * Server-sent events.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
import type { Frame, Framer, NewEvent } from './frames.ts';
import { Pieces } from './pieces.ts';

const LF = 0x0a;
const CR = 0x0d;

export class SseFramer implements Framer {
  private readonly pieces = new Pieces();
  private isLineEmpty = true;
  /** The last byte was a CR: a LF after it belongs to the same end of a line. */
  private isAfterCr = false;
  private isFirst = true;
  private lineEnd = '\n';

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      const isSecond = byte === LF && this.isAfterCr;
      this.isAfterCr = byte === CR;
      if (byte !== LF && byte !== CR) this.isLineEmpty = false;
      else if (!isSecond) {
        if (!this.isLineEmpty) this.isLineEmpty = true;
        else {
          const isPair = byte === CR && chunk[at + 1] === LF;
          const end = isPair ? at + 2 : at + 1;
          this.pieces.add(chunk.subarray(from, end));
          frames.push(this.take());
          if (isPair) {
            this.isAfterCr = false;
            at++;
          }
          from = end;
        }
      }
    }
    this.pieces.add(chunk.subarray(from));
    return frames;
  }

  readAlike(chunk: Buffer, before: Buffer, after: Buffer): string | undefined {
    if (!this.pieces.isEmpty || this.isAfterCr) return undefined;
    const end = chunk.length - after.length;
    if (end < before.length || !hasAt(chunk, before, 0) || !hasAt(chunk, after, end)) return undefined;
    for (let at = before.length; at < end; at++) if (IS_PLAIN[chunk[at] ?? 0] === 0) return undefined;
    this.lineEnd = '\n';
    return chunk.toString('latin1', before.length, end);
  }

  end(): Frame[] {
    return this.pieces.isEmpty ? [] : [this.take()];
  }

  insert(events: readonly NewEvent[], frame: string): string {
    const { lineEnd } = this;
    const texts = events.map(({ data, name }) => {
      const line = name === undefined ? '' : `event: ${name}${lineEnd}`;
      return `${line}data: ${data}${lineEnd}${lineEnd}`;
    });
    // A LF that belongs to the end of the line before stays there.
    return frame.startsWith('\n') ? `\n${texts.join('')}${frame.slice(1)}` : texts.join('') + frame;
  }

  private take(): Frame {
    const raw = this.pieces.take();
    if (ONE_LINE.test(raw)) return this.takeOneLine(raw);
    const lines = linesOf(this.isFirst && raw.startsWith('\ufeff') ? raw.slice(1) : raw);
    const head = raw.slice(0, raw.length - lines.reduce((sum, { text, end }) => sum + text.length + end.length, 0));
    this.isFirst = false;
    this.lineEnd = lines.find(({ text, end }) => text !== '' && end !== '')?.end ?? this.lineEnd;
    return frameOf(raw, head, lines);
  }

  private takeOneLine(raw: string): Frame {
    this.isFirst = false;
    this.lineEnd = '\n';
    return {
      raw,
      data: raw.slice('data: '.length, -2),
      withData: (changed) => `data: ${changed.replaceAll('\n', '\ndata: ')}\n\n`,
      around: ONE_LINE_AROUND,
    };
  }
}

const ONE_LINE_AROUND = ['data: ', '\n\n'] as const;

/** 1 for each byte that stands for itself in a JSON string. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
);

function hasAt(chunk: Buffer, bytes: Buffer, from: number): boolean {
  for (let at = 0; at < bytes.length; at++) if (chunk[from + at] !== bytes[at]) return false;
  return true;
}

/** An event as most APIs write it. */
const ONE_LINE = /^data: [^\r\n]*\n\n$/;

interface Line {
  readonly text: string;
  readonly end: string;
}

const LINE_END = /\r\n|\n|\r/g;

function linesOf(raw: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < raw.length;) {
    LINE_END.lastIndex = from;
    const [end = ''] = LINE_END.exec(raw) ?? [];
    const next = end === '' ? raw.length : LINE_END.lastIndex;
    lines.push({ text: raw.slice(from, next - end.length), end });
    from = next;
  }
  return lines;
}

function frameOf(raw: string, head: string, lines: readonly Line[]): Frame {
  const fields = lines.map(fieldOf);
  const data = fields.flatMap(({ name, value }) => (name === 'data' ? value : []));
  return {
    raw,
    name: fields.findLast(({ name }) => name === 'event')?.value,
    data: data.length === 0 ? undefined : data.join('\n'),
    withData(changed) {
      const values = changed.split('\n');
      const last = fields.findLastIndex(({ name }) => name === 'data');
      let next = 0;
      const written = lines.map(({ text, end }, at) => {
        const field = fields[at];
        if (field?.name !== 'data') return text + end;
        const prefix = text.slice(0, text.length - field.value.length);
        const own = values.slice(next, at === last ? undefined : next + 1);
        next += own.length;
        return own.map((value) => prefix + value).join(end) + end;
      });
      return head + written.join('');
    },
  };
}

function fieldOf({ text }: Line): { name: string; value: string } {
  const colon = text.indexOf(':');
  if (colon < 0) return { name: text, value: '' };
  const value = text.slice(colon + 1);
  return { name: text.slice(0, colon), value: value.startsWith(' ') ? value.slice(1) : value };
}
