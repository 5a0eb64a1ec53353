/** For tests: image files that no encoder would write. */
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export function chunk(name: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(data.length, 0);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
}

export interface PngParts {
  readonly width: number;
  readonly height: number;
  /** Bits per channel. Default: 1. */
  readonly depth?: number;
  /** The color type. Default: grayscale. */
  readonly type?: number;
  /** Chunks before the pixels. */
  readonly extra?: readonly Buffer[];
  /** The compressed pixels. Default: one byte, compressed. */
  readonly pixels?: Uint8Array;
}

/** A PNG whose pixels can contradict its header. */
export function pngWith({ width, height, depth = 1, type = 0, extra = [], pixels }: PngParts): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = type;
  const data = pixels ?? deflateSync(Buffer.alloc(1));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), ...extra, chunk('IDAT', data), chunk('IEND')]);
}

/** A white PNG of one bit per pixel, with more chunks before the pixels. */
export function pngOf(width: number, height: number, ...extra: readonly Buffer[]): Buffer {
  const rows = Buffer.alloc(Math.min(height, 5000) * (1 + Math.ceil(width / 8)), 0xff);
  for (let at = 0; at < rows.length; at += 1 + Math.ceil(width / 8)) rows[at] = 0;
  return pngWith({ width, height, extra, pixels: deflateSync(rows, { level: 9 }) });
}

/** A segment of a JPEG file. */
export function segment(marker: number, data: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Inserts segments after the start marker of a JPEG. */
export function withSegments(jpeg: Uint8Array, ...segments: readonly Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}
