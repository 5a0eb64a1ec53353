/** Decodes, paints and encodes pixels. Runs only in the process for images. */
import sharp, { type Sharp } from 'sharp';
import { UnreadableImageError, type ImageFormat } from './contract.ts';
import { cornersOf, type Rectangle } from './geometry.ts';
import { MAX_PIXELS } from './inspect.ts';
import { normalizeJpegHeaders } from './jpegHeaders.ts';

/** Upright, opaque sRGB pixels of three bytes each. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Buffer;
  /** The pixels differ from the file: see `OcrResult`. */
  readonly isAltered: boolean;
}

/**
 * Larger images are reduced to this number of pixels: a page of small print, or a laptop screen. Most models reduce
 * images to half of that or less.
 */
const READ_PIXELS = 4_000_000;
/** A quality with hardly visible loss. */
const QUALITY = 92;

// Allow no other decoders (SVG, PDF, TIFF, ImageMagick), even if the content does not match its first bytes.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] });
// Each image is decoded once, so a cache is useless. One thread per image keeps the thread pool of the process free for
// file and DNS access.
sharp.cache(false);
sharp.concurrency(1);

/** @throws UnreadableImageError */
export async function decodeImage(bytes: Uint8Array): Promise<Raster> {
  try {
    // Fail on warnings: for a truncated JPEG with an end marker, the decoder only warns and invents the missing pixels.
    const image = sharp(normalizeJpegHeaders(bytes), { failOn: 'warning', limitInputPixels: MAX_PIXELS, pages: 1 });
    const { autoOrient: size } = await image.metadata();
    const reduction = Math.sqrt(READ_PIXELS / (size.width * size.height));
    const { data, info } = await image
      .autoOrient()
      .resize(reduction < 1 ? { width: Math.floor(size.width * reduction), kernel: 'cubic' } : {})
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const { rgb, isTranslucent } = blend(data, channels);
    return { width, height, rgb, isAltered: isTranslucent || reduction < 1 };
  } catch {
    // The error of libvips can quote the file.
    throw new UnreadableImageError('damaged');
  }
}

/**
 * Paints over areas in the raster. The color of an area is the surrounding color, mixed with a quarter of its opposite.
 * The area is visible, and the words beside it stay readable. A black bar would touch these words.
 */
export function fillAreas(raster: Raster, areas: readonly Rectangle[]): void {
  const { width, height, rgb } = raster;
  const colors = areas.map((area) => colorAround(raster, area).map((value) => 0.75 * value + 0.25 * (255 - value)));
  for (const [at, { x, y, angle, ...size }] of areas.entries()) {
    const pixel = Buffer.from(colors[at] ?? [0, 0, 0]);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    // A pixel that the area touches is painted: its center is at most this far from the area.
    const margin = (Math.abs(cos) + Math.abs(sin)) / 2 - 1e-6;
    const [along, down] = [size.width / 2 + margin, size.height / 2 + margin];
    const [reachX, reachY] = [
      along * Math.abs(cos) + down * Math.abs(sin),
      along * Math.abs(sin) + down * Math.abs(cos),
    ];
    const lastRow = Math.min(height - 1, Math.ceil(y + reachY));
    const lastColumn = Math.min(width - 1, Math.ceil(x + reachX));
    for (let row = Math.max(0, Math.floor(y - reachY)); row <= lastRow; row += 1) {
      for (let column = Math.max(0, Math.floor(x - reachX)); column <= lastColumn; column += 1) {
        const [right, below] = [column + 0.5 - x, row + 0.5 - y];
        if (Math.abs(right * cos + below * sin) > along || Math.abs(below * cos - right * sin) > down) continue;
        pixel.copy(rgb, 3 * (row * width + column));
      }
    }
  }
}

/** The median of each channel over the pixels around the area, so that letters that touch it do not count. */
function colorAround({ width, height, rgb }: Raster, area: Rectangle): number[] {
  const outer = { ...area, width: area.width + 3, height: area.height + 3 };
  const corners = cornersOf(outer);
  const places = corners.flatMap((from, at) => {
    const to = corners[(at + 1) % corners.length] ?? from;
    const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y));
    return Array.from({ length: steps }, (_, step) => ({
      x: Math.floor(from.x + ((to.x - from.x) * step) / steps),
      y: Math.floor(from.y + ((to.y - from.y) * step) / steps),
    })).filter(({ x, y }) => x >= 0 && x < width && y >= 0 && y < height);
  });
  return [0, 1, 2].map((channel) => {
    const values = places.map(({ x, y }) => rgb[3 * (y * width + x) + channel] ?? 0).sort((a, b) => a - b);
    return values[values.length >> 1] ?? 255;
  });
}

/** Encodes a file that contains only these pixels. */
export async function encodeImage(raster: Raster, format: ImageFormat, isLossless: boolean): Promise<Buffer> {
  const image = sharpOf(raster);
  switch (format) {
    case 'png':
      return image.png({ compressionLevel: 6 }).toBuffer();
    case 'jpeg':
      return image.jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }).toBuffer();
    case 'webp':
      return image.webp(isLossless ? { lossless: true, effort: 2 } : { quality: QUALITY }).toBuffer();
  }
}

function sharpOf({ width, height, rgb }: Raster): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

/**
 * Blends a transparent image with the background that shows it best: white, or black if the image is light. The model
 * receives the blended pixels, so it sees what OCR read.
 */
function blend(data: Buffer, channels: number): { rgb: Buffer; isTranslucent: boolean } {
  if (channels === 3) return { rgb: data, isTranslucent: false };
  const isGray = channels < 3;
  const hasAlpha = channels % 2 === 0;
  const pixels = data.length / channels;
  let weight = 0;
  let light = 0;
  for (let at = 0; at < data.length; at += channels) {
    const alpha = hasAlpha ? (data[at + channels - 1] ?? 0) : 255;
    const green = data[isGray ? at : at + 1] ?? 0;
    weight += alpha;
    light += alpha * green;
  }
  const ground = weight > 0 && light / weight > 127 ? 0 : 255;
  const rgb = Buffer.allocUnsafe(pixels * 3);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const at = pixel * channels;
    const alpha = hasAlpha ? (data[at + channels - 1] ?? 0) : 255;
    for (let channel = 0; channel < 3; channel += 1) {
      const value = data[isGray ? at : at + channel] ?? 0;
      rgb[pixel * 3 + channel] = Math.round((value * alpha + ground * (255 - alpha)) / 255);
    }
  }
  return { rgb, isTranslucent: weight < 255 * pixels };
}
