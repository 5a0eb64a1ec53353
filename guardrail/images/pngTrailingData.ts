/**
 * Finds data after the pixels of a PNG. The pixels are one compressed stream, and decoders stop when they have enough.
 * The data after the pixels can unpack to gigabytes in a program that does not stop. Runs only in the worker, since
 * inflating takes time.
 */
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { UnreadableImageError } from './contract.ts';
import { PNG_CHANNELS } from './inspect.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * @param png a file with a valid structure.
 * @returns whether there is data after the end of the compressed stream, which decoders ignore.
 * @throws UnreadableImageError if the pixels unpack to more than the header declares. Damaged data is left to the
 * decoder.
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

/**
 * The rows, with a filter byte each. An interlaced image has the rows of seven smaller images (PNG, third edition,
 * 8.1).
 */
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
