/**
 * Validates the structure of an image file without decoding pixels: format, size, animation and extra data. The time grows with
 * the size of the file, not with its declared size when unpacked, so refusing a file is cheap. Finds what decoders skip, such
 * as a second file after the end of the image.
 */
import { UnreadableImageError, type ImageFile } from './contract.ts';

/** The maximum number of pixels. A phone photo has 24 megapixels, which take 72 MB unpacked. */
export const MAX_PIXELS = 25_000_000;
/** The maximum length of a side, in pixels. No provider accepts more. */
export const MAX_SIDE = 12_000;
/**
 * The maximum size in memory, in bytes. The maximum number of pixels with 16 bits per channel would take 200 MB; screens and
 * cameras do not produce such files.
 */
const MAX_UNPACKED = 4 * MAX_PIXELS;
/** The maximum number of chunks or segments. Encoders split 10 MB into a few thousand at most. */
const MAX_PARTS = 20_000;

/** @throws UnreadableImageError */
export function inspect(file: Uint8Array): ImageFile {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length >= 8 && latin1(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return inspectPng(bytes);
  if (bytes.length >= 3 && latin1(bytes, 0, 3) === '\xff\xd8\xff') return inspectJpeg(bytes);
  if (bytes.length >= 12 && latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP') {
    return inspectWebp(bytes);
  }
  throw new UnreadableImageError('format');
}

function latin1(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

function assertSize(width: number, height: number, bytesPerPixel = 4): void {
  if (width === 0 || height === 0) throw new UnreadableImageError('damaged');
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) throw new UnreadableImageError('large');
  if (width * height * bytesPerPixel > MAX_UNPACKED) throw new UnreadableImageError('large');
}

/** Zeros are padding. Other bytes can be a file that another program reads. */
function assertNothingAfter(bytes: Buffer, end: number): void {
  for (let at = end; at < bytes.length; at += 1) {
    if (bytes[at] !== 0) throw new UnreadableImageError('trailing');
  }
}

/** The chunks that an image consists of, with their maximum length (PNG, third edition, 11.2 and 11.3). */
const PNG_IMAGE_CHUNKS: Readonly<Record<string, number>> = {
  ...{ IHDR: 13, PLTE: 768, IDAT: Infinity, IEND: 0, tRNS: 256, gAMA: 4, cHRM: 32, sRGB: 1, sBIT: 4, bKGD: 6 },
  ...{ hIST: 512, pHYs: 9, cICP: 4 },
};

/** The number of channels of each color type (11.2.1). */
export const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function inspectPng(bytes: Buffer): ImageFile {
  const seen = new Set<string>();
  let mayHaveExtraData = false;
  let at = 8;
  for (let part = 0; part < MAX_PARTS && at + 12 <= bytes.length; part += 1) {
    const length = bytes.readUInt32BE(at);
    const name = latin1(bytes, at + 4, at + 8);
    const end = at + 12 + length;
    if (end > bytes.length) break;
    if (at === 8) {
      if (name !== 'IHDR' || length !== 13) break;
      const channels = PNG_CHANNELS[bytes[25] ?? -1];
      if (channels === undefined) break;
      assertSize(bytes.readUInt32BE(16), bytes.readUInt32BE(20), (channels * (bytes[24] ?? 0)) / 8);
    }
    if (name === 'acTL' || name === 'fdAT') throw new UnreadableImageError('animated');
    mayHaveExtraData ||= length > (PNG_IMAGE_CHUNKS[name] ?? -1) || (name !== 'IDAT' && seen.has(name));
    // Only color type 3 uses the palette for display (11.2.2).
    mayHaveExtraData ||= name === 'PLTE' && bytes[25] !== 3;
    seen.add(name);
    if (name === 'IEND') {
      if (!seen.has('IDAT')) break;
      assertNothingAfter(bytes, end);
      return { format: 'png', bytes, mayHaveExtraData: mayHaveExtraData || end < bytes.length, isLossless: true };
    }
    at = end;
  }
  throw new UnreadableImageError('damaged');
}

interface Segment {
  readonly marker: number;
  /** The offset of the marker. */
  readonly at: number;
  /** The offset after the parameters. Compressed data may follow. */
  readonly end: number;
}

/** Iterates over the segments of a JPEG, up to its end or to the first invalid segment. */
export function* jpegSegments(bytes: Buffer): Generator<Segment> {
  let at = 2;
  for (let part = 0; part < MAX_PARTS && at + 2 <= bytes.length; part += 1) {
    if (bytes[at] !== 0xff) return;
    // Any number of fill bytes can precede a marker.
    while (bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xd9) {
      yield { marker, at, end: at + 2 };
      return;
    }
    if (at + 4 > bytes.length) return;
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return;
    yield { marker, at, end };
    at = marker === 0xda ? endOfScan(bytes, end) : end;
  }
}

/** Only a decoder can find extra data between the last pixel and the end, so a JPEG always may have some. */
function inspectJpeg(bytes: Buffer): ImageFile {
  let hasFrame = false;
  let hasScan = false;
  for (const { marker, at, end } of jpegSegments(bytes)) {
    hasScan ||= marker === 0xda;
    if (isFrameHeader(marker)) {
      if (hasFrame || end - at < 10) break;
      hasFrame = true;
      assertSize(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    }
    if (marker === 0xd9) {
      if (!hasFrame || !hasScan) break;
      assertJpegEnd(bytes, end);
      return { format: 'jpeg', bytes, mayHaveExtraData: true, isLossless: false };
    }
  }
  throw new UnreadableImageError('damaged');
}

/** SOF0 to SOF15. DHT, JPG and DAC have numbers in the same range (ITU-T T.81, table B.1). */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Compressed data ends at the next marker, except restart markers. A zero after FF marks a data byte. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at += 1) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}

/**
 * Accepts what cameras append to a JPEG: more images (CIPA DC-007), possibly after padding; a video; and the trailer of Samsung
 * cameras. The encoded image does not contain them. Other trailing data is refused.
 */
function assertJpegEnd(bytes: Buffer, end: number): void {
  let at = end;
  while (bytes[at] === 0) at += 1;
  const isImage = latin1(bytes, at, at + 3) === '\xff\xd8\xff';
  // A video begins with the length of its first box, which is less than 256 (ISO/IEC 14496-12, 4.3).
  const isVideo = at - end === 3 && latin1(bytes, end + 4, end + 8) === 'ftyp';
  if (!isImage && !isVideo && !hasSamsungTrailer(bytes, end)) assertNothingAfter(bytes, at);
}

/** A Samsung trailer: parts, a directory that begins with SEFH, its length, and SEFT at the end of the file. */
function hasSamsungTrailer(bytes: Buffer, end: number): boolean {
  const foot = bytes.length - 8;
  if (foot < end || latin1(bytes, foot + 4, bytes.length) !== 'SEFT') return false;
  const list = foot - bytes.readUInt32LE(foot);
  return list >= end && list < foot && latin1(bytes, list, list + 4) === 'SEFH';
}

/** The number of bytes that contain the image size, by WebP chunk type (RFC 9649). */
const WEBP_HEADER_BYTES: Readonly<Record<string, number>> = { VP8X: 10, 'VP8 ': 10, VP8L: 5 };

/** As in a JPEG, only a decoder can find the end of the pixel data. */
function inspectWebp(bytes: Buffer): ImageFile {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw new UnreadableImageError('damaged');
  let isLossless: boolean | undefined;
  let at = 12;
  for (let part = 0; part < MAX_PARTS && at + 8 <= end; part += 1) {
    const name = latin1(bytes, at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const data = at + 8;
    if (data + length > end || length < (WEBP_HEADER_BYTES[name] ?? 0)) break;
    if (name === 'ANIM' || name === 'ANMF') throw new UnreadableImageError('animated');
    if (name === 'VP8X') {
      // Bit 1 of the flags marks an animation.
      if (((bytes[data] ?? 0) & 2) !== 0) throw new UnreadableImageError('animated');
      assertSize(bytes.readUIntLE(data + 4, 3) + 1, bytes.readUIntLE(data + 7, 3) + 1);
    }
    if (name === 'VP8 ') {
      isLossless = false;
      assertSize(bytes.readUInt16LE(data + 6) & 0x3fff, bytes.readUInt16LE(data + 8) & 0x3fff);
    }
    if (name === 'VP8L') {
      isLossless = true;
      const bits = bytes.readUInt32LE(data + 1);
      assertSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    at = data + length + (length % 2);
  }
  // Some encoders omit the padding of the last chunk.
  if (isLossless === undefined || at < end || at > end + 1) throw new UnreadableImageError('damaged');
  assertNothingAfter(bytes, end);
  return { format: 'webp', bytes, mayHaveExtraData: true, isLossless };
}
