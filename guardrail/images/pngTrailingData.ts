/**
 * A PNG's pixels are one compressed stream, and decoders stop where they have enough of it: what goes on behind, perhaps
 * for gigabytes, is a bomb to a program that does not. Runs in the worker alone, since inflating takes time.
 */
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { UnreadableImageError } from './contract.ts';
import { PNG_CHANNELS } from './inspect.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * @param png whose structure has been inspected.
 * @returns whether the compressed stream has anything behind its end, which no decoder looks at.
 * @throws UnreadableImageError where the pixels unpack to more than the header says. What is damaged is left to the decoder.
 */
export async function hasTrailingPixelData(png: Uint8Array): Promise<boolean> {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const most = mostUnpacked(bytes);
  let unpacked = 0;
  const counter = new Writable({
    write(chunk: Buffer, _, done) {
      unpacked += chunk.length;
      done(unpacked > most ? new UnreadableImageError('trailing') : null);
    },
  });
  const chunks = [...pixelChunks(bytes)];
  const inflate = createInflate({ chunkSize: CHUNK_BYTES });
  try {
    await pipeline(Readable.from(chunks), inflate, counter);
  } catch (error) {
    if (error instanceof UnreadableImageError) throw error;
  }
  const compressed = chunks.reduce((sum, { length }) => sum + length, 0);
  return inflate.bytesWritten < compressed;
}

/** Rows with a filter byte each; where it is interlaced, the rows of seven smaller pictures (PNG, third edition, 8.1). */
function mostUnpacked(png: Buffer): number {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = PNG_CHANNELS[png[25] ?? -1] ?? 4;
  const row = Math.ceil((width * channels * (png[24] ?? 8)) / 8);
  const isInterlaced = png[28] === 1;
  return height * (row + 1) + (isInterlaced ? 4 * height + 64 : 0);
}

function* pixelChunks(png: Buffer): Generator<Buffer> {
  for (let at = 8; at + 12 <= png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') yield png.subarray(at + 8, at + 8 + length);
    at += 12 + length;
  }
}
