/** Decodes, paints and encodes pixels. Runs only in the worker. */
import sharp, { type Sharp } from 'sharp';
import type { Box, ImageFormat } from './contract.ts';
import { UnreadableImageError } from './contract.ts';
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

/** Shades of gray, one byte per pixel. */
export interface GrayImage {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
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
 * Paints over boxes in the raster. The color of a box is the surrounding color, mixed with a quarter of its opposite.
 * The box is visible, and OCR can still read the words beside it. A black bar would touch these words.
 */
export function fillBoxes(raster: Raster, boxes: readonly Box[]): void {
  const { width, height, rgb } = raster;
  const areas = boxes.map(({ left, top, width: boxWidth, height: boxHeight }) => ({
    left: Math.max(0, Math.floor(left)),
    top: Math.max(0, Math.floor(top)),
    right: Math.min(width, Math.ceil(left + boxWidth)),
    bottom: Math.min(height, Math.ceil(top + boxHeight)),
  }));
  const colors = areas.map((area) => colorAround(raster, area).map((value) => 0.75 * value + 0.25 * (255 - value)));
  areas.forEach(({ left, top, right, bottom }, at) => {
    const pixel = Buffer.from(colors[at] ?? [0, 0, 0]);
    for (let y = top; y < bottom && left < right; y += 1) {
      rgb.fill(pixel, 3 * (y * width + left), 3 * (y * width + right));
    }
  });
}

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The median of each channel over the adjacent pixels, so that letters that touch the area do not count. */
function colorAround({ width, height, rgb }: Raster, { left, top, right, bottom }: Area): number[] {
  const rows = [top - 1, bottom].filter((y) => y >= 0 && y < height);
  const columns = [left - 1, right].filter((x) => x >= 0 && x < width);
  const places: number[] = [];
  for (const y of rows) for (let x = left; x < right; x += 1) places.push(y * width + x);
  for (const x of columns) for (let y = top; y < bottom; y += 1) places.push(y * width + x);
  return [0, 1, 2].map((channel) => {
    const values = places.map((place) => rgb[3 * place + channel] ?? 0).sort((a, b) => a - b);
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

export async function toGray(raster: Raster): Promise<GrayImage> {
  const data = await sharpOf(raster).greyscale().raw().toBuffer();
  return { width: raster.width, height: raster.height, data };
}

/** Enlarges a strip of the image that begins at row `top`. */
export async function enlarge(image: GrayImage, top: number, height: number, scale: number): Promise<GrayImage> {
  const { width } = image;
  const strip = image.data.subarray(top * width, (top + height) * width);
  if (scale === 1) return { width, height, data: strip };
  const size = { width: width * scale, height: height * scale };
  const data = await sharp(strip, { raw: { width, height, channels: 1 } })
    .resize({ ...size, kernel: 'cubic' })
    .extractChannel(0)
    .raw()
    .toBuffer();
  return { ...size, data };
}

export async function rotate({ width, height, data }: GrayImage, degrees: 90 | 180 | 270): Promise<GrayImage> {
  const rotated = await sharp(data, { raw: { width, height, channels: 1 } })
    .rotate(degrees)
    .extractChannel(0)
    .raw()
    .toBuffer();
  return degrees === 180 ? { width, height, data: rotated } : { width: height, height: width, data: rotated };
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
